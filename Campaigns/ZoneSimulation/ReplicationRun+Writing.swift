internal import EventCore
internal import LogEngine
internal import ReferenceModel
internal import Simulation

/// The writes of stores.
extension ReplicationRun {
  /// Writes some transactions in a store, or starts its machine if it is down.
  ///
  /// - Parameters:
  ///   - names: The collections to define; if empty, random transactions are written.
  ///   - isShared: Whether to write to shared collections, not only to local ones.
  func write(_ machine: Machine, defining names: [String] = [], isShared: Bool = false) throws {
    guard let store = machine.store else { return try start(machine) }
    if let cloned = machine.cloned, cloned.identity == store.replica,
      store.log.vector[cloned.identity] == cloned.through
    {
      // The store cannot know that it is a copy, so its identity is renewed by hand.
      do { try store.renewByHand() } catch {
        tell(machine, "renews its identity ✗ \(error)")
        try explain(error, machine)
        return try settle(machine)
      }
      tell(machine, "renews its identity: \(store.replica.description.prefix(6))")
      machine.identities.insert(store.replica)
    }
    var drafts = names.map { name in
      SimulatedStore.Draft(
        body: .present(Body(operations: [operations.define(name)]).encoded()))
    }
    let local = drafts.isEmpty && random.chance(20) ? localDrafts() : []
    while drafts.isEmpty && (isShared || local.isEmpty || random.chance(50)) || random.chance(30) {
      drafts.append(draft())
    }
    do {
      let isTyping = names.isEmpty ? drafts.isEmpty || random.chance(45) : true
      let last = try store.write(drafts, local: local) { projector, first in
        isTyping ? try type(projector, first) : []
      } attempt: { first, events in
        truth.attempt(first, events)
        noteBases(first, events)
        machine.identities.insert(first.origin)
        if first.origin.isPrivate {
          machine.wroteLocally(through: first.sequence + UInt64(events.count) - 1, of: first.origin)
        }
      }
      statistics.local += local.count
      tell(
        machine,
        "writes \(drafts.count)\(local.isEmpty ? "" : ", \(local.count) local,") up to "
          + last.map(Self.short).joined(separator: " and "))
      for event in last where store.log.wholeVector[event.origin] < event.sequence {
        throw ReplicationViolation(.kept, "\(event) was acknowledged, and is not durable")
      }
    } catch {
      tell(machine, "writes ✗ \(error)")
      try explain(error, machine)
    }
    try settle(machine)
  }

  /// Returns transactions on local collections, whose names are also those of shared ones.
  private func localDrafts() -> [SimulatedStore.Draft] {
    (0..<random.pick(1...2)).map { _ in
      var written = operations.transaction()
      if random.chance(30) {
        written.insert(operations.define(random.pick(["notes", "own"])), at: 0)
      }
      if random.chance(30) { written += localEdits.edits(&random) }
      return .init(body: .present(Body(operations: written).encoded()))
    }
  }

  /// Notes what events assign, so that later edits may begin with it.
  func noteBases(_ first: EventID, _ events: [EncodedEvent]) {
    for (offset, event) in events.enumerated() {
      guard case .present(let bytes) = event.body,
        let envelope = event.envelope.withUnsafeBytes({ try? Envelope(decoding: $0) }),
        let body = bytes.withUnsafeBytes({ try? Body(decoding: $0, codec: envelope.bodyCodec) })
      else { continue }
      let id = EventID(first.origin, first.sequence + UInt64(offset))
      // Texts of pages change only in ways that the ledger knows.
      let operations = body.operations.map { operation -> Operation in
        switch operation {
        case .insert(Self.pages, _, _), .update(Self.pages, _, _):
          .delete(collection: Self.pages, id: "")
        default: operation
        }
      }
      if first.origin.isPrivate {
        localEdits.note(operations, id)
      } else {
        edits.note(operations, id)
      }
    }
  }

  static func short(_ event: EventID) -> String {
    "\(event.origin.description.prefix(6)):\(event.sequence)"
  }

  private func draft() -> SimulatedStore.Draft {
    var written = operations.transaction()
    if random.chance(30) { written += edits.edits(&random) }
    guard random.chance(6) else {
      return .init(body: .present(Body(operations: written).encoded()))
    }
    // As a later version might write.
    switch random.below(5) {
    case 0:
      return .init(
        kind: .unknown(UInt64(random.pick(4...300))),
        body: .present(Body(operations: written).encoded()))
    case 1:
      return .init(codec: .unknown(2), body: .present(random.bytes(random.pick(0...60))))
    case 2:
      written.append(
        .unknown(kind: UInt64(random.pick(10...500)), payload: random.bytes(random.pick(0...9))))
      return .init(body: .present(Body(operations: written).encoded()))
    case 3:
      return .init(
        body: .present(Body(operations: written).encoded()), isOfLaterVersion: true)
    default:
      return .init(
        codec: .salted,
        body: .present(Body(operations: written).encoded(salt: random.bytes(16))))
    }
  }

  func sign(_ machine: Machine) throws {
    guard let store = machine.store else { return }
    do { try store.signHead() } catch {
      tell(machine, "signs ✗ \(error)")
      try explain(error, machine)
    }
    try settle(machine)
  }
}
