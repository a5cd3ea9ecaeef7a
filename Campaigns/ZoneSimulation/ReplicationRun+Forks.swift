import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookPeers
import DaybookReferenceModel
import DaybookReplication
import DaybookSimulation

/// Forks: a store is copied with its key, and both copies write as the same replica.
///
/// A peer that meets both histories must detect the fork. It takes only one of the histories, and
/// still takes all other events. Then the fork is settled.
extension ReplicationRun {
  func finish() throws {
    // A generator of its own, so that the other steps of a seed do not change.
    var ofLostHub = SplitMix64(seed: seed ^ 0x105e_4b0f)
    if ofLostHub.chance(15), try loseHubOfFork() { return }
    if random.chance(20), try restoreHubWithKey() { return }
    guard random.chance(30), let (original, copy, replica) = try fork() else { return }
    statistics.forks += 1
    if folder != nil, isFolderOnly || random.chance(50) {
      return try meetInFolder(original, copy, replica)
    }

    try meetDirectly(original, copy)

    // One of the two syncs first with the hub or another store. The other one is then refused, but
    // must still receive the events of other origins.
    let others = machines.filter { $0.number != original.number && $0.number != copy.number }
    let middle = hubNumber.map { machines[$0] } ?? others.randomElement(using: &random) ?? original
    let isCloneFirst =
      try branchHeld(by: middle, replica) ?? (middle.number != original.number && random.chance(50))
    let (first, second) = isCloneFirst ? (copy, original) : (original, copy)
    if first.number != middle.number { try sync(first, middle) }
    if let other = others.filter({ $0.role == .store }).randomElement(using: &random) {
      try write(other)
    }
    try meet(second, middle, replica)
    try putRight(original, copy, replica)
    try converge(machines)
    try checkSame(machines)
  }

  /// Copies a store with its key, and lets both copies write.
  ///
  /// - Returns: The two, and the replica that both are; nil if there is no such store.
  func fork() throws -> (original: Machine, copy: Machine, replica: ReplicaID)? {
    let original = random.pick(stores)
    guard let store = original.store, store.hasIdentity, store.log.vector[store.replica] > 0,
      machines.count(where: { $0.process?.replica == store.replica }) == 1
    else { return nil }
    let replica = store.replica
    let copy = addFork(of: original)
    try start(copy)
    truth.fork(replica)
    tell(original, "is cloned, and both write")
    try write(original, isShared: true)
    try writeBranch(copy)
    return (original, copy, replica)
  }

  /// Lets both copies write to one shared folder, where every store must detect the fork.
  ///
  /// After the fork is settled, the files of the abandoned history must not mislead any store, not
  /// even a new one.
  private func meetInFolder(_ original: Machine, _ copy: Machine, _ replica: ReplicaID) throws {
    statistics.folderForks += 1
    if random.chance(30),
      let what = folder?.flip(of: replica, in: random.pick([original, copy]).number, &random)
    {
      tell(nil, what)
    }
    // A damaged file blocks later files of its origin, and hides that another is damaged, too.
    var (round, deleted) = (0, 0)
    while round < 2 || deleted > 0 && round < 8 {
      (round, deleted) = (round + 1, 0)
      for machine in random.shuffled(stores) {
        if machine.number != original.number, machine.number != copy.number, random.chance(30) {
          try write(machine)
        }
        try syncFolder(machine)
        if random.chance(60) { deleted += carryAll(machine) }
      }
      deleted += carryAll(original)
    }
    loseCommonFile(replica)
    try putRight(original, copy, replica, isInFolder: true)
    try converge(machines)
    let new = addMachine(.store)
    try start(new)
    // A store that could not read the file of what stands would take the other, and give it up.
    new.folder?.calm()
    try converge(machines)
    try checkSame(machines)
  }

  /// Removes a file of events that both histories share, in some lives, from all copies of the
  /// folder.
  ///
  /// The files of both branches stay, so every store can still see the fork.
  private func loseCommonFile(_ replica: ReplicaID) {
    // A generator of its own, so that the other steps of a seed do not change.
    var random = SplitMix64(seed: seed ^ 0x1057_f11e)
    guard let common = truth.branch?.common, common > 0, random.chance(40) else { return }
    let event = EventID(replica, 1 + UInt64(random.below(Int(common))))
    if let what = folder?.lose(event, through: common) { tell(nil, what) }
  }

