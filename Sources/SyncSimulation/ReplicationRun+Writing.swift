internal import EventCore
internal import LogEngine
internal import ReferenceModel
internal import Simulation

/// What stores write.
extension ReplicationRun {
  /// - Parameter names: collections to define; else something at random.
  func write(_ machine: Machine, defining names: [String] = []) throws {
    guard let store = machine.store else { return try start(machine) }
    if let cloned = machine.cloned, cloned.identity == store.replica,
      store.log.vector[cloned.identity] == cloned.through
    {
      // Nothing tells it that it is a copy: who copied it does.
      do { try store.renewByHand() } catch {
        tell(machine, "renews its identity ✗ \(error)")
        try explain(error, machine)
        return try settle(machine)
      }
      tell(machine, "renews its identity: \(store.replica.description.prefix(6))")
      machine.identities.insert(store.replica)
    }
    var drafts = names.map { name in
      StoreProcess.Draft(
        body: .present(Body(operations: [operations.define(name)]).encoded()))
    }
    while drafts.isEmpty || random.chance(30) { drafts.append(draft()) }
    do {
      let last = try store.write(drafts) { first, events in
        truth.attempt(first, events)
        machine.identities.insert(first.origin)
      }
      tell(machine, "writes \(drafts.count) up to \(Self.short(last))")
      guard store.log.vector[last.origin] >= last.sequence else {
        throw ReplicationViolation(.kept, "\(last) was acknowledged, and is not durable")
      }
    } catch {
      tell(machine, "writes ✗ \(error)")
      try explain(error, machine)
    }
    try settle(machine)
  }

  static func short(_ event: EventID) -> String {
    "\(event.origin.description.prefix(6)):\(event.sequence)"
  }

  private func draft() -> StoreProcess.Draft {
    var written = operations.transaction()
    guard random.chance(6) else {
      return .init(body: .present(Body(operations: written).encoded()))
    }
    // As a later version writes.
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
