import DaybookEventCore
import DaybookLogEngine
import DaybookPeers
import DaybookReplication
import DaybookSimulation

/// A hub whose disk is restored to an earlier state with its key, as from a snapshot.
///
/// It assigns its sequence numbers a second time, unless a store first shows it what it had
/// written. Then the fork is settled.
extension ReplicationRun {
  /// Restores the hub's disk with its key, and checks that all replicas converge.
  ///
  /// - Returns: False if nothing was tried, because there is no hub or no event that it could
  ///   forget.
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

  /// Lets a store bring the hub's forgotten events before the hub writes; it must take a new
  /// identity.
  private func meetItself(_ hub: Machine, _ replica: ReplicaID, _ knowing: Machine) throws {
    try sync(knowing, hub)
    guard hub.process?.replica != replica else {
      throw ReplicationViolation(
        .forks, "the hub has met its own later events, and goes on as \(replica)")
    }
  }

  /// Lets the hub write stamps before it meets a store that holds its forgotten events.
  ///
  /// The new stamps then win. A store that holds the hub's other history gives up that history, and
  /// nothing else.
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
    for machine in machines { try checkAfterStep(machine) }
  }
}
