import DaybookJSON
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Audits of a store, and the writes to which an entity's values go back.
@Suite struct AuditTests {
  private let folder: TemporaryStore

  init() throws { folder = try TemporaryStore() }

  private func store() async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write(actor: "ann", label: "setup") { tx in
      try tx.define(
        Definition("notes", [.text("title"), .boolean("pinned"), .timestamp("due"), .json("tags")]))
    }
    try await store.write(actor: "ann") { tx in
      try tx.insert("notes", "n1", ["title": "oat", "pinned": true])
      try tx.insert("notes", "n2", [:])
    }
    try await store.write(actor: "bob", label: "dues") { tx in
      try tx.update("notes", "n1", ["title": "rye", "due": .timestamp(1_700_000_000_125)])
      try tx.delete("notes", "n2")
    }
    return store
  }

  @Test("an audit has an entry for each field of each write, in the order of the log")
  func entries() async throws {
    let store = try await store()
    let entries = try await store.audit().all()
    #expect(
      entries.map { "\($0.actor) \($0.kind) \($0.id ?? "-") \($0.field ?? "-")" } == [
        "ann define - title", "ann define - pinned", "ann define - due", "ann define - tags",
        "ann insert n1 pinned", "ann insert n1 title", "ann insert n2 -", "bob update n1 due",
        "bob update n1 title", "bob delete n2 -",
      ])
    #expect(entries.allSatisfy { $0.collection == "notes" })
    #expect(entries.map(\.value).compactMap { $0 }.count == 4)
    #expect(entries.last?.label == "dues" && entries.last?.event.sequence == 4)
    let newest = try await store.audit(isNewestFirst: true).all()
    #expect(newest.map(\.event.sequence) == [4, 4, 4, 3, 3, 3, 2, 2, 2, 2])
    #expect(newest.first?.field == "due")
    try await store.close()
  }

  @Test("an audit is limited to a collection, an entity, a field, an actor and a time")
  func filters() async throws {
    let store = try await store()
    let last = try #require(try await store.events(EventQuery(isNewestFirst: true)).all().first?.id)
    try await store.write(actor: "cem") { tx in
      try tx.define(Definition("notes", [.text("headline").formerly("title")]))
      try tx.define(Definition("folders", [.text("title")]))
      try tx.insert("folders", "f", ["title": "oat"])
      try tx.update("notes", "n1", ["headline": "oat"])
    }
    func count(_ list: Listing<Store.AuditEntry>) async throws -> Int { try await list.all().count }
    #expect(try await count(store.audit(in: "folders")) == 2)
    #expect(try await count(store.audit(in: "notes", id: "n1")) == 5)
    for name in ["title", "headline"] {
      let entries = try await store.audit(in: "notes", field: name).all()
      #expect(entries.filter { $0.kind != .define }.map(\.actor) == ["ann", "bob", "cem"])
      #expect(entries.allSatisfy { $0.field == "headline" })
    }
    #expect(try await count(store.audit(by: "bob")) == 3)
    #expect(try await count(store.audit(by: "nobody")) == 0)
    #expect(try await Set(store.audit(after: .event(last)).all().map(\.actor)) == ["cem"])
    #expect(try await count(store.audit(until: .event(last))) == 10)
    for call in [store.audit(id: "n1"), store.audit(field: "title")] {
      await #expect { try await call.all() } throws: { ($0 as? StoreError)?.code == .invalidQuery }
    }
    try await store.close()
  }

  @Test("pages of any size give the same audit, also within one event")
  func pages() async throws {
    let store = try await store()
    try await store.write(actor: "dora") { tx in
      for number in 0..<300 {
        try tx.insert("notes", "many\(number)", ["title": "t", "pinned": false])
      }
    }
    for isNewestFirst in [false, true] {
      let list = store.audit(isNewestFirst: isNewestFirst)
      let all = try await list.all()
      #expect(all.count == 610)
      for limit in [1, 7, 250, 609, 610, 5000] {
        var found: [Store.AuditEntry] = []
        var next: Listing<Store.AuditEntry>.Cursor?
        repeat {
          let page = try await list.page(limit: limit, after: next)
          #expect(page.items.count <= limit)
          found += page.items
          next = page.next
        } while next != nil && (limit > 1 || found.count < 20)
        #expect(found == Array(all.prefix(found.count)))
        #expect(limit == 1 || found.count == all.count)
      }
    }
    try await store.close()
  }

  @Test("an entry is a line of JSON and a line of CSV, whatever a value holds")
  func lines() async throws {
    let store = try await store()
    let naughty = ["a,b", "\"", "line\nend", "=1+1", "-x", "@a", "", "é😀", "\u{0}"]
    try await store.write(actor: "eve,\n") { tx in
      for (number, text) in naughty.enumerated() {
        try tx.insert("notes", "x\(number)", ["title": .text(text)])
      }
      try tx.update("notes", "n1", ["tags": .json(Array(#"["a"]"#.utf8)), "pinned": .null])
    }
    let columns = Store.AuditEntry.csvHeader.split(separator: ",").count
    for try await entry in store.audit() {
      let json = try JSONParser.parse(Array(entry.json.utf8))
      guard case .object(let members) = json else {
        Issue.record("\(entry.json) is no object")
        continue
      }
      #expect(members.contains { $0.key == "actor" && $0.value == .text(entry.actor) })
      #expect(!entry.json.contains("\n"))
      let cells = try Self.cells(entry.csv)
      #expect(cells.count == columns)
      #expect(cells[2] == entry.actor && cells[3] == entry.kind.rawValue)
      if case .text(let text)? = entry.value {
        #expect(cells[7] == text || cells[7] == "'" + text)
        #expect(!"=@".contains(cells[7].prefix(1)) || cells[7].isEmpty)
      }
    }
    let due = try #require(try await store.audit(in: "notes", field: "due").all().last)
    #expect(due.csv.contains(",2023-11-14T22:13:20.125Z,dues,"))
    #expect(due.json.contains(#""value":"2023-11-14T22:13:20.125Z""#))
    try await store.close()
  }

  /// Reads a line of CSV as RFC 4180 says.
  private static func cells(_ line: String) throws -> [String] {
    var cells: [String] = []
    var rest = Array(line.unicodeScalars)[...]
    while true {
      var cell = String.UnicodeScalarView()
      if rest.first == "\"" {
        rest = rest.dropFirst()
        while let scalar = rest.popFirst() {
          if scalar == "\"" {
            guard rest.first == "\"" else { break }
            rest = rest.dropFirst()
          }
          cell.append(scalar)
        }
      } else {
        while let scalar = rest.first, scalar != "," {
          cell.append(scalar)
          rest = rest.dropFirst()
        }
      }
      cells.append(String(cell))
      guard rest.popFirst() == "," else { return cells }
    }
  }

  @Test("blame names for each field the write that counts, on all replicas")
  func blame() async throws {
    let other = try TemporaryStore()
    let (ann, bob) = (try await store(), try await Store.create(at: other.url))
    let first = try await ann.blame(of: "notes", "n1")
    #expect(first.map(\.field) == ["due", "pinned", "title"])
    #expect(first.map(\.actor) == ["bob", "ann", "bob"])
    #expect(first.map(\.event.sequence) == [4, 3, 4] && first[0].label == "dues")
    #expect(first[2].value == "rye" && first.allSatisfy { !$0.isConflict })
    try await bob.syncOnce(with: StorePeer(ann))
    try await ann.write(actor: "ann") { try $0.update("notes", "n1", ["title": "soy"]) }
    try await bob.write(actor: "bob") { try $0.update("notes", "n1", ["title": "oat"]) }
    try await bob.syncOnce(with: StorePeer(ann))
    let blame = try await ann.blame(of: "notes", "n1")
    #expect(try await bob.blame(of: "notes", "n1") == blame)
    let shown = try #require(try await ann.fetch("notes", "n1"))
    for item in blame { #expect(shown[item.field] == item.value) }
    #expect(blame.filter(\.isConflict).map(\.field) == ["title"])
    #expect(try await ann.blame(of: "notes", "none").isEmpty)
    try await ann.close()
    try await bob.close()
  }
}
