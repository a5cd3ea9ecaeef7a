import DaybookEventCore
import DaybookTexts
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The same change of a text, made on two devices that are apart.
@Suite struct EqualEditsTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private func pair(_ body: Value = "Milk, braed") async throws -> (Store, Store) {
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(Definition("notes", [.text("body").merging().searchable()]))
      try tx.insert("notes", "n1", ["body": body])
    }
    try await a.syncOnce(with: StorePeer(b))
    return (a, b)
  }

  private func expect(_ text: String, _ stores: Store...) async throws {
    for _ in 0..<2 { try await stores[0].syncOnce(with: StorePeer(stores[1])) }
    for store in stores {
      #expect(try await store.fetch("notes", "n1")?["body"] == .text(text))
      #expect(try await store.digest() == stores[0].digest())
      #expect(try await KnownText(store).text == text)
      let digest = try await store.digest()
      try await store.rebuild()
      #expect(try await store.digest() == digest)
      #expect(try await store.fetch("notes", "n1")?["body"] == .text(text))
    }
  }

  private func update(_ text: String, _ stores: Store...) async throws {
    for store in stores {
      try await store.write { try $0.update("notes", "n1", ["body": .text(text)]) }
    }
  }

  @Test(
    "the same value that two stores assign is there once",
    arguments: ["Oat milk, rye", "Milk, bread", "Milk, braed\n", "e\u{301}", "", "Milk, braed 🙂🙂"])
  func assigned(value: String) async throws {
    defer { place.remove() }
    let (a, b) = try await pair()
    try await update(value, a, b)
    try await expect(value, a, b)
    #expect(try await a.conflicts().all().isEmpty)
  }

  @Test("the same correction is there once, also if one of the stores has changed more")
  func corrected() async throws {
    defer { place.remove() }
    let (a, b) = try await pair()
    try await b.write { tx in
      try tx.edit("notes", "n1", "body") { try $0.insert("Oat m", at: 0) }
    }
    for store in [a, b] {
      try await store.write { tx in
        try tx.edit("notes", "n1", "body") { text in
          text.assign(text.text.replacingOccurrences(of: "braed", with: "bread") + "\n")
        }
      }
    }
    try await expect("Oat mMilk, bread\n", a, b)
  }

  @Test("what is typed alike is there as often as it was typed")
  func typed() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("Milk")
    for store in [a, b] {
      try await store.write { tx in try tx.edit("notes", "n1", "body") { $0.append("!") } }
    }
    try await expect("Milk!!", a, b)
    // An assignment beside an insertion is part of what was typed.
    for store in [a, b] {
      try await store.write { tx in
        try tx.edit("notes", "n1", "body") { text in
          try text.insert("a", at: 0)
          text.assign(text.text + "?")
        }
      }
    }
    try await expect("aaMilk!!??", a, b)
  }

  @Test("an undo on one store leaves what the other store has assigned alike")
  func undone() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("Milk")
    try await update("Milk, bread", a, b)
    try await expect("Milk, bread", a, b)
    let writes = try await a.history(of: "notes", "n1").suffix(2).map(\.event)
    try await a.undo(writes[0])
    try await expect("Milk, bread", a, b)
    try await b.undo(writes[1])
    try await expect("Milk", a, b)
    try await a.redo(writes[0])
    try await expect("Milk, bread", a, b)
  }

  @Test("a deletion takes what both have inserted, and an anchor finds it on both stores")
  func deleted() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("Milk")
    try await update("Milk, bread", a, b)
    let anchors = [
      try await a.anchor(at: 8, in: "notes", "n1", text: "body"),
      try await b.anchor(at: 8, in: "notes", "n1", text: "body"),
    ]
    try await a.write { tx in try tx.edit("notes", "n1", "body") { try $0.delete(9..<11) } }
    try await expect("Milk, bre", a, b)
    for store in [a, b] {
      let places = try await store.places(of: anchors, in: "notes", "n1", text: "body")
      #expect(places == [.at(8), .at(8)])
      let blame = try await store.blame(of: "notes", "n1", text: "body")
      #expect(blame.map(\.text) == ["Milk", ", bre"])
      #expect(try await blame.map(\.event) == a.blame(of: "notes", "n1", text: "body").map(\.event))
    }
  }
}
