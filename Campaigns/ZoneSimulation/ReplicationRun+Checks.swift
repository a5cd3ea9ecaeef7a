import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookPeers
import DaybookProjections
import DaybookReferenceModel
import DaybookReplication
import DaybookSimulation

/// Checks that must hold at every moment.
extension ReplicationRun {
  /// Compares a machine's events with what it held before, what it has told others, and the truth.
  func compare(_ machine: Machine, _ process: any ReplicaProcess) throws {
    machine.note(process.told)
    process.told = Knowledge()
    let snapshot = process.log.snapshot().whole
    if let strange = machine.strange(snapshot.vector) {
      throw ReplicationViolation(.local, "\(machine.name) holds \(Self.short(strange))")
    }
    for (origin, ranges) in machine.held.sorted(by: { $0.key < $1.key }) {
      try require(ranges, origin, snapshot, .kept, "\(machine.name) held")
    }
    for (origin, ranges) in machine.told.sorted(by: { $0.key < $1.key }) {
      try require(ranges, origin, snapshot, .told, "\(machine.name) said that it holds")
    }
    machine.held = snapshot.ranges
    noteGaps(machine)
    // Order: hostile authors, then the machine's own events, then those that follow from them;
    // private origins last.
    func turn(_ origin: ReplicaID) -> Int {
      if origin.isPrivate { return 3 }
      return truth.hostile.contains(origin) ? 0 : machine.identities.contains(origin) ? 1 : 2
    }
    for (origin, ranges) in snapshot.ranges.sorted(by: {
      (turn($0.key), $0.key) < (turn($1.key), $1.key)
    }) where machine.compared[origin] != ranges {
      for range in ranges.ranges {
        for new in machine.compared[origin]?.missing(in: range) ?? [range] {
          try compare(new, of: origin, snapshot, machine)
        }
      }
      machine.compared[origin] = ranges
    }
    try compareHeads(snapshot, machine)
    try checkRenewed(machine)
    if let store = machine.store { try compare(store, snapshot, machine) }
  }

  /// Checks that a copy which has met later events of its own identity has taken another one.
  ///
  /// The copy did not write them: it is renewed before its first write.
  private func checkRenewed(_ machine: Machine) throws {
    guard let cloned = machine.cloned, let store = machine.store, store.hasIdentity,
      store.replica == cloned.identity
    else { return }
    let held = store.log.vector[cloned.identity]
    guard held > cloned.through else { return }
    throw ReplicationViolation(
      .renewed, "\(machine.name) holds \(Self.short(EventID(cloned.identity, held)))")
  }

  /// Counts how often a machine begins to hold events beyond a gap.
  private func noteGaps(_ machine: Machine) {
    let hasGap = machine.held.contains { !$0.value.beyondGaps.isEmpty }
    if hasGap, !machine.hasGap {
      statistics.gaps += 1
      tell(machine, "holds events beyond a gap")
    }
    machine.hasGap = hasGap
  }

  private func require(
    _ ranges: SequenceRanges, _ origin: ReplicaID, _ snapshot: LogSnapshot,
    _ promise: ReplicationViolation.Promise, _ who: String
  ) throws {
    for range in ranges.ranges {
      let missing = snapshot.ranges[origin]?.missing(in: range) ?? [range]
      guard let first = missing.first else { continue }
      throw ReplicationViolation(
        promise, "\(who) \(Self.short(EventID(origin, first.lowerBound))), which is not there")
    }
  }

  private func compare(
    _ range: ClosedRange<UInt64>, of origin: ReplicaID, _ snapshot: LogSnapshot, _ machine: Machine
  ) throws {
    let isOwn = machine.identities.contains(origin)
    for entry in snapshot.entries(of: origin, in: range) {
      let frame = try snapshot.frame(at: entry)
      try frame.forEachEvent { sequence, event in
        guard range.contains(sequence) else { return }
        try truth.found(
          event.encoded, EventID(origin, sequence), isOwn: isOwn, isHub: machine.role == .hub)
      }
      let last = EventID(origin, entry.lastSequence)
      guard truth.hasChain(frame.header.chain, after: last) else {
        throw ReplicationViolation(
          .genuine, "\(machine.name) holds \(Self.short(last)) with another chain value")
      }
    }
  }

