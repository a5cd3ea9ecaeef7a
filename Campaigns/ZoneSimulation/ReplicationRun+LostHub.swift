import DaybookEngine
import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import DaybookSimulation

/// A store is cloned, the hub is lost, and the clone is the first that comes to the next hub.
///
/// The lost hub had stamped what the original wrote, so that this stands if the hubs' clocks are
/// right. The next hub learns of it only when the original comes, and must then give up what it has
/// taken from the clone.
extension ReplicationRun {
  /// - Returns: False if nothing was tried, because there is no hub or no store to be cloned.
  func loseHubOfFork() throws -> Bool {
    guard let hubNumber, folder == nil, machines[hubNumber].hub != nil else { return false }
    let hub = machines[hubNumber]
    guard let (original, copy, replica) = try fork() else { return false }
    statistics.lostHubForks += 1
    try sync(original, hub)
    for other in stores
    where other.number != original.number && other.number != copy.number && random.chance(50) {
      if random.chance(50) { try write(other, isShared: true) }
      try sync(other, hub)
    }

    hub.die()
    hub.replaceDisk(SimulatedDisk(seed: random.next()))
    now += 5000
    for machine in machines { machine.clock.advance(to: now) }
    try start(hub)
    hub.hub?.isSuccessor = true
    tell(hub, "has lost its disk")
    guard try sync(copy, hub).isEmpty else {
      throw ReplicationViolation(.forks, "a new hub refuses the first history that it is shown")
    }

    guard let branch = truth.branch else { return false }
    if copyStands(replica, branch) {
      // By a wrong clock, the successor's stamps are the earlier ones, or have the same time.
      tell(nil, "the stamps of the lost hub rank after those of the next one")
    } else {
      try settleWithLostStamps(hub, copy, replica, branch.common)
    }
    try putRight(original, copy, replica)
    try converge(machines)
    try checkSame(machines)
    return true
  }

  /// Lets a store that holds what the lost hub had stamped settle the fork with the next hub.
  private func settleWithLostStamps(
    _ hub: Machine, _ copy: Machine, _ replica: ReplicaID, _ common: UInt64
  ) throws {
    let knowing = try stores.filter { machine in
      try machine.number != copy.number && branchHeld(by: machine, replica) == false
    }
    let first = random.pick(knowing)
    guard try giveUp(first, replica, with: .machine(hub), common) == nil else {
      throw ReplicationViolation(
        .forks, "\(first.name) gives up what the lost hub had stamped of \(replica)")
    }
    guard try branchHeld(by: hub, replica) == false else {
      throw ReplicationViolation(
        .forks, "the hub keeps what the lost hub had not stamped of \(replica)")
    }
  }

  /// Takes a branch out of the hub's log, as `Zone` does. The log is written to another disk.
  func giveUp(_ machine: Machine, _ branch: Branch) throws {
    guard let hub = machine.hub,
      let file = try IdentityFile.find(IdentityOnDisk(storage: SimulatedStorage(machine.disk)))
    else { return }
    let next = SimulatedDisk(seed: random.next())
    let storage = SimulatedStorage(next)
    let log = try EventLog.open(
      storage: storage, lock: SimulatedLock(next), options: machine.options
    ).log
    _ = try LogWithoutBranch(hub.log.snapshot().whole, branch).write(
      to: log, as: nil, closing: nil, zone: file.zone)
    try file.write(IdentityOnDisk(storage: storage), key: hub.writer.identity)
    try log.close()
    machine.die()
    machine.replaceDisk(next)
    statistics.removals += 1
    try start(machine)
    machine.hub?.isSuccessor = true
    tell(machine, "has given up \(branch.origin.description.prefix(6)) from \(branch.from)")
  }
}
