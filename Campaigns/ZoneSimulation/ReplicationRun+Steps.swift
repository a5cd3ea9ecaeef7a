import DaybookEngine
import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookPeers
import DaybookReplication
import DaybookSimulation

/// The steps of a run.
extension ReplicationRun {
  var stores: [Machine] { machines.filter { $0.role == .store } }

  func step() throws {
    statistics.steps += 1
    now += Int64(random.pick([0, 1, 10, 1000, 5000]))
    for machine in machines { machine.clock.advance(to: now) }
    try planFault()
    if folder != nil, random.chance(isFolderOnly ? 60 : 35) {
      try stepFolder()
      if let broken { throw broken }
      return
    }
    if isHostile, random.chance(15) {
      try stepHostile()
      if let broken { throw broken }
      return
    }
    switch random.below(100) {
    case 0..<22:
      let machine = random.pick(stores)
      if random.chance(70) || machine.process == nil {
        try write(machine)
      } else {
        try sign(machine)
      }
    case 22..<34: try beginSession()
    case 34..<74: try deliver()
    case 74..<82: try advance()
    case 82..<84: random.pick(machines).clock.jump(&random)
    case 84..<87: cut()
    case 87..<95: try restartSomething()
    default: try disaster()
    }
    if let broken { throw broken }
  }

  private func planFault() throws {
    guard random.below(12) == 0 else { return }
    let machine = random.pick(machines)
    guard machine.plan == nil else { return }
    plan(FaultPlan.random(temper, &random), machine)
  }

  func plan(_ plan: FaultPlan, _ machine: Machine) {
    machine.plan = plan
    machine.mayFail = true
    machine.mayBePoisoned = true
    plan.inject(into: machine.disk)
    tell(machine, "planned: \(plan)")
  }

  private func cut() {
    guard machines.count > 1 else { return }
    let (a, b) = (random.below(machines.count), random.below(machines.count))
    guard a != b else { return }
    network.toggle(from: a, to: b)
    if random.chance(50) { network.toggle(from: b, to: a) }
    tell(nil, "the link from \(machines[a].name) to \(machines[b].name) is cut, or mended")
  }

  // MARK: - Crashes

  private func restartSomething() throws {
    if let down = machines.filter({ $0.process == nil }).randomElement(using: &random) {
      if down.plan != nil, random.chance(50) { down.heal() }
      return try start(down)
    }
    let machine = random.pick(machines)
    if random.chance(30) { return crash(machine, losesPower: random.chance(50)) }
    if machine.plan != nil {
      machine.heal()
      tell(machine, "its disk works again")
    }
  }

  /// Ends a machine's process.
  ///
  /// - Parameter losesPower: Whether the power fails; otherwise the process dies and its writes
  ///   stay.
  func crash(_ machine: Machine, losesPower: Bool) {
    tell(machine, losesPower ? "loses power" : "dies")
    statistics.crashes += 1
    statistics.failures += machine.disk.failures
    machine.die()
    if losesPower {
      machine.disk.loseAndRestorePower()
      // A read model may lose its latest commits, which the log holds, or all of them.
      if random.chance(50) { machine.readModel = nil }
    } else {
      machine.disk.killProcess()
    }
    machine.heal()
    sessions.removeAll { $0.from == machine.number }
  }

  /// Checks a machine after it has done something, and ends its process if its disk has failed.
  func checkAfterStep(_ machine: Machine) throws {
    if machine.disk.isOff {
      if case .death = machine.plan {
        machine.disk.revive()
        return crash(machine, losesPower: false)
      }
      return crash(machine, losesPower: true)
    }
    guard let process = machine.process else { return }
    machine.identities.formUnion([process.replica, process.replica.privateOrigin])
    try machine.disk.observing { try compare(machine, process) }
  }

  /// Checks that the machine's disk explains `error`, and crashes the process of a poisoned log.
  ///
  /// - Throws: ``ReplicationViolation`` if it does not.
  func explain(_ error: any Error, _ machine: Machine) throws {
    if let violation = error as? ReplicationViolation { throw violation }
    if machine.disk.isOff { return }
    let (isPoisoned, isOfDisk) =
      switch error {
      case let error as LogError:
        (error.code == .poisoned, [.ioFailed, .noSpace].contains(error.code))
      case let error as StoreError:
        (error.code == .poisoned, [.ioFailed, .noSpace].contains(error.code))
      default: (false, false)
      }
    if isPoisoned, machine.mayBePoisoned { return crash(machine, losesPower: false) }
    if isOfDisk, machine.mayFail { return }
    throw ReplicationViolation(.explained, "\(machine.name): \(error)")
  }

