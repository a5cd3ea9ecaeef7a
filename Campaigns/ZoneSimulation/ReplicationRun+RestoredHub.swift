internal import EventCore
internal import LogEngine
internal import Replication
internal import Simulation

/// A hub's disk is put back to an earlier state with its key in it, as by a snapshot: it gives out its numbers a second
/// time, unless a store shows it first what it had written. Then it is put right.
extension ReplicationRun {
  /// - Returns: false if nothing was tried, as there is no hub, or nothing that it could forget.
  func restoreHubWithKey() throws -> Bool {
    guard let hubNumber, folder == nil, let hub = machines[hubNumber].hub else { return false }
    let machine = machines[hubNumber]
    let (replica, common) = (hub.replica, hub.log.vector[hub.replica])
    let saved = machine.disk.copy(seed: random.next())
    let stores = random.shuffled(stores)
    guard let away = stores.last, stores.count > 1, common > 0 else { return false }
    for store in stores.dropLast() where store.number == stores[0].number || random.chance(60) {
      try write(store, isShared: true)
      try sync(store, machine)
    }
    let knowing = stores.dropLast().filter { $0.held[replica]?.contiguous ?? 0 > common }
    guard machine.process === hub, hub.replica == replica, !knowing.isEmpty else { return false }
    statistics.hubsWithKeys += 1
    machine.die()
    machine.replaceDisk(saved)
    now += 5000
    for machine in machines { machine.clock.advance(to: now) }
    tell(machine, "is put back to its event \(common), with its key")
    if random.chance(40) {
      try start(machine)
      try meetItself(machine, replica, random.pick(knowing))
    } else {
      truth.putBack(replica, after: common)
      try start(machine)
      try forkHub(machine, replica, common, away, knowing)
    }
    try converge(machines)
    try checkSame(machines)
    return true
  }

  /// A store brings what the hub has forgotten, before that writes anything.
  private func meetItself(_ hub: Machine, _ replica: ReplicaID, _ knowing: Machine) throws {
    try sync(knowing, hub)
    guard hub.process?.replica != replica else {
      throw ReplicationViolation(
        .forks, "the hub has met its own later events, and goes on as \(replica)")
    }
  }

  /// The hub stamps before it meets anybody who knows better. What it has stamped then stands; who holds its other
  /// history gives that up, and nothing else.
  private func forkHub(
    _ hub: Machine, _ replica: ReplicaID, _ common: UInt64, _ away: Machine, _ knowing: [Machine]
  ) throws {
    try write(away, isShared: true)
    try sync(away, hub)
    guard hub.process?.replica == replica, hub.process?.log.vector[replica] ?? 0 > common else {
      throw ReplicationViolation(.forks, "the hub has stamped nothing as \(replica)")
    }
    for store in knowing {
      let held = store.process?.log.vector.shared
      if random.chance(50) { try write(store, isShared: true) }
      guard try giveUp(store, replica, with: .machine(hub), common) != nil else {
        throw ReplicationViolation(
          .forks, "\(store.name) keeps what does not stand of the hub \(replica)")
      }
      for (origin, sequence) in held?.entries ?? []
      where origin != replica && store.process?.log.vector[origin] ?? 0 < sequence {
        throw ReplicationViolation(
          .forks, "\(store.name) has given up events of \(origin) with those of the hub")
      }
    }
    _ = truth.settleFork(branchStands: false)
    digests = [:]
    for machine in machines { try settle(machine) }
  }
}
