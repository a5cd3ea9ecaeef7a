internal import Daybook
internal import EventCore
internal import LogEngine
internal import ReferenceModel
internal import Replication
internal import Simulation

/// Everything behaves again, and everyone has to hold the same.
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
      // Who has not written to the folder for long is not waited for, and what was cut off is not
      // on its way any more.
      now += 3 * 86_400_000
      for machine in machines {
        machine.clock.mend()
        machine.clock.advance(to: now)
      }
    }
    try completeHostile()
    try converge(machines)
    try checkSame(machines)
  }

  /// Rounds in which every store syncs once, until all hold the same.
  ///
  /// With a hub, or one store in the middle: everything reaches the middle in the first round, but for
  /// what lies beyond gaps that another fills, which takes the second; the last brings it to all. In a
  /// ring, each round takes what anyone holds one store further. A folder is a middle that can only be
  /// given what somebody reads and finds missing: a round more where a damaged file has to go first.
  func converge(_ machines: [Machine]) throws {
    let stores = random.shuffled(machines.filter { $0.role == .store })
    let isRing = folder == nil && hubNumber == nil && random.chance(50)
    let bound = isRing ? stores.count + 1 : folder == nil ? 3 : 4
    let middle = hubNumber.map { self.machines[$0] } ?? stores[0]
    for round in 1...bound {
      for (index, store) in stores.enumerated() {
        let peer = isRing ? stores[(index + 1) % stores.count] : middle
        if peer.number != store.number, !isFolderOnly { try sync(store, peer) }
        guard folder != nil else { continue }
        try syncFolder(store)
        carryAll(store)
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

  /// What somebody holds beyond a gap does not count: where all hold the same up to there, nobody holds
  /// what is in the gap. Its author has lost its disk, and nobody had been given it.
  ///
  /// Nor is a hub done that waits for what an author claims to have seen: who holds the event, and no more, ends that by
  /// its next exchange.
  private func isSame(_ machines: [Machine]) -> Bool {
    if let hubNumber, !isFolderOnly, self.machines[hubNumber].hub?.writer.pendingCount ?? 0 > 0 {
      return false
    }
    return machines.allSatisfy { $0.process?.log.vector == machines[0].process?.log.vector }
  }

  /// A whole session, each message of which arrives.
  /// - Returns: what was refused.
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
      try settle(to)
      tell(
        from,
        "asks \(to.name) \(asked.ranges.map(Self.short)): "
          + "\(response.ranges.map(Self.short)) "
          + "\(response.refusals.map { "\($0.code) \(Self.short($0.event))" })")
      let answer = try response.encoded().withUnsafeBytes {
        try SyncResponse(decoding: $0, versions: choice.version...choice.version)
      }
      try session.receive(answer, mine)
      try settle(from)
    }
    // As at the end of a sync: what a failing disk has kept from being shown is shown now.
    for machine in [from, to] { try machine.store?.project() }
    return session.refusals.values.sorted { $0.event < $1.event }
  }

  // MARK: - The end

  /// Whether all that hold the same show the same, and what the reference model shows.
  func checkSame(_ machines: [Machine]) throws {
    guard let first = machines[0].store else { return }
    let vector = first.log.vector
    for machine in machines {
      guard let readModel = machine.store?.readModel else { continue }
      guard readModel.vector == vector, readModel.digest == first.readModel.digest else {
        throw ReplicationViolation(.converging, "\(machine.name) shows another state than A")
      }
    }
    try truth.audit.checkRanks(truth, through: vector)
    if hubNumber != nil { try truth.audit.checkNothingWaits(truth, through: vector) }
    let expected = ReferenceModel(truth.events(through: first.log.wholeVector)).state
    statistics.conflicts += expected.conflictCount
    try require(expected, try first.readModel.state(), "incrementally")
    // A hub has nobody's local collections.
    let hub = hubNumber.map { self.machines[$0] }
    if let hub, let zone = hub.hub, random.chance(50) {
      try require(
        ReferenceModel(truth.events(through: vector)).state, try rebuilt(zone.log, hub), "rebuilt")
    } else {
      try require(expected, try rebuilt(first.log, machines[0]), "rebuilt")
    }
  }

  /// Several threads read then, so the calls of the disk are nobody's story.
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
