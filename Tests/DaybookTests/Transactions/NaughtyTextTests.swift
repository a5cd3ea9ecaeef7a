import DaybookEventCore
import DaybookProjections
import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Texts that often break programs, as ids, values, actors and labels, through every call.
@Suite struct NaughtyTextTests {
  private let place = SyncPlace()

  private static let collections = [
    Definition(
      "notes",
      [
        .text("title").searchable(),
        .text("code").unique(),
        .text("word").searchable(),
      ]),
    Definition("links").relationship(),
  ]

  private func bytes(_ texts: [String]) -> Set<[UInt8]> { Set(texts.map { Array($0.utf8) }) }

  /// Makes a store in which each text is an id and a title, and is linked to the next text.
  private func store(_ name: String) async throws -> Store {
    let store = try await place.store(name)
    try await store.write { tx in
      for definition in Self.collections { try tx.define(definition) }
      for (number, text) in NaughtyTexts.all.enumerated() {
        try tx.insert(
          "notes", text,
          ["title": .text(text), "word": .text("word\(number)x"), "code": .text(text)])
      }
      for (text, next) in zip(NaughtyTexts.all, NaughtyTexts.all.dropFirst()) {
        try tx.insert("links", text, ["source": .text(text), "target": .text(next)])
      }
    }
    return store
  }

  @Test("ids and values are read as they were written, by every call")
  func whole() async throws {
    defer { place.remove() }
    let store = try await store("a")
    for (number, text) in NaughtyTexts.all.enumerated() {
      let entity = try #require(try await store.fetch("notes", text))
      #expect(entity.id.isSame(as: text))
      guard case .text(let title) = entity["title"] else { throw NoText() }
      #expect(title.isSame(as: text))
      let hits = try await store.search("word\(number)x")
      #expect(hits.count == 1 && hits[0].id.isSame(as: text), "\(number)")
      let history = try await store.history(of: "notes", text)
      #expect(history.count == 1 && history[0].changes.count == 3)
    }
    let all = bytes(NaughtyTexts.all)
    let reached = try await store.graph.reachable(from: Graph.Vertex("notes", NaughtyTexts.all[0]))
    #expect(bytes(reached.map(\.vertex.id) + [NaughtyTexts.all[0]]) == all)
    try await store.close()
  }

  @Test("actors, labels and histories of the past are whole")
  func events() async throws {
    defer { place.remove() }
    let store = try await store("a")
    let before = try await store.digest().vector
    for text in NaughtyTexts.all {
      try await store.write(actor: text, label: text) { tx in
        try tx.update("notes", text, ["title": .text("\(text)\(text)")])
      }
    }
    let logged = Collected<LoggedEvent>()
    try await store.forEachEvent(EventQuery(after: .vector(before))) {
      logged.append(contentsOf: [$0])
      return true
    }
    #expect(logged.all.count == NaughtyTexts.all.count)
    for (number, (text, event)) in zip(NaughtyTexts.all, logged.all).enumerated() {
      let body = try #require(event.event.body)
      #expect(body.actor.isSame(as: text) && body.label.isSame(as: text))
      // Each such query reads all events.
      guard number.isMultiple(of: 16) else { continue }
      let found = Collected<EventID>()
      try await store.forEachEvent(
        EventQuery(after: .vector(before), collection: "notes", id: text)
      ) {
        found.append(contentsOf: [$0.event.id])
        return true
      }
      #expect(found.all == [event.event.id])
    }
    let changes = try await store.changes(from: .vector(before))
    #expect(bytes(changes.map(\.id)) == bytes(NaughtyTexts.all))
    let past = try await store.at(.vector(before))
    let then = Collected<String>()
    try await past.read { db, _ in
      then.append(contentsOf: try db.texts("SELECT title FROM notes"))
    }
    #expect(bytes(then.all) == bytes(NaughtyTexts.all))
    for (number, text) in NaughtyTexts.all.enumerated() where number.isMultiple(of: 8) {
      guard case .text(let title)? = try await past.fetch("notes", text)?["title"] else {
        throw NoText()
      }
      #expect(title.isSame(as: text))
    }
    try await store.close()
  }

  @Test("conflicts, hidden values and their owners have whole ids and values")
  func merged() async throws {
    defer { place.remove() }
    let (a, b) = (try await store("a"), try await place.store("b"))
    try await b.syncOnce(with: StorePeer(a))
    for (store, mark) in [(a, "left"), (b, "right")] {
      try await store.write { tx in
        for text in NaughtyTexts.all {
          try tx.update("notes", text, ["title": .text(text + mark)])
        }
        for text in Self.short {
          try tx.insert("notes", "\(mark)\(text)", ["code": .text("\(text)!")])
        }
      }
    }
    try await b.syncOnce(with: StorePeer(a))
    let found = try await b.conflicts(in: "notes").all()
    #expect(bytes(found.compactMap(\.id)) == bytes(NaughtyTexts.all))
    let ids = found.compactMap(\.id)
    #expect(zip(ids, ids.dropFirst()).allSatisfy { utf8Less($0, $1) })
    for conflict in found {
      let id = conflict.id ?? ""
      let values = conflict.writes.map(\.value)
      #expect(Set(values) == [.text(id + "left"), .text(id + "right")])
    }
    let one = try await b.conflicts(in: "notes", id: "a\0b").all()
    #expect(one.map(\.id) == ["a\0b"])

    // Both stores have used the same codes.
    let hidden = try await b.hidden().all()
    #expect(hidden.count == Self.short.count)
    for value in hidden {
      guard case .parked(let owner) = value.reason, case .text(let code) = value.value,
        let text = code.rest(before: "!")
      else { throw NoText() }
      #expect(Self.short.contains { $0.isSame(as: text) })
      #expect([owner, value.id].sorted(by: utf8Less) == ["left\(text)", "right\(text)"])
    }
    try await b.close()
    try await a.close()
  }

  private static let short = NaughtyTexts.all.filter { $0.utf8.count < 1000 }

  @Test("a search for any text gives hits, none, or the error of an invalid query")
  func queries() async throws {
    defer { place.remove() }
    let store = try await store("a")
    for text in NaughtyTexts.all + NaughtyTexts.all.map({ "\"oat\($0)" + $0 }) {
      do { _ = try await store.search(text) } catch let error as StoreError {
        #expect(error.code == .invalidQuery, "\(text.debugDescription): \(error)")
      }
    }
    // FTS5 reads a quote with an accent as a quote and an accent.
    for mark in NaughtyTexts.combining {
      var query = "\"word0x\"".unicodeScalars
      query.append(mark)
      #expect(try await store.search(String(query)).count <= 1, "\(query)")
      var field = "word:".unicodeScalars
      field.append(mark)
      field.append(contentsOf: "word1x".unicodeScalars)
      _ = try await store.search(String(field))
    }
    try await store.close()
  }

  @Test("any text is read as a position or refused")
  func positions() async throws {
    defer { place.remove() }
    let store = try await store("a")
    for text in NaughtyTexts.all {
      do { _ = try await store.position(text) } catch let error as StoreError {
        #expect(error.code == .invalidPosition)
      }
    }
    try await store.close()
  }

  private struct NoText: Error {}
}