  /// Lets other stores sync with one of the two first, and write after they have seen its events.
  private func meetDirectly(_ original: Machine, _ copy: Machine) throws {
    let others = machines.filter {
      $0.role == .store && $0.number != original.number && $0.number != copy.number
    }
    for other in others where random.chance(40) {
      try sync(random.chance(50) ? original : copy, other)
      try write(other)
      guard random.chance(50), let hubNumber else { continue }
      try sync(other, machines[hubNumber])
    }
  }

  /// Whether a machine holds the clone's history; nil if it holds neither history.
  func branchHeld(by machine: Machine, _ replica: ReplicaID) throws -> Bool? {
    guard let branch = truth.branch else { return nil }
    let event = EventID(replica, branch.common + 1)
    let held = try machine.disk.observing { try machine.process?.chain(after: event) }
    return held.map { $0 == branch[event]?.chain }
  }

  private func addFork(of original: Machine) -> Machine {
    let copy = addMachine(.store, disk: original.disk.copy(seed: random.next()))
    copy.identities = original.identities
    return copy
  }

  private func writeBranch(_ copy: Machine) throws {
    guard let store = copy.store else { return }
    for _ in 0..<random.pick(1...3) {
      var written: [EncodedEvent] = []
      // Both copies may write the same operations at the same time. Equal events are no fork.
      let body = Body(
        label: "clone",
        operations: operations.transaction() + (random.chance(40) ? edits.edits(&random) : []))
      let isSalted = random.chance(20)
      let draft = SimulatedStore.Draft(
        codec: isSalted ? .salted : .plain,
        body: .present(isSalted ? body.encoded(salt: random.bytes(16)) : body.encoded()))
      let note = { (first: EventID, events: [EncodedEvent]) in
        self.noteBases(first, events)
        written += events
      }
      if random.chance(60) { _ = try store.write(typed(), attempt: note) }
      _ = try store.append([draft], isLocal: false, attempt: note)
      for event in written { try truth.forked(event) }
      tell(copy, "writes \(written.count) as a clone")
    }
    try checkAfterStep(copy)
  }

  private func meet(_ second: Machine, _ middle: Machine, _ replica: ReplicaID) throws {
    let before = second.process?.log.vector[replica]
    let refusals = try sync(second, middle)
    guard refusals.map(\.event.origin) == [replica], refusals.map(\.code) == [.fork],
      second.process?.log.vector[replica] == before, second.process?.replica == replica
    else {
      throw ReplicationViolation(
        .forks, "two histories of \(replica) have met: \(refusals.map { "\($0.code) \($0.event)" })"
      )
    }
    // A store may hold more than the peer: events that it was handed beyond a gap.
    let held = second.process?.log.ranges ?? [:]
    for (origin, ranges) in (middle.process?.log.ranges ?? [:]).sorted(by: { $0.key < $1.key })
    where origin != replica {
      let known = held[origin] ?? SequenceRanges()
      guard ranges.ranges.allSatisfy({ known.missing(in: $0).isEmpty }) else {
        throw ReplicationViolation(
          .forks, "a fork of \(replica) has hidden events of \(origin) from \(second.name)")
      }
    }
  }

  // MARK: - Settling

  /// Makes every holder of the losing history give it up, and its author write its events again.
  ///
  /// - Parameter isInFolder: Whether they learn of the fork from the shared folder, not from each
  ///   other.
  func putRight(
    _ original: Machine, _ copy: Machine, _ replica: ReplicaID, isInFolder: Bool = false
  ) throws {
    guard let branch = truth.branch else { return }
    let copyStands = copyStands(replica, branch)
    let winner = copyStands ? copy : original
    let event = EventID(replica, branch.common + 1)
    tell(nil, "what \(winner.name) has written stands")
    let holders = machines.filter { machine in
      guard let chain = try? machine.disk.observing({ try machine.process?.chain(after: event) })
      else { return false }
      return chain == (copyStands ? truth.chain(after: event) : branch[event]?.chain)
    }
    // A holder of the winning history must keep it. This is tested with a machine, because a folder
    // does not return the losing history.
    if !isInFolder, let loser = holders.first(where: { $0.role == .store }), random.chance(50),
      try giveUp(winner, replica, with: .machine(loser), branch.common) != nil
    {
      throw ReplicationViolation(.forks, "\(winner.name) would give up what stands of \(replica)")
    }
    var renewed: ReplicaID?
    for machine in random.shuffled(holders) {
      let isAuthor = machine.process?.replica == replica
      // A person may renew the copy's identity before the fork is settled.
      if isAuthor, random.chance(40) {
        try machine.store?.renewByHand()
        tell(machine, "is renewed by hand")
        if random.chance(50) { try write(machine, isShared: true) }
      }
      guard
        let next = try giveUp(
          machine, replica, with: isInFolder ? .folder : .machine(winner), branch.common)
      else {
        throw ReplicationViolation(
          .forks, "\(machine.name) keeps what does not stand of \(replica)")
      }
      if isAuthor { renewed = next }
    }
    let lost = truth.settleFork(branchStands: copyStands)
    digests = [:]
    for machine in machines { try checkAfterStep(machine) }
    guard let renewed else {
      throw ReplicationViolation(.kin, "nobody has written again what was given up of \(replica)")
    }
    try checkKin(lost, EventID(replica, branch.common + 1), renewed)
  }

