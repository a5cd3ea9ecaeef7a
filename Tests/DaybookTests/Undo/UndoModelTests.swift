import DaybookEventCore
import DaybookLogEngine
import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine
@testable import DaybookReferenceModel

/// Undo and redo in random histories of three replicas, against what the other events alone make.
///
/// Fields are compared with the reference model of the events that are left. Each scalar that is
/// typed is another one, so of a text it is known which scalars are left, without any merge.
@Suite(.timeLimit(.minutes(10))) struct UndoModelTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private static let definitions = [
    Definition("folders", [.text("name").unique()]),
    Definition(
      "notes",
      [
        .text("title"), .integer("count"), .text("code").unique(),
        .text("folder").references("folders").onDelete(.cascade),
        .text("last").references("folders").onDelete(.nullify),
      ]),
    Definition("pages", [.text("body").merging()]),
  ]

  /// An event as the log has it.
  private struct Known {
    var id: EventID
    var envelope: Envelope
    var encoded: EncodedEvent
    var body: Body?
  }

  /// An event and an entity: whether the one counts for the other is a register.
  private struct Register: Hashable {
    var event: EventID
    var collection: String
    var id: String
  }

  /// What an edit has done to a text.
  private struct Typing {
    var page: String
    var inserted: Set<Unicode.Scalar> = []
    var deleted: Set<Unicode.Scalar> = []
  }

  /// A run of one test.
  private struct Run {
    var stores: [Store] = []
    var random: SplitMix64
    var typing: [EventID: Typing] = [:]
    var nextScalar: UInt32 = 0
    var undone = 0
    var redone = 0
    var blocked = 0
    var refused = 0
  }

  /// Returns all events of a store.
  private func known(_ store: Store) throws -> [Known] {
    var events: [Known] = []
    try store.core.log.refreshForReading()
    for (origin, last) in store.core.log.wholeVector.entries where last > 0 {
      try store.core.feed.forEachEvent(of: origin, in: 1...last) { sequence, view in
        let envelope = try Envelope(decoding: view.envelope)
        events.append(
          Known(
            id: EventID(origin, sequence), envelope: envelope, encoded: view.encoded,
            body: try? Body(decoding: view.body, codec: envelope.bodyCodec)))
      }
    }
    return events
  }

  /// Returns the registers that say *undone*: for each, the strongest undo decides.
  private func undone(_ events: [Known]) -> Set<Register> {
    var deciding: [Register: (strength: (UInt64, HybridTime, EventID, Int), isUndone: Bool)] = [:]
    for event in events {
      for (index, operation) in (event.body?.operations ?? []).enumerated() {
        guard case .undo(let undo) = operation else { continue }
        let strength = (undo.turn, event.envelope.authored, event.id, index)
        for other in events where undo.events.contains(where: { $0.contains(other.id) }) {
          let register = Register(event: other.id, collection: undo.collection, id: undo.id)
          if deciding[register].map({ $0.strength < strength }) ?? true {
            deciding[register] = (strength, undo.isUndone)
          }
        }
      }
    }
    return Set(deciding.filter(\.value.isUndone).keys)
  }

  /// Returns the state that the events make which are left, without the texts.
  private func model(_ events: [Known], without undone: Set<Register>) -> ReferenceModel {
    var byOrigin: [ReplicaID: [EncodedEvent]] = [:]
    for event in events.sorted(by: { $0.id.sequence < $1.id.sequence }) {
      var encoded = event.encoded
      if event.envelope.kind == .transaction, var body = event.body {
        body.operations = body.operations.map { operation in
          guard let (collection, id) = operation.entity else { return operation }
          let register = Register(event: event.id, collection: collection, id: id)
          var isLeft = !undone.contains(register)
          if case .undo = operation { isLeft = false }
          if case .erase = operation { isLeft = true }
          // The others keep their numbers.
          return isLeft ? operation : .unknown(kind: 99, payload: [])
        }
        encoded = EncodedEvent(event.envelope, body)
      }
      byOrigin[event.id.origin, default: []].append(encoded)
    }
    return ReferenceModel(byOrigin)
  }

  /// Compares a store with what its events make that are left.
  private func check(_ store: Store, _ run: Run) async throws {
    let events = try known(store)
    let undone = undone(events)
    let model = model(events, without: undone)
    for collection in ["folders", "notes", "pages"] {
      for (name, entity) in model.entities[ReferenceName(collection)] ?? [:] {
        let stored = try await store.fetch(collection, name.text)
        #expect((stored != nil) == entity.isLive, "\(collection) \(name.text)")
        guard let stored, collection != "pages" else { continue }
        for (field, write) in entity.fields {
          #expect(
            stored[field.text] == write.value, "\(collection) \(name.text) \(field.text)")
        }
      }
    }
    for page in ["p0", "p1"] {
      guard case .text(let text)? = try await store.fetch("pages", page)?["body"] else { continue }
      var expected: Set<Unicode.Scalar> = []
      var deleted: Set<Unicode.Scalar> = []
      for event in events {
        let register = Register(event: event.id, collection: "pages", id: page)
        guard let typing = run.typing[event.id], typing.page == page,
          !undone.contains(register)
        else { continue }
        expected.formUnion(typing.inserted)
        deleted.formUnion(typing.deleted)
      }
      let shown = Array(text.unicodeScalars)
      #expect(Set(shown).count == shown.count)
      #expect(Set(shown) == expected.subtracting(deleted))
    }
  }

  /// Writes one random event; does nothing if the store refuses it.
  private func write(_ store: Store, _ actor: String, _ run: inout Run) async throws {
    let note = "n\(Int.random(in: 0..<4, using: &run.random))"
    let folder = "f\(Int.random(in: 0..<3, using: &run.random))"
    let number = Int64(Int.random(in: 0..<1000, using: &run.random))
    let code = "c\(Int.random(in: 0..<4, using: &run.random))"
    let step = Int.random(in: 0..<14, using: &run.random)
    do {
      try await store.write(actor: actor) { tx in
        switch step {
        case 0, 1:
          try tx.put("folders", folder, ["name": .text("\(folder)-\(number % 3)")])
          try tx.put("notes", note, ["folder": .text(folder), "title": .text("\(number)")])
        case 2: try tx.insert("notes", note, ["title": .text("\(number)"), "code": .text(code)])
        case 3: try tx.delete("notes", note)
        case 4: try tx.delete("folders", folder)
        case 5: try tx.restore("notes", note)
        case 6: try tx.restore("folders", folder)
        case 7 where number < 150: try tx.erase("notes", note)
        case 8: try tx.update("notes", note, ["code": .text(code)])
        case 9: try tx.put("notes", note, ["last": .text(folder), "count": .integer(number)])
        case 10: try tx.put("notes", note, ["folder": .null, "count": .null])
        default:
          try tx.put("notes", note, ["title": .text("t\(number)"), "count": .integer(number)])
        }
      }
    } catch let error as StoreError
      where [.noSuchEntity, .entityExists, .valueTaken].contains(error.code)
    {}
  }

  /// Types into a page, or deletes from it.
  private func type(_ store: Store, _ actor: String, _ run: inout Run) async throws {
    let page = "p\(Int.random(in: 0..<2, using: &run.random))"
    guard let entity = try await store.fetch("pages", page) else { return }
    var shown: [Unicode.Scalar] = []
    if case .text(let text) = entity["body"] { shown = Array(text.unicodeScalars) }
    var typing = Typing(page: page)
    let at = Int.random(in: 0...shown.count, using: &run.random)
    let isDeletion = at < shown.count && Int.random(in: 0..<3, using: &run.random) == 0
    var inserted: [Unicode.Scalar] = []
    var end = at
    if isDeletion {
      end = Int.random(in: at + 1...min(shown.count, at + 4), using: &run.random)
      typing.deleted = Set(shown[at..<end])
    } else {
      for _ in 0..<Int.random(in: 1...3, using: &run.random) {
        inserted += [TextLedger.scalar(run.nextScalar)].compactMap(\.self)
        run.nextScalar += 1
      }
      typing.inserted = Set(inserted)
    }
    let (range, text) = (at..<end, String(String.UnicodeScalarView(inserted)))
    let event = try await store.write(actor: actor) { tx in
      try tx.edit("pages", page, "body") { try $0.replace(range, with: text) }
      return tx.event
    }
    run.typing[event] = typing
  }

  /// Undoes or redoes a random event.
  private func turn(_ store: Store, _ actor: String, _ run: inout Run) async throws {
    let events = try known(store)
    let candidates = events.filter { event in
      event.envelope.kind == .transaction
        && (event.body?.operations.contains { $0.entity != nil } ?? false)
    }
    // Mostly what somebody wrote last, as users do.
    let recent = candidates.sorted { $0.envelope.authored < $1.envelope.authored }.suffix(6)
    let isRecent = Bool.random(using: &run.random)
    guard
      let event = isRecent
        ? recent.randomElement(using: &run.random) : candidates.randomElement(using: &run.random)
    else { return }
    let digest = try await store.digest()
    let taken = Set(undone(events).map(\.event)).sorted()
    do {
      if let other = taken.randomElement(using: &run.random),
        Int.random(in: 0..<3, using: &run.random) == 0
      {
        if try await store.redo(other, actor: actor) != nil { run.redone += 1 }
      } else if try await store.undo(event.id, actor: actor) != nil {
        run.undone += 1
      } else {
        #expect(try await store.digest() == digest)
      }
    } catch let error as StoreError where error.code == .undoBlocked {
      run.blocked += 1
      #expect(try await store.digest() == digest)
    } catch let error as StoreError where error.code == .valueTaken {
      run.refused += 1
      #expect(try await store.digest() == digest)
    }
  }

  @Test(
    "three replicas that write, undo, redo and sync show what the events that are left make",
    arguments: 1...8)
  func threeReplicas(seed: UInt64) async throws {
    defer { place.remove() }
    var run = Run(random: SplitMix64(seed: seed &* 1009))
    for name in ["a", "b", "c"] { run.stores.append(try await place.store(name)) }
    try await run.stores[0].write { tx in for one in Self.definitions { try tx.define(one) } }
    for page in ["p0", "p1"] {
      let event = try await run.stores[0].write { tx in
        try tx.insert("pages", page, [:])
        return tx.event
      }
      run.typing[event] = Typing(page: page)
    }
    for store in run.stores[1...] { try await store.syncOnce(with: StorePeer(run.stores[0])) }
    for step in 0..<160 {
      let store = run.stores[Int.random(in: 0..<3, using: &run.random)]
      let actor = ["ann", "bob", "cem"].randomElement(using: &run.random) ?? "ann"
      switch Int.random(in: 0..<10, using: &run.random) {
      case 0..<2: try await write(store, actor, &run)
      case 2..<5: try await type(store, actor, &run)
      case 5..<8: try await turn(store, actor, &run)
      default:
        let peer = run.stores[Int.random(in: 0..<3, using: &run.random)]
        if peer !== store { try await store.syncOnce(with: StorePeer(peer)) }
      }
      if step % 4 == 3 { try await check(store, run) }
    }
    #expect(run.undone > 10 && run.redone > 2, "\(run)")
    for (a, b) in [(0, 1), (1, 2), (2, 0), (0, 1), (1, 2)] {
      try await run.stores[a].syncOnce(with: StorePeer(run.stores[b]))
    }
    let digests = try await [
      run.stores[0].digest(), run.stores[1].digest(), run.stores[2].digest(),
    ]
    #expect(Set(digests).count == 1)
    for store in run.stores { try await check(store, run) }
    try await run.stores[0].rebuild()
    #expect(try await run.stores[0].digest() == digests[0])
    try await check(run.stores[0], run)
    try await place.close(run.stores)
  }

  @Test("two replicas that have not heard of each other undo the same event; a redo counts")
  func apart() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in for one in Self.definitions { try tx.define(one) } }
    let event = try await a.write(actor: "ann") { tx in
      try tx.insert("pages", "p0", ["body": "text"])
      try tx.put("notes", "both", ["title": "undone twice"])
      return tx.event
    }
    try await a.syncOnce(with: StorePeer(b))
    #expect(try await a.undo(event) != nil)
    #expect(try await b.undo(event) != nil)
    try await a.syncOnce(with: StorePeer(b))
    for store in [a, b] {
      #expect(try await store.fetch("notes", "both") == nil)
      #expect(try await store.conflicts(in: "notes", id: "both").all().isEmpty)
    }
    try await a.redo(event)
    try await b.syncOnce(with: StorePeer(a))
    for store in [a, b] {
      #expect(try await store.fetch("notes", "both")?["title"] == "undone twice")
      #expect(try await store.fetch("pages", "p0")?["body"] == "text")
    }
    #expect(try await a.digest() == (try await b.digest()))
    try await place.close([a, b])
  }
}
