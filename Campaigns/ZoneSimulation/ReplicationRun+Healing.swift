import DaybookEngine
import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
import DaybookPeers
import DaybookReferenceModel
import DaybookReplication
import DaybookSimulation

/// The calm phase: everything works again, and all replicas must converge.
extension ReplicationRun {
  func heal() throws {
    isCalm = true
    tell(nil, "everything behaves from now on")
    network.mend()
    sessions = []
    for machine in machines {
      machine.heal()
      if machine.process != nil { install(machine) }
      if machine.isPoisoned { crash(machine, losesPower: false) }
      try start(machine)
      guard machine.process != nil else {
        throw ReplicationViolation(
          .explained, "\(machine.name) does not start on a disk that works")
      }
    }
    if folder != nil {
      // Let enough time pass: stores that have long not written to the folder are not waited for,
      // and incomplete files count as such.
      now += 3 * 86_400_000
      for machine in machines {
        machine.clock.mend()
        machine.clock.advance(to: now)
      }
    }
    try converge(machines)
    try checkSame(machines)
  }

  /// Syncs every store once per round until all replicas hold the same.
  ///
  /// - With a hub, or one store in the middle, the first round brings everything to the middle.
  ///   Events beyond a gap that another store fills take the second round. The last round brings
  ///   all events to all stores.
  /// - In a ring, each round takes every event one store further.
  /// - A folder is a middle that receives only what a store reads and finds missing. A damaged file
  ///   that must be deleted first takes a further round. So does each damaged copy of it: a store
  ///   that syncs learns of one at a time.
  ///
  /// - Throws: ``ReplicationViolation`` if they do not converge within that number of rounds.
  func converge(_ machines: [Machine]) throws {
    let stores = random.shuffled(machines.filter { $0.role == .store })
    let isRing = folder == nil && hubNumber == nil && random.chance(50)
    var bound = isRing ? stores.count + 1 : folder == nil ? 3 : 4
    var deleted = 0
    let middle = hubNumber.map { self.machines[$0] } ?? stores[0]
    var round = 0
    while round < bound {
      round += 1
      for (index, store) in stores.enumerated() {
        let peer = isRing ? stores[(index + 1) % stores.count] : middle
        if peer.number != store.number, !isFolderOnly { try sync(store, peer) }
        guard folder != nil else { continue }
        try syncFolder(store)
        let more = carryAll(store)
        // The first is allowed for.
        bound += max(0, min(more, deleted + more - 1))
        deleted += more
      }
      if isSame(machines) {
        statistics.rounds = max(statistics.rounds, round)
        return tell(nil, "all hold the same after \(round) rounds")
      }
    }
    let vectors = machines.map { machine in
      let held = machine.held.sorted { $0.key < $1.key }.map {
        "\($0.key.description.prefix(6)): \($0.value.ranges)"
      }
      return "\(machine.name) \(held.joined(separator: ", "))"
    }
    throw ReplicationViolation(
      .converging, "not after \(bound) rounds. \(vectors.joined(separator: "; "))")
  }

  /// Whether all machines hold the same events up to their first gaps, and the hub waits for
  /// nothing.
  ///
  /// Events beyond a gap do not count. If all hold the same up to the gap, its events are lost for
  /// good: their author lost its disk before it sent them.
  ///
  /// A hub may still wait for events that an author claims to have seen. A machine that holds them
  /// ends this by its next exchange.
  private func isSame(_ machines: [Machine]) -> Bool {
    if let hubNumber, !isFolderOnly, self.machines[hubNumber].hub?.writer.pendingCount ?? 0 > 0 {
      return false
    }
    return machines.allSatisfy { $0.process?.log.vector == machines[0].process?.log.vector }
  }

  /// Runs a whole session in which every message arrives.
  ///
  /// - Returns: The refused ranges.
  @discardableResult
  func sync(_ from: Machine, _ to: Machine) throws -> [RangeRefusal] {
    guard let mine = from.process, let theirs = to.process else { return [] }
    var session = SyncSession(batchBytes: random.pick([300, SyncProtocol.batchBytes]))
    var choice = VersionChoice(known: from.speaks)
    var limit = 20 + 4 * truth.eventCount
    statistics.sessions += 1
    while case .send(var request) = try session.next(mine) {
      if !to.speaks.contains(choice.version) { try choice.refused(by: to.speaks) }
      request.version = choice.version
      statistics.exchanges += 1
      limit -= 1
      guard limit > 0 else {
        throw ReplicationViolation(
          .bounded, "a session of \(from.name) with \(to.name) goes on and on")
      }
      if theirs.zone == .none { try theirs.adopt(zone) }
      let asked = try request.encoded().withUnsafeBytes {
        try SyncRequest(decoding: $0, versions: to.speaks)
      }
      let response = try theirs.responder.respond(to: asked, theirs)
      try checkAfterStep(to)
      tell(
        from,
        "asks \(to.name) \(asked.ranges.map(Self.short)): "
          + "\(response.ranges.map(Self.short)) "
          + "\(response.refusals.map { "\($0.code) \(Self.short($0.event))" })")
      let answer = try response.encoded().withUnsafeBytes {
        try SyncResponse(decoding: $0, versions: choice.version...choice.version)
      }
      try session.receive(answer, mine)
      try checkAfterStep(from)
    }
    // As at the end of a sync, project now what a failing disk has kept from being projected.
    for machine in [from, to] { try machine.store?.project() }
    return session.refusals.values.sorted { $0.event < $1.event }
  }

  // MARK: - The end

  /// Checks that all machines show the same state, and that the reference model shows it too.
  func checkSame(_ machines: [Machine]) throws {
    guard let first = machines[0].store else { return }
    let vector = first.log.vector
    for machine in machines {
      guard let store = machine.store else { continue }
      guard store.vector == vector, store.digest == first.digest else {
        throw ReplicationViolation(.converging, "\(machine.name) shows another state than A")
      }
    }
    try truth.audit.checkRanks(truth, through: vector)
    if hubNumber != nil { try truth.audit.checkNothingWaits(truth, through: vector) }
    let model = ReferenceModel(truth.events(through: first.log.wholeVector))
    let expected = model.state
    statistics.conflicts += expected.conflictCount
    try require(expected, try first.state(), "incrementally")
    try checkTexts(first, model)
    // A hub holds no local collections.
    let hub = hubNumber.map { self.machines[$0] }
    if let hub, let zone = hub.hub, random.chance(50) {
      try require(
        ReferenceModel(truth.events(through: vector)).state, try rebuilt(zone.log, hub), "rebuilt")
    } else {
      try require(expected, try rebuilt(first.log, machines[0]), "rebuilt")
    }
  }

  /// Rebuilds a read model from `log`.
  ///
  /// Several threads read the log, so the disk's calls are not recorded.
  private func rebuilt(_ log: EventLog, _ machine: Machine) throws -> ProjectedState {
    try machine.disk.observing { try SimulatedReadModel.rebuilt(LogFeed(log)) }
  }

  private func require(_ expected: ProjectedState, _ shown: ProjectedState, _ how: String) throws {
    guard let difference = ProjectedState.firstDifference(expected: expected, actual: shown) else {
      return
    }
    throw ReplicationViolation(.reference, "\(how): \(difference)")
  }
}
