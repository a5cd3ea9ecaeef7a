import EventCore
import Foundation
import Simulation
import Testing

@testable import Daybook
@testable import ReferenceModel

/// Undo in random histories of three replicas, against the reference model.
///
/// The model folds the events that count: those that are not taken back, and take nothing back.
@Suite(.timeLimit(.minutes(3))) struct UndoModelTests {
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
  ]

  /// An event as the log has it.
  private struct Known {
    var id: EventID
    var encoded: EncodedEvent
    var envelope: Envelope
    var body: Body?

    /// The events that it takes back.
    var undoes: Set<EventID> {
      Set(
        (body?.annotations[UndoPlan.annotation] ?? "").split(separator: ",")
          .compactMap { EventID(String($0)) })
    }

    /// The entities that it writes to, each with the fields.
    var touched: [(collection: String, id: String, fields: [String])] {
      (body?.operations ?? []).compactMap { operation in
        switch operation {
        case .insert(let collection, let id, let fields),
          .update(let collection, let id, let fields):
          (collection, id, Array(fields.keys))
        case .delete(let collection, let id), .restore(let collection, let id),
          .erase(let collection, let id):
          (collection, id, [])
        default: nil
        }
      }
    }
  }

  /// Returns all events of a store.
  private func known(_ store: Store) throws -> [Known] {
    var events: [Known] = []
    try store.log.refreshForReading()
    for (origin, last) in store.log.wholeVector.entries where last > 0 {
      try store.feed.forEachEvent(of: origin, in: 1...last) { sequence, view in
        let envelope = try Envelope(decoding: view.envelope)
        events.append(
          Known(
            id: EventID(origin, sequence), encoded: view.encoded, envelope: envelope,
            body: try? Body(decoding: view.body, codec: envelope.bodyCodec)))
      }
    }
    return events
  }

  /// Returns the events that count, if one more is taken back.
  private func active(_ events: [Known], without undone: Set<EventID> = []) -> Set<EventID> {
    var (inactive, active) = (undone, Set<EventID>())
    // The author of an event that takes another back had seen that one.
    for event in events.sorted(by: { $0.envelope.authored > $1.envelope.authored })
    where !inactive.contains(event.id) {
      if event.undoes.isEmpty { active.insert(event.id) } else { inactive.formUnion(event.undoes) }
    }
    return active
  }

  /// Returns the state that some of the events make.
  private func model(_ events: [Known], of counting: Set<EventID>) throws -> ReferenceModel {
    var byOrigin: [ReplicaID: [EncodedEvent]] = [:]
    for event in events.sorted(by: { $0.id.sequence < $1.id.sequence }) {
      let isCounting = counting.contains(event.id) || event.envelope.kind != .transaction
      byOrigin[event.id.origin, default: []].append(
        isCounting ? event.encoded : EncodedEvent(event.envelope, Body(operations: [])))
    }
    return ReferenceModel(byOrigin)
  }

  private func entity(_ model: ReferenceModel, _ collection: String, _ id: String)
    -> ReferenceEntity?
  {
    model.entities[ReferenceName(collection)]?[ReferenceName(id)]
  }

  /// Writes one random event; nil if the store has refused it.
  private func write(
    _ store: Store, _ actor: String, _ random: inout SplitMix64
  ) async throws -> EventID? {
    let note = "n\(Int.random(in: 0..<4, using: &random))"
    let folder = "f\(Int.random(in: 0..<3, using: &random))"
    let number = Int64(Int.random(in: 0..<1000, using: &random))
    let code = "c\(Int.random(in: 0..<4, using: &random))"
    let step = Int.random(in: 0..<14, using: &random)
    do {
      return try await store.write(actor: actor) { tx in
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
        return tx.isEmpty ? nil : tx.event
      }
    } catch let error as StoreError
      where [.noSuchEntity, .entityExists, .valueTaken].contains(error.code)
    {
      return nil
    }
  }

  /// What has come of the undos of one run.
  private struct Outcomes {
    var undone = 0
    var blocked = 0
    var refused = 0
  }

  /// Undoes a random event, and compares with the model.
  private func undo(
    _ store: Store, _ actor: String, _ random: inout SplitMix64, _ outcomes: inout Outcomes
  ) async throws {
    let before = try known(store)
    let candidates = before.filter { event in
      event.envelope.kind == .transaction && !event.touched.isEmpty
    }
    guard let event = candidates.randomElement(using: &random) else { return }
    let digest = try await store.digest()
    do {
      let undo = try await store.undo(event.id, actor: actor)
      guard undo != nil else {
        #expect(try await store.digest() == digest)
        return
      }
      outcomes.undone += 1
      let now = active(before)
      let then = active(before, without: [event.id])
      let changed = now.symmetricDifference(then)
      let wanted = try model(before, of: then)
      let after = try known(store)
      let shown = try model(after, of: Set(after.map(\.id)))
      for other in before where changed.contains(other.id) {
        for (collection, id, fields) in other.touched {
          let (shownEntity, should) = (
            entity(shown, collection, id), entity(wanted, collection, id)
          )
          #expect(
            shownEntity?.isLive ?? false == should?.isLive ?? false,
            "\(event.id): \(collection) \(id)")
          // The fields of an entity that is not live are not shown.
          for field in fields where should?.isLive ?? false {
            let name = ReferenceName(field)
            #expect(
              shownEntity?.fields[name]?.value ?? .null == should?.fields[name]?.value ?? .null,
              "\(event.id): \(collection) \(id) \(field)")
          }
          let stored = try await store.fetch(collection, id)
          #expect((stored != nil) == (should?.isLive ?? false))
        }
      }
    } catch let error as StoreError where error.code == .undoBlocked {
      outcomes.blocked += 1
      #expect(try await store.digest() == digest)
      if let blocking = error.blockingEvent {
        let later = try #require(before.first { $0.id == blocking })
        #expect(!later.touched.isEmpty && blocking != event.id)
      } else {
        // An erasure is for ever.
        #expect(error.message.contains("erased"))
      }
    } catch let error as StoreError where error.code == .valueTaken {
      outcomes.refused += 1
      #expect(try await store.digest() == digest)
    }
  }

  @Test(
    "three replicas that write, undo and sync: an undo restores every field, and all converge",
    arguments: 1...4)
  func threeReplicas(seed: UInt64) async throws {
    defer { place.remove() }
    var random = SplitMix64(seed: seed &* 1009)
    var stores: [Store] = []
    for name in ["a", "b", "c"] { stores.append(try await place.store(name)) }
    try await stores[0].write { tx in for one in Self.definitions { try tx.define(one) } }
    for store in stores[1...] { try await store.syncOnce(with: StorePeer(stores[0])) }
    var outcomes = Outcomes()
    for _ in 0..<120 {
      let store = stores[Int.random(in: 0..<3, using: &random)]
      let actor = ["ann", "bob", "cem"].randomElement(using: &random) ?? "ann"
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5: _ = try await write(store, actor, &random)
      case 5..<8: try await undo(store, actor, &random, &outcomes)
      default:
        let peer = stores[Int.random(in: 0..<3, using: &random)]
        if peer !== store { try await store.syncOnce(with: StorePeer(peer)) }
      }
    }
    #expect(outcomes.undone > 3 && outcomes.blocked > 3, "\(outcomes)")
    // Two replicas that have not heard of each other take back the same event.
    let event = try await stores[0].write(actor: "ann") { tx in
      try tx.put("notes", "both", ["title": "undone twice"])
      return tx.event
    }
    for round in 0..<2 {
      for (a, b) in [(0, 1), (1, 2), (2, 0), (0, 1), (1, 2)] {
        try await stores[a].syncOnce(with: StorePeer(stores[b]))
      }
      guard round == 0 else { break }
      for store in stores { #expect(try await store.undo(event) != nil) }
    }
    let digests = try await [stores[0].digest(), stores[1].digest(), stores[2].digest()]
    #expect(Set(digests).count == 1)
    #expect(try await stores[1].fetch("notes", "both") == nil)
    #expect(try await stores[2].conflicts(in: "notes", id: "both").all().isEmpty)
    for store in stores { try await store.close() }
  }
}
