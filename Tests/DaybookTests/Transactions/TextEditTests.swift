import DaybookEventCore
import DaybookHubZone
import DaybookProjections
import DaybookSimulation
import DaybookTexts
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Edits of text fields through the public API: what several stores type is merged.
@Suite struct TextEditTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private static let notes = Definition(
    "notes", [.text("title"), .text("body").merging().searchable(), .integer("count")])

  /// Two stores that hold one note.
  private func pair(_ body: Value = "Milk, bread") async throws -> (Store, Store) {
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write(actor: "ann") { tx in
      try tx.define(Self.notes)
      try tx.insert("notes", "n1", body == .null ? [:] : ["body": body])
    }
    try await a.syncOnce(with: StorePeer(b))
    return (a, b)
  }

  private func body(_ store: Store) async throws -> Value? {
    try await store.fetch("notes", "n1")?["body"]
  }

  /// Checks that both stores show a text, in the same state, and that a rebuild shows it too.
  private func expect(_ text: String, _ stores: Store...) async throws {
    for store in stores {
      #expect(try await body(store) == .text(text))
      #expect(try await store.digest() == stores[0].digest())
      let digest = try await store.digest()
      try await store.rebuild()
      #expect(try await store.digest() == digest)
      #expect(try await body(store) == .text(text))
    }
  }

  @Test("what two stores type while they are apart is in the text of both")
  func apart() async throws {
    defer { place.remove() }
    let (a, b) = try await pair()
    try await a.write(actor: "ann") { tx in
      try tx.edit("notes", "n1", "body") { text in
        try text.replace(0..<1, with: "Oat m")
        text.append("!")
      }
    }
    try await b.write(actor: "bob") { tx in
      try tx.edit("notes", "n1", "body") { try $0.insert(" rye", at: 5) }
      try tx.edit("notes", "n1", "body") { try $0.delete(9..<10) }
    }
    try await a.syncOnce(with: StorePeer(b))
    try await expect("Oat milk, ryebread!", a, b)
    #expect(try await a.conflicts().all().isEmpty)
    let hits = try await b.search("rye*", in: "notes")
    #expect(hits.map(\.id) == ["n1"])
    for store in [a, b] {
      let blame = try await store.blame(of: "notes", "n1", text: "body")
      #expect(blame.map(\.text).joined() == "Oat milk, ryebread!")
      #expect(blame.filter { $0.actor == "bob" }.map(\.text) == [" rye"])
      #expect(blame.first?.actor == "ann" && blame.first?.range == 0..<5)
    }
  }

  @Test("two stores that begin to write in an empty field lose nothing")
  func empty() async throws {
    defer { place.remove() }
    let (a, b) = try await pair(.null)
    try await a.write { tx in try tx.update("notes", "n1", ["body": "one "]) }
    try await b.write { tx in try tx.edit("notes", "n1", "body") { $0.append("two ") } }
    try await a.syncOnce(with: StorePeer(b))
    let text = try await body(a)
    #expect(text == "one two " || text == "two one ")
    #expect(try await body(b) == text)
    #expect(try await a.digest() == b.digest())
  }

  @Test("an update of a merging field writes what is different, and merges")
  func updates() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("The quick fox jumps")
    try await a.write { try $0.update("notes", "n1", ["body": "The quick red fox jumps"]) }
    try await b.write { try $0.update("notes", "n1", ["body": "The quick fox leaps", "count": 2]) }
    try await a.syncOnce(with: StorePeer(b))
    try await expect("The quick red fox leaps", a, b)
    #expect(try await a.conflicts().all().isEmpty)
    #expect(try await a.fetch("notes", "n1")?["count"] == 2)
  }

  @Test(
    "an edit of an assignment that has lost is listed as a conflict, with its text, and settled")
  func editOfLostAssignment() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("base")
    // An insert assigns: here one of an entity that another store has made, too.
    try await a.write { tx in try tx.insert("notes", "n2", ["body": "from a"]) }
    try await b.write { tx in
      try tx.insert("notes", "n2", ["body": "from b"])
      try tx.edit("notes", "n2", "body") { $0.append(", more") }
    }
    try await a.syncOnce(with: StorePeer(b))
    let shown = try await a.fetch("notes", "n2")?["body"]
    let conflicts = try await a.conflicts(in: "notes").all().filter { $0.field == "body" }
    let conflict = try #require(conflicts.first)
    #expect(Set(conflict.writes.map(\.value)) == ["from a", "from b, more"])
    #expect(conflict.writes.first { $0.wins }?.value == shown)
    try await a.settle(conflict, taking: .other)
    #expect(try await a.fetch("notes", "n2")?["body"] != shown)
    try await a.syncOnce(with: StorePeer(b))
    #expect(try await a.conflicts(in: "notes").all().filter { $0.field == "body" }.isEmpty)
    #expect(try await a.digest() == b.digest())
  }

  @Test("an edit does not bring back a deleted entity, and is there when it is restored")
  func deleted() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("text")
    try await a.write { try $0.delete("notes", "n1") }
    try await b.write { tx in try tx.edit("notes", "n1", "body") { $0.append(" more") } }
    try await a.syncOnce(with: StorePeer(b))
    #expect(try await a.fetch("notes", "n1") == nil)
    try await a.write { try $0.restore("notes", "n1") }
    try await a.syncOnce(with: StorePeer(b))
    try await expect("text more", a, b)
  }

  @Test("histories, states of the past and undo know edits")
  func past() async throws {
    defer { place.remove() }
    let (a, _) = try await pair("one")
    let before = try await a.write(actor: "ann") { tx in
      try tx.edit("notes", "n1", "body") { $0.append(" two") }
      return tx.event
    }
    let after = try await a.write(actor: "bob") { tx in
      try tx.edit("notes", "n1", "body") { $0.append(" three") }
      return tx.event
    }
    let then = try await a.at(.event(before)).fetch("notes", "n1")
    #expect(then?["body"] == "one two")
    let history = try await a.history(of: "notes", "n1")
    #expect(history.map(\.kind) == [.insert, .edit, .edit])
    #expect(history.last?.changes.first?.from == "one two")
    #expect(history.last?.changes.first?.to == "one two three")
    try await a.undo(after)
    #expect(try await body(a) == "one two")
    try await a.redo(after)
    #expect(try await body(a) == "one two three")
  }

  @Test("places count scalars, UTF-16 code units or indexes")
  func places() throws {
    var text = EditableText("a😀e\u{301}z")
    try text.insert("1", at: 2)
    try text.insert("2", atUTF16: 4)
    try text.delete(utf16: 1..<3)
    try text.replace(text.text.startIndex..<text.text.index(after: text.text.startIndex), with: "A")
    #expect(text.text == "A12e\u{301}z")
    #expect(text.script.applied(to: "a😀e\u{301}z") == text.text)
    #expect(text.count == 6)
  }

  @Test("places that are not in the text are errors, and nothing is written")
  func badPlaces() async throws {
    defer { place.remove() }
    let (a, _) = try await pair("a😀b")
    let changes: [@Sendable (inout EditableText) throws -> Void] = [
      { try $0.insert("x", at: 4) }, { try $0.insert("x", at: -1) },
      { try $0.insert("x", at: .max) }, { try $0.delete(0..<Int.max) },
      { try $0.insert("x", atUTF16: 2) }, { try $0.delete(utf16: 1..<2) },
      { try $0.insert("x", atUTF16: 5) }, { try $0.insert("x", atUTF16: -1) },
      { try $0.insert("x", at: $0.text.utf16.index($0.text.startIndex, offsetBy: 2)) },
      { try $0.apply(TextScript([.retain(4), .insert("x")])) },
    ]
    for change in changes {
      await #expect(throws: StoreError.self) {
        try await a.write { tx in try tx.edit("notes", "n1", "body", change) }
      }
    }
    #expect(try await body(a) == "a😀b")
    for (collection, id, field, code) in [
      ("notes", "n9", "body", StoreError.Code.noSuchEntity),
      ("notes", "n1", "nothing", .unknownName),
      ("nothing", "n1", "body", .unknownName), ("notes", "n1", "count", .wrongType),
    ] {
      let error = await #expect(throws: StoreError.self) {
        try await a.write { tx in try tx.edit(collection, id, field) { $0.append("x") } }
      }
      #expect(error?.code == code)
    }
    let error = await #expect(throws: StoreError.self) {
      try await a.write { tx in
        try tx.edit("notes", "n1", "body", by: TextScript([.retain(9), .insert("x")]))
      }
    }
    #expect(error?.code == .invalidEdit)
  }

  @Test("edits of a branch are written again under the new identity with their bases")
  func reissued() async throws {
    defer { place.remove() }
    let zone = try place.zone("team")
    let hub = ZonePeer(zone)
    let a = try await place.store("a")
    try await a.write { tx in
      try tx.define(Self.notes)
      try tx.insert("notes", "n1", ["body": "shared"])
    }
    try await a.syncOnce(with: hub)
    try await a.close()
    let copy = place.folder.appending(path: "c")
    try FileManager.default.copyItem(at: a.url, to: copy)
    let original = try await Store.open(at: a.url)
    try await original.write { tx in try tx.edit("notes", "n1", "body") { $0.append(" by a") } }
    try await original.syncOnce(with: hub)
    var c = try await Store.open(at: copy)
    try await c.write { tx in
      try tx.edit("notes", "n1", "body") { try $0.insert("by c ", at: 0) }
      try tx.insert("notes", "n2", ["body": "new"])
      try tx.edit("notes", "n2", "body") { $0.append("er") }
    }
    try await c.write { tx in try tx.edit("notes", "n2", "body") { $0.append(" still") } }
    _ = try await c.syncOnce(with: hub)
    try await c.close()
    #expect(try await Store.settleForks(at: copy, with: hub).count == 1)
    c = try await Store.open(at: copy)
    try await c.syncOnce(with: hub)
    try await original.syncOnce(with: hub)
    for store in [original, c] {
      #expect(try await body(store) == "by c shared by a")
      #expect(try await store.fetch("notes", "n2")?["body"] == "newer still")
      #expect(try await store.hidden().all().isEmpty)
    }
    #expect(try await original.digest() == c.digest())
    try await c.close()
    try await original.close()
    try zone.close()
  }

  struct Page: Entity {
    static let collection = "pages"
    static let fields: [EntityField<Page>] = [
      .field("title", \.title), .field("body", \.body).merging(),
    ]
    var id = ID()
    var title = ""
    var body = ""
  }

  @Test("a property of an app's type merges, edited or assigned")
  func typed() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.prepare([Page.self], [])
    let page = Page(title: "List", body: "milk\nbread\n")
    try await a.write { try $0.insert(page) }
    try await a.syncOnce(with: StorePeer(b))
    try await b.prepare([Page.self], [])
    try await a.write { tx in try tx.edit(page.id, \.body) { try $0.insert("oat ", at: 0) } }
    try await b.write { tx in _ = try tx.update(page.id) { $0.body += "salt\n" } }
    try await a.syncOnce(with: StorePeer(b))
    for store in [a, b] {
      #expect(try await store.fetch(page.id)?.body == "oat milk\nbread\nsalt\n")
    }
  }

  // MARK: - Calls in a row

  /// The number of operations of a transaction's event.
  private func operations(
    _ store: Store, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws -> Int {
    let event = try await store.write { tx in
      try body(tx)
      return tx.event
    }
    return try await store.event(event)?.event.body?.operations.count ?? 0
  }

  @Test("calls in a row that type into one text are one operation")
  func typedInARow() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("Milk")
    let count = try await operations(a) { tx in
      for (place, letter) in ", bread".enumerated() {
        try tx.edit("notes", "n1", "body") { try $0.insert(String(letter), at: 4 + place) }
      }
      try tx.edit("notes", "n1", "body") { try $0.delete(0..<1) }
      try tx.edit("notes", "n1", "body") { try $0.insert("S", at: 0) }
      try tx.edit("notes", "n1", "body") { _ in }
    }
    #expect(count == 1)
    try await b.write { tx in
      try tx.edit("notes", "n1", "body") { try $0.insert("Oat m", at: 0) }
    }
    try await a.syncOnce(with: StorePeer(b))
    try await expect(try #require(try await body(a)?.shownText), a, b)
    let taken = try await operations(a) { tx in
      try tx.edit("notes", "n1", "body") { try $0.insert("x", at: 0) }
      try tx.edit("notes", "n1", "body") { try $0.delete(0..<1) }
      #expect(!tx.isEmpty)
    }
    #expect(taken == 0)
    try await a.close()
    try await b.close()
  }

  @Test("whatever is read or written between two calls sees what was typed before")
  func typedBetween() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("ab")
    let count = try await operations(a) { tx in
      try tx.edit("notes", "n1", "body") { try $0.insert("1", at: 1) }
      #expect(try tx.fetch("notes", "n1")?["body"] == "a1b")
      try tx.edit("notes", "n1", "body") { try $0.insert("2", at: 2) }
      #expect(
        try String.fetchOne(tx.database, sql: "SELECT body FROM notes WHERE id = 'n1'") == "a12b")
      try tx.edit("notes", "n1", "body") { try $0.insert("3", at: 3) }
      try tx.update("notes", "n1", ["count": 3])
      try tx.edit("notes", "n1", "body") { try $0.insert("4", at: 4) }
      // An assignment is an edit of its own: two devices that make it have it once.
      try tx.edit("notes", "n1", "body") { $0.assign("a1234b!") }
      try tx.edit("notes", "n1", "body") { try $0.insert("5", at: 5) }
      try tx.edit("notes", "n1", "title") { try $0.insert("t", at: 0) }
      try tx.edit("notes", "n1", "body") { text in
        // The closure reads what was typed before it.
        #expect(try tx.fetch("notes", "n1")?["body"] == "a12345b!")
        try text.delete(0..<1)
      }
    }
    #expect(count == 9)
    try await a.syncOnce(with: StorePeer(b))
    try await expect("12345b!", a, b)
    #expect(try await a.fetch("notes", "n1")?["title"] == "t")
    try await a.close()
    try await b.close()
  }

  @Test("a closure that edits its own text by another call changes what that call has made")
  func typedWithin() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("ab")
    try await a.write { tx in
      for _ in 0..<2 {
        try tx.edit("notes", "n1", "body") { text in
          try tx.edit("notes", "n1", "body") { try $0.insert("X", at: 0) }
          try text.insert("1", at: 2)
        }
        // What is typed next begins with the text as it is.
        try tx.edit("notes", "n1", "body") { try $0.insert("!", at: $0.count) }
      }
      #expect(try tx.fetch("notes", "n1")?["body"] == "XX1a1b!!")
      #expect(throws: StoreError.self) {
        try tx.edit("notes", "n1", "body") { text in
          try tx.update("notes", "n1", ["body": "c"])
          try text.insert("beyond", at: 8)
        }
      }
      try tx.edit("notes", "n1", "body") { $0.append("d") }
    }
    try await a.syncOnce(with: StorePeer(b))
    try await expect("cd", a, b)
    try await a.close()
    try await b.close()
  }

  @Test("scripts in a row make of a text what each makes, and one that does not fit nothing")
  func scriptsInARow() async throws {
    defer { place.remove() }
    let (a, b) = try await pair("né🙂e\u{301}")
    var text = "né🙂e\u{301}"
    for seed in 40..<70 {
      let before = text
      let (made, operations) = try await a.write { [text] tx in
        var (text, random) = (text, SplitMix64(seed: UInt64(seed)))
        for _ in 0..<1 + random.below(12) {
          let script = Self.script(&random)
          guard let made = script.applied(to: text) else {
            let error = #expect(throws: StoreError.self) {
              try tx.edit("notes", "n1", "body", by: script)
            }
            #expect(error?.code == .invalidEdit && error?.message.contains("“n1”") == true)
            continue
          }
          text = made
          if random.below(3) == 0 {
            try tx.edit("notes", "n1", "body") { try $0.apply(script) }
          } else {
            try tx.edit("notes", "n1", "body", by: script)
          }
          if random.below(8) == 0 {
            #expect(try tx.fetch("notes", "n1")?["body"] == .text(text))
          }
        }
        return (text, tx.operations.count)
      }
      text = made
      #expect(operations <= 12)
      #expect(try await body(a) == .text(text), "after \(before.debugDescription)")
    }
    let operations = try await a.write { tx in
      for _ in 0..<100 { try tx.edit("notes", "n1", "body", by: TextScript([.insert("t")])) }
      return tx.operations.count
    }
    #expect(operations == 2)
    try await a.syncOnce(with: StorePeer(b))
    try await expect(String(repeating: "t", count: 100) + text, a, b)
    try await a.close()
    try await b.close()
  }

  private static func script(_ random: inout SplitMix64) -> TextScript {
    TextScript(
      (0..<1 + random.below(6)).map { _ in
        switch random.below(4) {
        case 0: .delete(random.below(4))
        case 1: .insert(random.pick(["x", "ü", "\u{301}", "🙂🙂", "\0", ""]))
        default: .retain(random.below(5))
        }
      })
  }

  @Test("a call that throws, or a part that does, takes back what it has typed and nothing else")
  func typedAndTakenBack() async throws {
    struct Stop: Error {}
    defer { place.remove() }
    let (a, b) = try await pair("ab")
    try await a.write { tx in
      try tx.edit("notes", "n1", "body") { try $0.insert("1", at: 1) }
      #expect(throws: Stop.self) {
        try tx.edit("notes", "n1", "body") { text in
          try text.insert("lost", at: 0)
          throw Stop()
        }
      }
      #expect(throws: StoreError.self) {
        try tx.edit("notes", "n1", "body") { try $0.insert("beyond", at: 9) }
      }
      try tx.edit("notes", "n1", "body") { try $0.insert("2", at: 2) }
      #expect(throws: Stop.self) {
        try tx.nested { tx in
          try tx.edit("notes", "n1", "body") { try $0.insert("lost", at: 0) }
          throw Stop()
        }
      }
      try tx.nested { tx in
        try tx.edit("notes", "n1", "body") { try $0.insert("3", at: 3) }
      }
      try tx.edit("notes", "n1", "body") { try $0.insert("4", at: 4) }
    }
    try await a.syncOnce(with: StorePeer(b))
    try await expect("a1234b", a, b)
    await #expect(throws: Stop.self) {
      try await a.write { tx in
        try tx.edit("notes", "n1", "body") { try $0.insert("lost", at: 0) }
        throw Stop()
      }
    }
    #expect(try await body(a) == "a1234b")
    try await a.close()
    try await b.close()
  }
}

extension Value {
  fileprivate var shownText: String? { if case .text(let text) = self { text } else { nil } }
}