  /// Whether the clone's history wins.
  ///
  /// By design the first stamp decides, of equal times that of the smaller hub, or else the smaller
  /// chain value after the common events.
  func copyStands(_ replica: ReplicaID, _ branch: TruthBranch) -> Bool {
    let stamps = (truth.audit.given[replica] ?? []).filter { $0.stamp.through > branch.common }
    let first = stamps.min { a, b in
      a.stamp.time != b.stamp.time
        ? a.stamp.time < b.stamp.time : a.event.origin < b.event.origin
    }
    if let first {
      let event = EventID(replica, first.stamp.through)
      return branch[event]?.chain == first.stamp.chain
    }
    let event = EventID(replica, branch.common + 1)
    guard let mine = truth.chain(after: event), let other = branch[event]?.chain else {
      return false
    }
    return ChainTag(other) < ChainTag(mine)
  }

  /// Settles a fork as `Store.settleForks` does, on simulated disks.
  ///
  /// The log is written to another disk, which replaces the old one when it is complete. A power
  /// failure or a full disk may interrupt this; it then begins again.
  ///
  /// - Returns: The store's replica id afterward; nil if its own history wins.
  func giveUp(
    _ machine: Machine, _ replica: ReplicaID, with peer: ForkPeer, _ common: UInt64
  ) throws -> ReplicaID? {
    let refusals = try sync(machine, peer)
    guard refusals.contains(where: { $0.code == .fork && $0.event.origin == replica }),
      let process = machine.store
    else {
      throw ReplicationViolation(
        .forks, "\(machine.name) and \(peer) do not see that \(replica) is forked")
    }
    var probe = ForkProbe(replica, held: process.log.vector[replica])
    while case .send(let request) = try probe.next(process) {
      try probe.receive(try exchange(request, of: machine, with: peer), process)
    }
    guard case .forked(let proof) = try probe.next(process), proof.common == common else {
      throw ReplicationViolation(.forks, "\(machine.name) does not find where \(replica) parts")
    }
    var stands = try ForkJudgement(process.log.snapshot(), proof).stands()
    if stands, truth.hubs.contains(replica) || peer.isHub {
      // A hub can keep only one history. Once it is shown the other, it says which one, or gives up
      // its own.
      try show(EventID(replica, common), from: machine, to: peer)
      stands = try ForkJudgement(process.log.snapshot(), proof).stands()
    }
    if stands { return nil }
    for attempt in 1... {
      let next = SimulatedDisk(seed: random.next())
      if attempt < 3, random.chance(60) {
        next.inject(.powerLoss, at: .call(1 + random.below(40)))
      } else if attempt < 3, random.chance(30) {
        next.setCapacity(random.below(2000))
      }
      do {
        try rewrite(machine, Branch(origin: replica, from: common + 1), onto: next)
      } catch {
        guard attempt < 3, error is any ExplainedError else { throw error }
        tell(machine, "does not give up what it holds of \(Self.short(EventID(replica, common))) ✗")
        // The store itself is unchanged.
        crash(machine, losesPower: true)
        try start(machine)
        continue
      }
      next.clearFailures()
      next.setCapacity(nil)
      machine.die()
      machine.replaceDisk(next)
      statistics.removals += 1
      try start(machine)
      tell(machine, "has given up \(replica.description.prefix(6)) after \(common)")
      return machine.process?.replica
    }
    return nil
  }

  /// Sends what the store holds after `event`, and syncs, as `Store.settleForks` does.
  private func show(_ event: EventID, from machine: Machine, to peer: ForkPeer) throws {
    guard let process = machine.store else { return }
    let range = try process.range(
      of: event.origin, after: event.sequence, through: .max, hasGap: false)
    guard let range else { return }
    let request = SyncRequest(
      zone: process.zone, replica: process.replica, answerBytes: 0,
      report: .digest(try process.knowledge().digest), ranges: [range])
    _ = try exchange(request, of: machine, with: peer)
    try sync(machine, peer)
  }

