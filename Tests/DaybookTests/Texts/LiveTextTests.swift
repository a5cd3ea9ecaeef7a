import DaybookEventCore
import DaybookLocks
import DaybookProjections
import DaybookSimulation
import DaybookTexts
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Texts that are observed: each change has the edits that were written.
@Suite(.timeLimit(.minutes(10))) struct LiveTextTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  static let notes = Definition(
    "notes", [.text("title"), .text("body").merging(), .integer("count")])

  private func store(_ name: String = "a", body: String = "aaaa") async throws -> Store {
    let store = try await place.store(name)
    try await store.write { tx in
      try tx.define(Self.notes)
      try tx.insert("notes", "n1", ["body": .text(body)])
    }
    return store
  }

  private func edit(
    _ store: Store, _ change: @escaping @Sendable (inout EditableText) throws -> Void
  )
    async throws
  {
    try await store.write { try $0.edit("notes", "n1", "body", change) }
  }

  @Test("a loop has the text first, and then the edits where they were made")
  func edits() async throws {
    defer { place.remove() }
    let store = try await store()
    var changes = store.observe("notes", "n1", text: "body").makeAsyncIterator()
    let first = try #require(try await changes.next())
    #expect(first.kind == .first && first.text == "aaaa" && first.previous == "")
    #expect(first.edits == TextScript([.insert("aaaa")]))
    // A comparison would find the insertion at the end.
    try await edit(store) { try $0.insert("a", at: 1) }
    let second = try #require(try await changes.next())
    #expect(second.kind == .edited && second.text == "aaaaa" && second.previous == "aaaa")
    #expect(second.edits == TextScript([.retain(1), .insert("a")]))
    // Several are delivered as one; what is not about the text is not delivered.
    try await edit(store) { try $0.delete(0..<1) }
    try await store.write { try $0.update("notes", "n1", ["count": 1]) }
    try await edit(store) { try $0.insert("b", at: 3) }
    let third = try #require(try await changes.next())
    #expect(third.edits == TextScript([.delete(1), .retain(3), .insert("b")]))
    #expect(third.text == "aaaba")
    try await store.close()
    #expect(try await changes.next() == nil)
  }

  @Test("edits of another process and of a sync are merged with those of this store")
  func origins() async throws {
    defer { place.remove() }
    let a = try await store()
    let b = try await place.store("b")
    try await a.syncOnce(with: StorePeer(b))
    let beside = try await Store.open(at: a.url)
    var changes = a.observe("notes", "n1", text: "body").makeAsyncIterator()
    _ = try await changes.next()
    try await edit(beside) { try $0.insert("a", at: 3) }
    let first = try #require(try await changes.next())
    #expect(first.edits == TextScript([.retain(3), .insert("a")]))
    // Both edit while they are apart, and `b` has not seen the one before.
    try await edit(a) { try $0.insert("a", at: 0) }
    #expect(try await changes.next()?.edits == TextScript([.insert("a")]))
    try await edit(b) { try $0.insert("b", at: 1) }
    try await edit(b) { try $0.delete(4..<5) }
    try await a.syncOnce(with: StorePeer(b))
    let merged = try #require(try await changes.next())
    #expect(merged.edits == TextScript([.retain(2), .insert("b"), .retain(3), .delete(1)]))
    #expect(merged.text == "aabaaa")
    try await place.close([beside, a, b])
  }

  @Test("a text that is assigned anew, deleted, restored or erased says so")
  func kinds() async throws {
    defer { place.remove() }
    let store = try await store(body: "one")
    var changes = store.observe("notes", "n1", text: "body").makeAsyncIterator()
    _ = try await changes.next()
    try await store.write { try $0.delete("notes", "n1") }
    let gone = try #require(try await changes.next())
    #expect(gone.kind == .missing && gone.text == nil && gone.edits.isEmpty)
    try await store.write { tx in
      try tx.restore("notes", "n1")
      try tx.edit("notes", "n1", "body") { $0.append("!") }
    }
    let back = try #require(try await changes.next())
    #expect(back.kind == .edited && back.text == "one!" && back.previous == "one")
    #expect(back.edits == TextScript([.retain(3), .insert("!")]))
    try await store.write { tx in
      try tx.delete("notes", "n1")
      try tx.insert("notes", "n1", ["body": "two!"])
    }
    let replaced = try #require(try await changes.next())
    #expect(replaced.kind == .replaced && replaced.text == "two!")
    #expect(replaced.edits.applied(to: "one!") == "two!")
    try await store.write { try $0.erase("notes", "n1") }
    #expect(try await changes.next()?.kind == .missing)
    try await store.close()
  }

  @Test("an entity that is not there yet, an empty field, and a field that holds no text")
  func absent() async throws {
    defer { place.remove() }
    let store = try await store()
    var later = store.observe("notes", "n2", text: "body").makeAsyncIterator()
    #expect(try await later.next()?.kind == .missing)
    try await store.write { try $0.insert("notes", "n2") }
    let empty = try #require(try await later.next())
    #expect(empty.kind == .first && empty.text == "")
    try await store.write { try $0.edit("notes", "n2", "body") { $0.append("x") } }
    #expect(try await later.next()?.edits == TextScript([.insert("x")]))
    for (collection, field, code) in [
      ("notes", "count", StoreError.Code.wrongType), ("notes", "nothing", .unknownName),
      ("nothing", "body", .unknownName),
    ] {
      var changes = store.observe(collection, "n1", text: field).makeAsyncIterator()
      let error = await #expect(throws: StoreError.self) { try await changes.next() }
      #expect(error?.code == code)
      #expect(try await changes.next() == nil)
    }
    try await store.close()
  }

  @Test("places go with the edits, in scalars, UTF-16 and indexes, and never trap")
  func places() throws {
    let old = "a😀b\r\nc"
    let script = TextScript([.retain(1), .insert("é"), .delete(1), .retain(1), .insert("🙂")])
    let change = TextChange(.edited, from: old, to: script.applied(to: old), by: script)
    #expect(change.text == "aéb🙂\r\nc")
    #expect(
      change.replacements == [
        .init(range: 1..<2, utf16: 1..<3, text: "é"), .init(range: 3..<3, utf16: 4..<4, text: "🙂"),
      ])
    #expect((0...6).map { change.position(of: $0) } == [0, 1, 2, 3, 5, 6, 7])
    #expect(change.position(of: 3, bias: .after) == 4)
    #expect(change.position(of: 1, bias: .after) == 2)
    #expect(change.position(ofUTF16: 3) == 2 && change.position(ofUTF16: 4, bias: .after) == 5)
    #expect(change.position(ofUTF16: 7) == 8)
    // Within a surrogate pair, outside of the text, and within a character of two scalars.
    #expect(change.position(ofUTF16: 2) == 1)
    for wrong in [Int.min, -1] {
      #expect(change.position(of: wrong) == 0 && change.position(ofUTF16: wrong) == 0)
    }
    for wrong in [8, Int.max] {
      #expect(change.position(of: wrong) == 7 && change.position(ofUTF16: wrong) == 8)
    }
    let index = old.unicodeScalars.index(old.startIndex, offsetBy: 4)
    let text = try #require(change.text)
    #expect(text[change.position(of: index)...].unicodeScalars.elementsEqual("\nc".unicodeScalars))
    #expect(change.position(of: "long enough to be outside".endIndex) == text.endIndex)
    #expect(change.selection(1..<3) == 2..<3)
    #expect(change.selection(utf16: 1..<4) == 2..<3)
    #expect(change.selection(1..<2) == 2..<2 && change.selection(3..<3) == 3..<3)
    let gone = TextChange(.missing, from: old, to: nil, by: TextScript())
    #expect(gone.position(of: 3) == 3 && gone.position(ofUTF16: 4) == 4)
  }

  @Test("UTF-16 places are those that Swift's own view has")
  func utf16() {
    let pieces = ["a", "é", "漢", "😀", "\r\n", "👨‍👩‍👧", "e\u{301}"]
    for seed in 0..<200 {
      let text = (0..<seed % 23).map { pieces[(seed * 7 + $0 * $0) % pieces.count] }.joined()
      for offset in -1...text.utf16.count + 1 {
        let units = text.utf16
        let index =
          offset < 0
          ? nil : units.index(units.startIndex, offsetBy: offset, limitedBy: units.endIndex)
        let expected = index?.samePosition(in: text.unicodeScalars)
          .map { text.unicodeScalars.distance(from: text.startIndex, to: $0) }
        #expect(TextOffsets.exactScalars(ofUTF16: offset, in: text) == expected)
        guard let expected else { continue }
        #expect(TextOffsets.utf16(ofScalars: expected, in: text) == offset)
      }
    }
  }

  /// The log, with the number of events that were read.
  private final class CountingSource: EventSource, Sendable {
    let source: LogFeed
    let count = Mutex(0)
    init(_ source: LogFeed) { self.source = source }
    var wholeVector: VersionVector { source.wholeVector }
    var rawBytes: Int { source.rawBytes }
    func forEachEvent(
      of origin: ReplicaID, in range: ClosedRange<UInt64>,
      _ body: (UInt64, EventView) throws -> Void
    ) throws {
      count.withLock { $0 += range.count }
      try source.forEachEvent(of: origin, in: range, body)
    }
    func forEachFrame(after vector: VersionVector, _ body: (FrameView) throws -> Void) throws {
      try source.forEachFrame(after: vector, body)
    }
  }

  @Test("a keystroke behind many edits reads no other edit, and a concurrent one few")
  func cost() async throws {
    defer { place.remove() }
    let a = try await store()
    let b = try await place.store("b")
    try await a.syncOnce(with: StorePeer(b))
    try await edit(b) { $0.append("b") }
    try await a.syncOnce(with: StorePeer(b))
    try await a.write { tx in
      for _ in 0..<2 { try tx.edit("notes", "n1", "body") { $0.append("a") } }
    }
    for _ in 0..<300 { try await edit(a) { $0.append("a") } }
    try await a.syncOnce(with: StorePeer(b))
    let field = TextField("notes", "n1", "body")
    let source = CountingSource(a.core.feed)
    func news(since old: ShownText?) async throws -> TextNews {
      try await a.core.reads.reader.read { db in
        let view = try ReadModelView(db, source: source)
        defer { view.close() }
        return try TextNews(view, field, since: old)
      }
    }
    let before = try #require(try await news(since: nil).text)
    try await edit(a) { try $0.insert("a", at: 2) }
    let after = try await news(since: before)
    #expect(after.edits == TextScript([.retain(2), .insert("a")]))
    #expect(
      source.count.withLock { value in
        defer { value = 0 }
        return value
      } == 1)
    try await edit(b) { try $0.insert("a", at: 5) }
    try await a.syncOnce(with: StorePeer(b))
    #expect(try await news(since: after.text).edits == TextScript([.retain(6), .insert("a")]))
    #expect(source.count.withLock { $0 } == 2)
    try await place.close([a, b])
  }

  @Test("what becomes of a text is known from any earlier state on, however stores have met")
  func random() async throws {
    defer { place.remove() }
    for seed in 0..<6 {
      var random = SplitMix64(seed: UInt64(seed))
      var stores = [try await store("a\(seed)", body: "aaaaaa")]
      for name in ["b", "c"] {
        let store = try await place.store("\(name)\(seed)")
        try await stores[0].syncOnce(with: StorePeer(store))
        stores.append(store)
      }
      let field = TextField("notes", "n1", "body")
      var known: [[ShownText]] = [[], [], []]
      for _ in 0..<120 {
        let number = Int.random(in: 0..<3, using: &random)
        let store = stores[number]
        if Int.random(in: 0..<5, using: &random) == 0 {
          let other = stores[(number + Int.random(in: 1...2, using: &random)) % 3]
          try await store.syncOnce(with: StorePeer(other))
        } else {
          let (place, length) = (
            Int.random(in: 0...1000, using: &random), Int.random(in: 0...2, using: &random)
          )
          try await edit(store) { text in
            let start = place % (text.count + 1)
            try text.replace(start..<min(text.count, start + length), with: "a")
          }
        }
        let old = known[number].randomElement(using: &random)
        let news = try await store.core.reads.asynchronously {
          try TextNews($0.view, field, since: old)
        }
        let text = try #require(news.text)
        if let old {
          let script = try #require(news.edits, "seed \(seed)")
          #expect(script.applied(to: old.text) == text.text)
        }
        known[number].append(text)
      }
      try await place.close(stores)
    }
  }
}