  // MARK: - Disasters

  private func disaster() throws {
    switch random.below(8) {
    case 0..<2: try loseHub()
    case 2..<4: try backUp()
    case 4: try restore()
    case 5: try clone()
    case 6:
      let machine = random.pick(stores)
      guard machine.process != nil else { return }
      crash(machine, losesPower: false)
      machine.readModel = nil
      tell(machine, "its read model is thrown away")
    default: crash(random.pick(machines), losesPower: true)
    }
  }

  /// Replaces the hub's disk by an empty one or by an old backup.
  private func loseHub() throws {
    guard let hubNumber else { return }
    let hub = machines[hubNumber]
    statistics.hubsLost += 1
    statistics.calls += hub.disk.calls
    hub.die()
    if let backup = hub.backups.randomElement(using: &random), random.chance(60) {
      hub.replaceDisk(backup.copy(seed: random.next()))
      tell(hub, "is restored from a backup")
    } else {
      hub.replaceDisk(SimulatedDisk(seed: random.next()))
      tell(hub, "has lost its disk")
    }
    if showsCalls { hub.disk.startJournal() }
    try start(hub)
  }

  private func backUp() throws {
    let machine = random.chance(40) ? machines[hubNumber ?? 0] : random.pick(machines)
    guard let process = machine.process, !machine.mayFail, !machine.disk.isOff else { return }
    if let store = process as? SimulatedStore { try store.signHead() }
    let copy = machine.disk.copy(seed: random.next())
    IdentityOnDisk.removeKey(from: copy)
    machine.backups.append(copy)
    tell(machine, "is backed up")
  }

  /// Replaces a store's disk by a backup without the key, so that it becomes another replica.
  private func restore() throws {
    let machine = random.pick(stores)
    guard let backup = machine.backups.last, machine.number > 0 else { return }
    statistics.restores += 1
    statistics.calls += machine.disk.calls
    machine.die()
    sessions.removeAll { $0.from == machine.number }
    machine.replaceDisk(backup.copy(seed: random.next()))
    if showsCalls { machine.disk.startJournal() }
    tell(machine, "is restored from a backup")
    try start(machine)
  }

  /// Copies a store's disk with its key; both copies go on.
  ///
  /// The copy takes a new identity before it writes. It does so by itself if it has met its own
  /// later events, else by hand.
  private func clone() throws {
    let machine = random.pick(stores)
    guard stores.count < 7, let store = machine.store, machine.cloned == nil, !machine.disk.isOff
    else { return }
    let origin = store.replica
    guard store.log.vector[origin] > 0 else { return }
    statistics.clones += 1
    let copy = addMachine(.store, disk: machine.disk.copy(seed: random.next()))
    copy.cloned = (origin, store.log.vector[origin])
    tell(machine, "is cloned: \(copy.name)")
    try start(copy)
    let last = EventID(origin, store.log.vector[origin])
    if random.chance(50) { try meet(machine, copy, after: last) }
  }

  /// Lets a clone's original write, and hands the clone what it wrote.
  ///
  /// The clone must then take another identity, also if it dies or loses power meanwhile.
  private func meet(_ original: Machine, _ copy: Machine, after common: EventID) throws {
    guard original.plan == nil else { return }
    try write(original, isShared: true)
    guard let process = original.store, process.replica == common.origin, let clone = copy.store,
      let range = try process.range(
        of: common.origin, after: common.sequence, through: .max, hasGap: false)
    else { return }
    if random.chance(80) {
      let moment = SimulatedDisk.Moment.call(1 + random.below(30))
      plan(random.chance(50) ? .powerLoss(moment) : .death(moment), copy)
    }
    let request = SyncRequest(
      zone: zone, replica: process.replica, answerBytes: 0,
      report: .digest(try process.knowledge().digest), ranges: [range])
    do {
      if clone.zone == .none { try clone.adopt(zone) }
      _ = try clone.responder.respond(to: request, clone)
      tell(copy, "is handed \(Self.short(range)) of its original")
    } catch {
      tell(copy, "does not take \(Self.short(range)) of its original ✗ \(error)")
      try explain(error, copy)
    }
    try checkAfterStep(copy)
  }
}