  @discardableResult
  private func sync(_ machine: Machine, _ peer: ForkPeer) throws -> [RangeRefusal] {
    switch peer {
    case .machine(let other): try sync(machine, other)
    case .folder: try syncFolder(machine)
    }
  }

  private func exchange(_ request: SyncRequest, of machine: Machine, with peer: ForkPeer) throws
    -> SyncResponse
  {
    switch peer {
    case .machine(let other):
      guard let process = other.process else { throw ProcessError.isDown }
      var response = try process.responder.respond(to: request, process)
      if let branch = other.hub?.doomed {
        try giveUp(other, branch)
        guard let process = other.process else { throw ProcessError.isDown }
        response = try process.responder.respond(to: request, process)
      }
      try checkAfterStep(other)
      return response
    case .folder:
      guard let process = machine.store, let copy = machine.folder else {
        throw ProcessError.isDown
      }
      copy.writer = request.replica.description
      return try responder(of: machine, copy).respond(
        to: request, judge: HistoryJudge(process) { process.log.snapshot() })
    }
  }

  private func rewrite(_ machine: Machine, _ branch: Branch, onto next: SimulatedDisk) throws {
    guard let process = machine.store else { return }
    let storage = SimulatedStorage(next)
    let log = try EventLog.open(
      storage: storage, lock: SimulatedLock(next), options: machine.options
    ).log
    var file = process.file
    let isOwn = file.hasWritten(branch, current: process.log.vector[branch.origin])
    let renewed = isOwn ? try Identity(seed: bytes.next(32)) : nil
    let count = try LogWithoutBranch(process.log.snapshot().whole, branch).write(
      to: log, as: renewed, closing: process.signer, zone: file.zone)
    if let renewed {
      file = file.renewed(
        as: renewed, through: process.signer == nil ? 0 : log.vector[file.replica])
    }
    let files = IdentityOnDisk(storage: storage)
    if let identity = renewed ?? process.signer {
      try file.write(files, key: identity)
    } else {
      try file.write(files)
    }
    try log.close()
    statistics.reissued += Int(count)
    guard let renewed else { return }
    var written: [EncodedEvent] = []
    try next.observing {
      let end = log.vector[renewed.id]
      guard end > 0 else { return }
      try log.snapshot().forEachEvent(of: renewed.id, in: 1...end) { _, event in
        written.append(event.encoded)
      }
    }
    truth.attempt(EventID(renewed.id, 1), written)
  }

  /// Checks that every transaction that was given up exists under the new identity, with its
  /// authored time.
  private func checkKin(_ lost: [EncodedEvent], _ first: EventID, _ renewed: ReplicaID) throws {
    var found: [String: (Envelope, Body)] = [:]
    var places: [String: EventID] = [:]
    for (index, fact) in (truth.facts[renewed] ?? []).enumerated() {
      guard let (envelope, body) = Self.read(fact.event),
        let kin = body.annotations["reissued"]
      else { continue }
      found[kin] = (envelope, body)
      places[kin] = EventID(renewed, UInt64(index + 1))
    }
    for (offset, event) in lost.enumerated() {
      guard let (envelope, body) = Self.read(event), envelope.kind == .transaction else { continue }
      let id = EventID(first.origin, first.sequence + UInt64(offset))
      // Edits of what was given up are edits of what was written again.
      let operations = body.operations.map { operation -> Operation in
        guard case .edit(var edit) = operation, edit.base.origin == first.origin,
          edit.base.sequence >= first.sequence, edit.base.sequence <= id.sequence
        else { return operation }
        edit.base = places[edit.base.description] ?? edit.base
        return .edit(edit)
      }
      guard let kin = found[id.description], kin.1.operations == operations,
        kin.0.authored == envelope.authored
      else { throw ReplicationViolation(.kin, "\(id) is not there as an event of \(renewed)") }
    }
  }

  private static func read(_ event: EncodedEvent) -> (Envelope, Body)? {
    guard let envelope = event.envelope.withUnsafeBytes({ try? Envelope(decoding: $0) }),
      case .present(let bytes) = event.body,
      let body = bytes.withUnsafeBytes({ try? Body(decoding: $0, codec: envelope.bodyCodec) })
    else { return nil }
    return (envelope, body)
  }
}

/// The peer with which a store detects a fork.
enum ForkPeer: CustomStringConvertible {
  case machine(Machine)
  case folder

  var isHub: Bool {
    if case .machine(let machine) = self { machine.role == .hub } else { false }
  }

  var description: String {
    switch self {
    case .machine(let machine): machine.name
    case .folder: "the folder"
    }
  }
}
