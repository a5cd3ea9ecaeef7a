import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookPeers
import DaybookReplication
import DaybookSimulation

/// Stores that sync through a shared folder, and the program that copies it between machines.
extension ReplicationRun {
  func shareFolder() {
    let shared = SimulatedFolder()
    for machine in machines where machine.role == .store {
      machine.folder = shared.addCopy(for: machine.number, machine.clock)
    }
    folder = shared
    statistics.folders += 1
  }

  func stepFolder() throws {
    switch random.below(10) {
    case 0..<4: try syncFolder(random.pick(stores))
    case 4..<9: for _ in 0..<random.pick(1...4) { carry() }
    default: meddle()
    }
  }

  private func carry() {
    guard let what = folder?.carry(&random) else { return }
    statistics.carried += 1
    tell(nil, what)
  }

  private func meddle() {
    if random.chance(20), let machine = stores.randomElement(using: &random),
      let copy = machine.folder, !copy.mayFail
    {
      let kind = random.pick([CopiedFolder.Fault.full, .unreadable, .death, .death])
      let calls = 1 + random.below(40)
      copy.plan(kind, after: calls)
      return tell(machine, "planned for its folder: \(kind) after \(calls) calls")
    }
    if let what = folder?.meddle(&random) { tell(nil, what) }
  }

  func responder(of machine: Machine, _ copy: CopiedFolder) -> FolderResponder {
    if let known = machine.folderResponder { return known }
    var options = FolderPeer.Options()
    options.grace = .milliseconds(random.pick([0, 5000, 600_000]))
    options.patience = .milliseconds(random.pick([0, 20_000, 86_400_000]))
    let (clock, zone) = (machine.clock, zone)
    // All zones that are made here have the same id.
    let made = FolderResponder(
      copy, options: options, wallMilliseconds: { clock.wallMilliseconds },
      randomBytes: { Array(zone.bytes.prefix($0)) })
    machine.folderResponder = made
    return made
  }

  /// Syncs a store with its copy of the folder, completely or for a few exchanges.
  ///
  /// The folder's program may copy files meanwhile.
  ///
  /// - Returns: The refused ranges.
  @discardableResult
  func syncFolder(_ machine: Machine) throws -> [RangeRefusal] {
    guard let process = machine.store, let copy = machine.folder else { return [] }
    let responder = responder(of: machine, copy)
    var session = SyncSession(batchBytes: random.pick([1, 300, 2000, SyncProtocol.batchBytes]))
    let isWhole = isCalm || random.chance(60)
    var left = isWhole ? 40 + 4 * truth.eventCount : random.pick(1...6)
    let began = machine.offered
    let torn = copy.tornReads
    var isCarried = false
    do {
      while left > 0 {
        left -= 1
        session.withheld = responder.selfPublishing.subtracting([process.replica])
        guard case .send(let request) = try session.next(process) else {
          let refused = session.refusals
          tell(machine, "is done with the folder: \(Self.text(refused))")
          try process.project()
          if !isCarried, copy.tornReads == torn {
            try checkFolder(machine, responder, began, refused)
          }
          try checkWithFolder(machine)
          return refused.values.sorted { $0.event < $1.event }
        }
        statistics.folderExchanges += 1
        try checkShared(request.report, request.ranges, machine)
        copy.writer = request.replica.description
        let judge = HistoryJudge(process, refused: session.lastingRefusals) {
          process.log.snapshot()
        }
        let response = try responder.respond(to: request, judge: judge)
        try session.receive(response, process)
        try checkWithFolder(machine)
        tell(
          machine,
          "asks the folder \(request.ranges.map(Self.short)): \(response.ranges.map(Self.short)) "
            + "\(response.refusals.map { "\($0.code) \(Self.short($0.event))" })"
            + "\(responder.findings.map { " \($0.code.rawValue)" }.joined())")
        if let odd = session.refusals.values.first(where: { !isExpected($0) }) {
          throw ReplicationViolation(.explained, "\(machine.name) refuses what is sound: \(odd)")
        }
        guard machine.process === process else { return [] }
        if !isCalm, random.chance(20) {
          carry()
          isCarried = true
        }
      }
    } catch {
      tell(machine, "does not sync with the folder ✗ \(error)")
      if copy.isDead {
        crash(machine, losesPower: random.chance(30))
        return []
      }
      // A concurrent request may have ended the process.
      if machine.process !== process, !(error is ReplicationViolation) { return [] }
      if !(error is SyncError) || !copy.mayFail { try explain(error, machine) }
      try checkWithFolder(machine)
      return []
    }
    guard !isWhole else {
      throw ReplicationViolation(.bounded, "\(machine.name) goes on and on with the folder")
    }
    return []
  }

  /// Whether a refusal is expected: a gap, or one of two histories of an origin.
  ///
  /// A gap may be filled later. A second history may be refused as unsigned: the range alone does
  /// not always show that it follows another event than the folder holds. The next exchange
  /// compares what both hold, and reports the fork.
  private func isExpected(_ refusal: RangeRefusal) -> Bool {
    refusal.code == .gap
      || [.fork, .badSignature].contains(refusal.code)
        && refusal.event.origin == truth.branch?.origin
  }

  private func checkWithFolder(_ machine: Machine) throws {
    if let broken = machine.folder?.broken {
      throw ReplicationViolation(.folder, "\(machine.name): \(broken)")
    }
    if machine.folder?.isDead == true { return crash(machine, losesPower: random.chance(30)) }
    try checkAfterStep(machine)
  }

  /// Checks a store that has finished syncing with its copy of the folder.
  ///
  /// It must have put its own events there, and hold all events that are there.
  private func checkFolder(
    _ machine: Machine, _ responder: FolderResponder, _ began: VersionVector,
    _ refused: [ReplicaID: RangeRefusal]
  ) throws {
    guard let process = machine.store, let copy = machine.folder, !copy.mayFail, !machine.mayFail
    else { return }
    for (origin, sequence) in responder.held.vector.entries
    where refused[origin] == nil && process.log.vector[origin] < sequence {
      throw ReplicationViolation(
        .finished,
        "\(machine.name) is done with the folder, and lacks "
          + Self.short(EventID(origin, sequence))
      )
    }
    for finding in responder.findings where finding.code == .damaged && copy.isWhole(finding.path) {
      throw ReplicationViolation(
        .folder, "\(machine.name) passes over \(finding.path), which is as its writer made it")
    }
    let own = process.replica
    // A file that is found to be damaged while the last request is answered is missed by the next.
    let isDamaged = responder.findings.contains { $0.code == .damaged }
    guard began[own] > 0, refused[own] == nil, !isDamaged else { return }
    guard responder.expected[own]?.missing(in: 1...began[own]).isEmpty ?? false else {
      throw ReplicationViolation(
        .finished, "\(machine.name) is done with the folder, where its own events are missing")
    }
  }

  /// Deletes files that are reported as damaged or incomplete, and lets all changes arrive.
  ///
  /// This is done in the calm phase at the end of a run.
  /// - Returns: The number of files deleted.
  @discardableResult
  func carryAll(_ machine: Machine) -> Int {
    var deleted = 0
    for finding in machine.folderResponder?.findings ?? []
    where finding.code == .damaged || finding.code == .incomplete {
      deleted += 1
      machine.folder?.drop(finding.path)
      folder?.changed(finding.path, nil, by: machine.number)
      tell(
        machine, "deletes \(SimulatedFolder.short(finding.path)), which is \(finding.code.rawValue)"
      )
    }
    folder?.deliverAll()
    return deleted
  }
}
