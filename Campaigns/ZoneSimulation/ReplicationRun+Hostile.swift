import DaybookEventCore
import DaybookLogEngine
import DaybookPeers
import DaybookReferenceModel
import DaybookReplication
import DaybookSimulation

/// Authors that sign false statements, and peers that make false statements without a signature.
extension ReplicationRun {
  func stepHostile() throws {
    switch random.below(3) {
    case 0..<2: try pushHostile()
    default: try meetLiar()
    }
  }

  /// Lets a hostile author send events to a machine, with a false report of what it holds.
  private func pushHostile() throws {
    let machine = random.pick(machines)
    guard let process = machine.process else { return try start(machine) }
    let author = try hostileAuthor()
    for _ in 0..<random.pick([0, 1, 1, 2, 3]) {
      author.write(
        operations.transaction() + (random.chance(30) ? edits.edits(&random) : []),
        seeing: process.log.vector,
        milliseconds: machine.clock.wallMilliseconds, &random)
      let last = EventID(author.origin, author.count)
      truth.attempt(last, [author.events[author.events.count - 1]])
    }
    let held = machine.held[author.origin]?.contiguous ?? 0
    guard held < author.count else { return }
    let range = try author.range(
      from: held + 1,
      // Another history after the held events, which the machine must not take for theirs.
      chainBefore: held > 0 && random.chance(10) ? Hash256.sha256(of: random.bytes(4)) : nil,
      zone: zone, &random)
    let request = SyncRequest(
      zone: zone, replica: author.origin, answerBytes: random.pick([0, 500]),
      report: falseReport(machine), ranges: [range])
    statistics.hostile += range.count
    do {
      if process.zone == .none { try process.adopt(zone) }
      let asked = try request.encoded().withUnsafeBytes { try SyncRequest(decoding: $0) }
      let response = try process.responder.respond(to: asked, process)
      tell(
        machine,
        "is handed \(Self.short(range)) by a hostile author: "
          + "\(response.refusals.map { "\($0.code) \(Self.short($0.event))" })")
    } catch {
      tell(machine, "takes nothing of a hostile author ✗ \(error)")
      // A concurrent request may have ended the process.
      if machine.process !== process, !(error is ReplicationViolation) { return }
      try explain(error, machine)
    }
    try checkAfterStep(machine)
  }

  private func hostileAuthor() throws -> HostileAuthor {
    if let known = hostileAuthors.randomElement(using: &random), random.chance(80) { return known }
    let author = HostileAuthor(try Identity(seed: bytes.next(32)))
    hostileAuthors.append(author)
    truth.addHostile(author.origin)
    truth.attempt(EventID(author.origin, 1), author.events)
    return author
  }

  /// Returns a report of events that the sender may not hold.
  func falseReport(_ machine: Machine) -> KnowledgeReport {
    var knowledge = Knowledge()
    switch random.below(4) {
    case 0: break
    case 1: return .digest(knowledge.digest)
    case 2: return .sketch(knowledge.sums)
    default:
      for (origin, ranges) in machine.held.sorted(by: { $0.key < $1.key })
      where !origin.isPrivate && random.chance(50) {
        let through = ranges.contiguous + random.pick([0, 0, 1, 7])
        guard through > 0 else { continue }
        let chain = truth.chain(after: EventID(origin, through))
        let isRight = chain != nil && random.chance(60)
        let tag = ChainTag(isRight ? chain! : Hash256.sha256(of: random.bytes(8)))
        knowledge[origin] = .init(.init(1...through, tag))
      }
      if random.chance(30) {
        let tag = ChainTag(Hash256.sha256(of: random.bytes(8)))
        knowledge[.random(&random)] = .init(.init(1...UInt64(random.pick(1...90)), tag))
      }
    }
    return .entries(mask: .max, knowledge)
  }

  /// Falsifies a response: what its sender holds, what it refuses, or whether there is more.
  func lie(in response: inout SyncResponse, _ asker: Machine) {
    switch random.below(5) {
    case 0: response.report = falseReport(asker)
    case 1: response.hasMore.toggle()
    case 2: response.asksForKnowledge.toggle()
    case 3: response.ranges = []
    default:
      for (origin, ranges) in asker.held.sorted(by: { $0.key < $1.key })
      where !origin.isPrivate && random.chance(30) {
        let code = random.pick(RangeRefusal.Code.allCases)
        let tag = ChainTag(Hash256.sha256(of: random.bytes(8)))
        response.refusals.append(
          RangeRefusal(
            code, EventID(origin, max(1, ranges.contiguous)), tag: code == .fork ? tag : nil))
      }
    }
  }

  // MARK: - Peers without proof

  /// Lets a peer claim that an origin has another history.
  ///
  /// Only the origin's signature could prove that, so the store must not believe it.
  private func meetLiar() throws {
    let machine = random.pick(stores)
    guard let process = machine.store, !machine.mayFail else { return }
    let held = machine.held.filter { !$0.key.isPrivate && $0.value.contiguous > 0 }
    guard let origin = held.keys.sorted().randomElement(using: &random) else { return }
    statistics.liars += 1
    var probe = ForkProbe(origin, held: process.log.vector[origin])
    var limit = 200
    while case .send(let request) = try probe.next(process) {
      limit -= 1
      guard limit > 0 else {
        throw ReplicationViolation(.bounded, "\(machine.name) asks a liar about \(origin) for ever")
      }
      try probe.receive(try falseAnswer(to: request, about: origin, machine), process)
    }
    if case .forked(let proof) = try probe.next(process) {
      throw ReplicationViolation(
        .forks,
        "\(machine.name) believes a liar that \(origin) parts after \(proof.common)")
    }
    tell(machine, "does not believe a liar about \(origin.description.prefix(6))")
  }

  private func falseAnswer(to request: SyncRequest, about origin: ReplicaID, _ machine: Machine)
    throws -> SyncResponse
  {
    var response = SyncResponse(
      zone: zone, replica: .random(&random), report: falseReport(machine))
    if case .entries(_, let claim) = request.report, let entry = claim[origin] {
      let tag = ChainTag(Hash256.sha256(of: random.bytes(8)))
      response.refusals.append(
        RangeRefusal(
          .fork, EventID(origin, entry.through), tag: random.chance(80) ? tag : nil))
    }
    if request.answerBytes > 0 { response.ranges = try falseRanges(of: origin, machine) }
    return response
  }

  /// Returns events of another author under the origin's id, or the origin's own with a change.
  private func falseRanges(of origin: ReplicaID, _ machine: Machine) throws -> [EventRange] {
    if random.chance(50) {
      let author = try hostileAuthor()
      var range = try author.range(from: 1, zone: zone, &random)
      range.origin = origin
      return [range]
    } else {
      let peer = random.pick(machines)
      guard let process = peer.process, peer.number != machine.number else { return [] }
      let known = try peer.disk.observing {
        try RangePlan(from: process.knowledge(), to: Knowledge())
          .ranges(from: process, bytes: SyncProtocol.batchBytes).ranges
      }
      guard let genuine = known.first(where: { $0.origin == origin }) else { return [] }
      var ranges = [genuine]
      if random.chance(70) { forge(&ranges) }
      return ranges
    }
  }
}