  private func compareHeads(_ snapshot: LogSnapshot, _ machine: Machine) throws {
    let heads = snapshot.heads
    guard heads != machine.headsCompared else { return }
    for entry in heads {
      let head = try snapshot.head(at: entry)
      guard !verified.contains(head) else { continue }
      // Events behind a head may be lost in a crash. Those of a hostile author may never have
      // reached another machine.
      if let author = hostileAuthors.first(where: { $0.origin == head.event.origin }),
        author.hasSigned(head)
      {
        continue
      }
      guard let key = truth.keys[head.event.origin], head.isSigned(by: key),
        truth.hasChain(head.chain, after: head.event)
      else {
        throw ReplicationViolation(
          .signed, "\(machine.name) holds a head of \(Self.short(head.event)) that does not verify")
      }
      verified.insert(head)
    }
    machine.headsCompared = heads
  }

  private func compare(_ store: SimulatedStore, _ snapshot: LogSnapshot, _ machine: Machine)
    throws
  {
    let vector = store.vector
    guard snapshot.vector.contains(vector) else {
      throw ReplicationViolation(.behind, "\(machine.name) shows \(vector), and the log has less")
    }
    // While an origin has two histories, one vector can mean two states.
    if truth.branch != nil { return }
    guard let digest = digests[vector] else {
      digests[vector] = store.digest
      return
    }
    guard digest == store.digest else {
      let expected = ReferenceModel(truth.events(through: store.log.wholeVector)).state
      let shown = try store.state()
      let differences = [
        ProjectedState.firstDifference(expected: expected, actual: shown),
        try store.difference().map { "\($0.place): \($0.message)" },
      ].compactMap(\.self)
      throw ReplicationViolation(
        .pure,
        "\(machine.name) shows another state than was shown before: "
          + (differences.isEmpty ? "this one is right" : differences.joined(separator: "; ")))
    }
  }

  // MARK: - Sessions

  /// Checks that a message mentions no private origin.
  func checkShared(_ report: KnowledgeReport, _ ranges: [EventRange], _ machine: Machine) throws {
    var said = ranges.map(\.origin)
    if case .entries(_, let known) = report { said += known.entries.keys }
    guard let origin = said.first(where: \.isPrivate) else { return }
    throw ReplicationViolation(.local, "\(machine.name) tells of the private origin \(origin)")
  }

  /// Checks that only gaps are refused, unless a message was spoiled.
  func checkRefusals(
    _ refusals: [RangeRefusal], _ message: Network.Message, _ machine: Machine,
    _ session: Session? = nil
  ) throws {
    let isSpoiled =
      message.isSpoiled || session?.isSpoiled == true
      || sessions.contains { $0.number == message.session && $0.isSpoiled }
    guard !isSpoiled, let refusal = refusals.first(where: { $0.code != .gap }) else { return }
    throw ReplicationViolation(.explained, "\(machine.name) refuses what is sound: \(refusal)")
  }

  func checkDone(_ session: Session) throws {
    let (from, to) = (machines[session.from], machines[session.to])
    guard !session.isSpoiled, from.disks == session.disks.from, to.disks == session.disks.to else {
      return
    }
    let refused = session.session.refusals
    for (origin, sequence) in session.began.from.entries where refused[origin] == nil {
      try requireBrought(origin, sequence, to, session)
    }
    for (origin, sequence) in session.began.to.entries where refused[origin] == nil {
      try requireBrought(origin, sequence, from, session)
    }
  }

  private func requireBrought(
    _ origin: ReplicaID, _ sequence: UInt64, _ machine: Machine, _ session: Session
  ) throws {
    guard sequence > 0, machine.held[origin]?.contiguous ?? 0 < sequence else { return }
    throw ReplicationViolation(
      .finished,
      "session \(session.number) is done, and \(machine.name) lacks "
        + "\(Self.short(EventID(origin, sequence)))")
  }
}
