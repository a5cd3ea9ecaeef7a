package import DaybookEventCore
import DaybookLocks

/// The side of an exchange that answers requests.
///
/// Its memory is only a cache: it saves requesters from reporting again what they hold. Several
/// threads may use it at once.
package final class SyncResponder: Sendable {
  /// What replicas hold after their last exchanges, by digest.
  private struct Memory {
    var known: [KnowledgeDigest: Knowledge] = [:]
    var order: [KnowledgeDigest] = []
    /// The number of runs of all entries.
    var runs = 0
  }

  /// The most runs remembered, which take about 15 MB.
  private static let runsMax = 1 << 17

  private let memory = Mutex(Memory())
  private let rememberedMax: Int

  /// Creates a responder that remembers nothing yet.
  /// - Parameter rememberedMax: The most replicas whose knowledge is remembered.
  package init(rememberedMax: Int = 1024) { self.rememberedMax = rememberedMax }

  /// Returns what the requester holds in all buckets; nil if that is not known yet.
  package func knowledge(of request: SyncRequest) -> Knowledge? {
    switch request.report {
    case .digest(let digest): memory.withLock { $0.known[digest] }
    case .sketch: nil
    case .entries(let mask, let known): mask == .max ? known : nil
    }
  }

  /// Stores the ranges of a request, and returns the response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - storage: The replica that answers.
  ///   - withheld: Origins whose events are not offered, because the requester refuses them.
  ///   - answerBytes: The most bytes of ranges in the response, even if the request allows more. If
  ///     the request allows any, the response has at least one range, so that the sync advances.
  /// - Throws: ``SyncError`` `.wrongZone`; any error of the storage. Nothing was acknowledged then.
  package func respond(
    to request: SyncRequest, _ storage: any ReplicaStorage,
    withholding withheld: Set<ReplicaID> = [], answerBytes: Int = SyncProtocol.batchBytes
  ) throws -> SyncResponse {
    guard request.zone == storage.zone || request.zone == .none else {
      throw SyncError(
        .wrongZone, "the store belongs to zone \(request.zone), and this is zone \(storage.zone)",
        hint: "Sync with a peer of the same zone")
    }
    let before = try storage.knowledge()
    let claimed: Knowledge? = if case .entries(_, let known) = request.report { known } else { nil }
    let evidence = ForkEvidence(request.ranges, claimed: claimed, storage)
    let check = try MessageCheck(request.ranges, storage, before, instead: evidence.fork)
    if !check.taken.isEmpty { try storage.store(check.taken) }
    let refusals = check.refusals

    let shown = Dictionary(grouping: check.ofHeld, by: \.origin)
    for (_, ranges) in shown.sorted(by: { $0.key < $1.key }) {
      try storage.settleFork(shownBy: ranges)
    }
    var mine = try storage.knowledge()
    var response = SyncResponse(
      zone: storage.zone, replica: storage.replica, report: .digest(mine.digest),
      refusals: refusals)
    response.version = request.version
    guard var theirs = try theirKnowledge(request, mine, before, &response) else {
      return response
    }
    let refused = Set(refusals.map(\.event.origin))
    try theirs.known.insert(request.ranges.filter { !refused.contains($0.origin) }, storage)
    let forked = try ForkSearch(mine: mine, storage).forks(in: theirs.known, mask: theirs.mask)
    response.refusals += forked.filter { fork in
      !refusals.contains { $0.code == .fork && $0.event.origin == fork.event.origin }
    }
    let excluded = Set(response.refusals.filter { $0.code == .fork }.map(\.event.origin))
    let offer = PeerOffer(
      mine: mine, theirs: theirs.known, mask: theirs.mask,
      refused: Set(response.refusals.filter(\.isLasting).map(\.event.origin)))
    if try storage.stampIncomplete(after: offer) {
      mine = try storage.knowledge()
      response.report = response.report.renewed(mine)
    }
    let plan = RangePlan(
      from: mine, to: theirs.known, excluding: excluded.union(withheld), mask: theirs.mask)
    (response.ranges, response.hasMore) = try plan.ranges(
      from: storage, bytes: min(max(answerBytes, 1), request.answerBytes))
    try theirs.known.insert(response.ranges, storage)
    if theirs.mask == .max { remember(theirs.known) }
    return response
  }

  // MARK: - News

  /// Returns the events that are new since the storage held what `digest` describes.
  ///
  /// The result is for all replicas that held that and listen for news without asking. See
  /// ``SyncSession/hear(_:_:)``.
  ///
  /// - Parameters:
  ///   - digest: The digest at the time of ``noted(_:)``, or of the previous call.
  ///   - storage: The replica that has the news.
  ///   - limit: The most bytes of ranges.
  /// - Returns: A response without ranges if nothing is new; nil if the digest is not remembered,
  ///   or the news exceeds the limit.
  /// - Throws: Any error of the storage.
  package func news(
    since digest: KnowledgeDigest, _ storage: any ReplicaStorage, bytes limit: Int
  ) throws -> SyncResponse? {
    let mine = try storage.knowledge()
    remember(mine)
    guard let before = memory.withLock({ $0.known[digest] }) else { return nil }
    let (ranges, hasMore) = try RangePlan(from: mine, to: before).ranges(
      from: storage, bytes: limit)
    guard !hasMore, ranges.reduce(0, { $0 + $1.size }) <= limit,
      !ranges.isEmpty || digest == mine.digest
    else { return nil }
    return SyncResponse(
      zone: storage.zone, replica: storage.replica, report: .digest(mine.digest), ranges: ranges)
  }

  /// Remembers what a storage holds, as a base for later news.
  package func noted(_ knowledge: Knowledge) { remember(knowledge) }

  /// Returns what the requester holds, in the buckets of the mask; nil if that is not known yet.
  private func theirKnowledge(
    _ request: SyncRequest, _ mine: Knowledge, _ before: Knowledge,
    _ response: inout SyncResponse
  ) throws -> (known: Knowledge, mask: UInt64)? {
    switch request.report {
    case .digest(let digest):
      if digest == mine.digest { return (mine, .max) }
      if digest == before.digest { return (before, .max) }
      if let known = memory.withLock({ $0.known[digest] }) { return (known, .max) }
      response.asksForKnowledge = true
      response.report = .full(mine)
      return nil
    case .sketch(let sums):
      response.asksForKnowledge = true
      response.report = .part(of: mine, mine.differing(from: sums))
      return nil
    case .entries(let mask, let known):
      response.report = .part(of: mine, mask)
      return (known, mask)
    }
  }

  private func remember(_ knowledge: Knowledge) {
    guard knowledge.runCount <= Self.runsMax else { return }
    let digest = knowledge.digest
    memory.withLock { memory in
      if memory.known.updateValue(knowledge, forKey: digest) != nil { return }
      memory.order.append(digest)
      memory.runs += knowledge.runCount
      while memory.order.count > rememberedMax || memory.runs > Self.runsMax {
        let old = memory.known.removeValue(forKey: memory.order.removeFirst())
        memory.runs -= old?.runCount ?? 0
      }
    }
  }
}
