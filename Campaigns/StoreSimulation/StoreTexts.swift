import Daybook
import DaybookEventCore
import DaybookLocks
import DaybookReferenceModel
import DaybookSimulation

/// What writers type in a few pages, through the public API of a store.
final class StoreTexts: Sendable {
  static let ids = ["p1", "p1", "p1", "p2"]
  static let field = "text"

  private let ledger = Mutex(TextLedger())

  static func collection(isLocal: Bool) -> String { isLocal ? "scraps" : "pages" }

  /// What was typed so far.
  var typed: TextLedger { ledger.withLock { $0 } }

  /// Changes a page, or makes it.
  ///
  /// A store may run a transaction's closure again. What it did last counts.
  func type(_ tx: WriteTransaction, _ collection: String, label: String, _ noise: UInt64) throws {
    var random = SplitMix64(seed: noise &+ 7)
    guard random.chance(60) else { return }
    ledger.withLock { $0.begin(label) }
    let definition = Definition(collection, [.text(Self.field).merging().searchable()])
    try tx.define(collection == "scraps" ? definition.local() : definition)
    for _ in 0..<random.pick([1, 1, 2, 3]) {
      let id = random.pick(Self.ids)
      guard let page = try tx.fetch(collection, id) else {
        try make(tx, collection, id, &random)
        continue
      }
      switch random.pick(0...99) {
      case 0..<4:
        try tx.delete(collection, id)
        // Or the next one restores it.
        if random.chance(50) { try tx.insert(collection, id, [Self.field: text(&random)]) }
      case 4..<7: try tx.delete(collection, id)
      default: try edit(tx, collection, id, page, label, &random)
      }
    }
  }

  private func make(
    _ tx: WriteTransaction, _ collection: String, _ id: String, _ random: inout SplitMix64
  ) throws {
    if random.chance(50), (try? tx.restore(collection, id)) != nil { return }
    // A page without a text begins with its first insert.
    try tx.insert(collection, id, random.chance(40) ? [:] : [Self.field: text(&random)])
  }

  private func text(_ random: inout SplitMix64) -> Value {
    let count = random.pick(1...8)
    return .text(String(String.UnicodeScalarView(ledger.withLock { $0.scalars(count) })))
  }

  private func edit(
    _ tx: WriteTransaction, _ collection: String, _ id: String, _ page: StoredEntity,
    _ label: String, _ random: inout SplitMix64
  ) throws {
    var before = ""
    if case .text(let shown) = page[Self.field] { before = shown }
    let scalars = Array(before.unicodeScalars)
    let (draws, text) = (random, before)
    let steps = ledger.withLock { ledger in
      var random = draws
      ledger.note(label, id, text)
      return ledger.steps(for: scalars, &random)
    }
    _ = random.next()
    let after = String(String.UnicodeScalarView(TextLedger.apply(steps, to: scalars)))
    guard random.chance(75) else {
      return try tx.update(collection, id, [Self.field: .text(after)])
    }
    let countsUTF16 = random.chance(50)
    try tx.edit(collection, id, Self.field) { text in
      // From the end, so that the places are those of the text before.
      try Self.apply(steps, to: &text, countsUTF16: countsUTF16)
      guard text.text.isSame(as: after) else {
        throw Violation(.typed, "\(steps) of “\(before)” is “\(text.text)”, not “\(after)”")
      }
    }
  }

  private static func apply(
    _ steps: [ReferenceText.Step], to text: inout EditableText, countsUTF16: Bool
  ) throws {
    var at = 0
    for step in steps {
      func units(_ count: Int) -> Int {
        guard countsUTF16 else { return count }
        return text.text.unicodeScalars.prefix(count).reduce(0) { $0 + UTF16.width($1) }
      }
      switch step {
      case .retain(let count): at += count
      case .insert(let scalars):
        let piece = String(String.UnicodeScalarView(scalars))
        if countsUTF16 {
          try text.insert(piece, atUTF16: units(at))
        } else {
          try text.insert(piece, at: at)
        }
        at += scalars.count
      case .delete(let count):
        if countsUTF16 {
          try text.delete(utf16: units(at)..<units(at + count))
        } else {
          try text.delete(at..<at + count)
        }
      }
    }
  }
}

/// A store's events, with no operations but those on pages.
final class StoreEvents: Sendable {
  private let events = Mutex<[ReplicaID: [EncodedEvent]]>([:])

  var all: [ReplicaID: [EncodedEvent]] { events.withLock { $0 } }

  func append(_ logged: LoggedEvent) {
    var body = logged.event.body ?? Body(operations: [])
    body.operations = body.operations.map { operation in
      switch operation {
      case .define, .drop, .stamp, .identity, .edit: operation
      case .insert(let collection, _, _), .update(let collection, _, _),
        .delete(let collection, _), .restore(let collection, _), .erase(let collection, _):
        collection == "pages" || collection == "scraps"
          ? operation : .delete(collection: "others", id: "x")
      case .undo(let undo):
        undo.collection == "pages" || undo.collection == "scraps"
          ? operation : .delete(collection: "others", id: "x")
      case .unknown: operation
      }
    }
    var envelope = logged.event.envelope
    envelope.bodyCodec = .plain
    let event = EncodedEvent(envelope, body)
    events.withLock { $0[logged.id.origin, default: []].append(event) }
  }
}
