package import DaybookEventCore

/// The side that begins a sync: makes the requests and takes in the responses, until both sides
/// hold the same events.
///
/// A pure state machine: the caller passes the storage and the responses, and it knows no time and
/// no network. If an exchange is lost, the caller says so with ``exchangeWasLost()``, and goes on
/// with ``next(_:)``. Events stored on either side still count.
package struct SyncSession {
  package enum Step {
    case send(SyncRequest)
    /// Both sides hold the same events, except for ``SyncSession/refusals``.
    case done
  }

  package private(set) var progress = SyncProgress()
  /// The ranges that the peer or this replica has refused; the latest reason for each origin.
  package private(set) var refusals: [ReplicaID: RangeRefusal] = [:]
  /// The origins of refused ranges that stay refused, whatever else arrives.
  package var lastingRefusals: Set<ReplicaID> {
    Set(refusals.values.filter(\.isLasting).map(\.event.origin))
  }
  /// The replica that has answered.
  package private(set) var peer: ReplicaID?
  /// Origins whose events are not sent to the peer, because it gets them from the origins
  /// themselves.
  package var withheld: Set<ReplicaID> = []
  /// Whether nothing is sent to the peer, because it has said that it accepts nothing from this
  /// replica.
  package private(set) var isPullOnly = false
  /// Whether the peer has reported, since this was last set to false, that it holds nothing but its
  /// own events.
  package var wasFoundEmpty = false
  /// The approximate bytes of ranges in the next request.
  package var requestBytes: Int
  /// The approximate bytes of ranges in its response.
  package var answerBytes: Int

  /// What the peer holds, as far as is known; nil before the first report.
  private var remote: Knowledge?
  /// What the peer assumes that this replica holds; nil if it knows nothing.
  private var told: Knowledge?
  /// The digest of what the peer held at its last response.
  private var remoteDigest: KnowledgeDigest?
  /// The buckets in which the sides differ, if only these are known.
  private var mask: UInt64?
  private var hasMore = false
  private var sent: [EventRange] = []
  /// The number of consecutive exchanges without any events.
  private var idle = 0
  private static let idleMax = 4

  /// Creates a session at its beginning.
  /// - Parameter batchBytes: The approximate bytes of ranges in a message, in either direction.
  package init(batchBytes: Int = SyncProtocol.batchBytes) {
    (requestBytes, answerBytes) = (batchBytes, batchBytes)
  }

  /// Returns the next step: a request, or the end of the sync.
  /// - Throws: Any error of the storage.
  package mutating func next(_ storage: any ReplicaStorage) throws -> Step {
    let mine = try storage.knowledge()
    sent = []
    guard let remote else { return .send(request(storage, introduction(mine), [])) }
    let plan = RangePlan(
      from: mine, to: remote, excluding: withheld.union(refusals.keys), first: peer)
    let ranges = isPullOnly ? [] : try plan.ranges(from: storage, bytes: requestBytes).ranges
    // Offering the same refused ranges repeatedly must end too.
    if ranges.isEmpty, !hasMore || idle >= Self.idleMax {
      if remoteDigest == mine.digest { return .done }
      // Everything is reported and exchanged. The rest was refused, or no head closes it.
      if remoteDigest == remote.digest, isCovered(remote, by: mine) { return .done }
      guard idle < Self.idleMax else { return .done }
      return .send(request(storage, introduction(mine), []))
    }
    sent = ranges
    return .send(request(storage, try report(mine, sending: ranges, storage), ranges))
  }

  /// Takes in the response to the last request of ``next(_:)``.
  /// - Throws: ``SyncError``: `.wrongZone`; `.wrongAuthority`; `.badMessage` if neither side has a
  ///   zone; any error of the storage.
  package mutating func receive(_ response: SyncResponse, _ storage: any ReplicaStorage) throws {
    if storage.zone == .none {
      guard response.zone != .none else {
        throw SyncError(.badMessage, "the peer has no zone", hint: "Update the peer's software")
      }
      try storage.adopt(response.zone)
    }
    guard response.zone == storage.zone else {
      throw SyncError(
        .wrongZone, "the peer's zone is \(response.zone), and the store's is \(storage.zone)",
        hint: "Sync with a peer of the same zone")
    }
    progress.exchanges += 1
    peer = response.replica
    let mine = try storage.knowledge()
    note(response.report, mine)
    if case .entries(let mask, let entries) = response.report {
      for fork in try ForkSearch(mine: mine, storage).forks(in: entries, mask: mask) {
        refusals[fork.event.origin] = fork
      }
    }
    for refusal in response.refusals { refusals[refusal.event.origin] = refusal }
    let refusing = Set(response.refusals.map(\.event.origin))
    let accepted = sent.filter { !refusing.contains($0.origin) }
    try note(accepted, storage)
    progress.eventsSent += accepted.reduce(0) { $0 + UInt64($1.count) }
    if response.asksForKnowledge { told = nil }
    let (received, refused) = try take(response.ranges, storage, mine)
    progress.eventsReceived += received
    for refusal in refused { refusals[refusal.event.origin] = refusal }
    hasMore = response.hasMore
    // A head for events that are held already is progress, too: they can be handed on from now on.
    let isUnchanged = try accepted.isEmpty && storage.knowledge().digest == mine.digest
    idle = isUnchanged ? idle + 1 : 0
    sent = []
  }

  /// Records that the last request was lost, or its response was.
  ///
  /// The peer may have taken the events of the request. So the next request has none, and asks what
  /// the peer holds; what it took is not sent again.
  package mutating func exchangeWasLost() {
    (told, mask) = (nil, nil)
    guard !sent.isEmpty else { return }
    (remote, sent) = (nil, [])
  }

  /// Stops sending events, because the peer has refused a request with events from this replica.
  /// Receiving continues.
  package mutating func peerTakesNothing() {
    isPullOnly = true
    sent = []
  }

  /// What the peer holds, as far as is known.
  package var held: VersionVector { remote?.vector ?? VersionVector() }

  /// Makes the next step ask the peer, which has announced new events by other means. It asks even
  /// if earlier announcements came to nothing.
  package mutating func peerHasChanged() {
    hasMore = true
    idle = 0
  }

  /// The digest of what the peer held when it was last heard of; nil before that.
  package var peerDigest: KnowledgeDigest? { remoteDigest }

  /// Takes in news that the peer sends unasked: its new events, and the digest of all that it then
  /// holds.
  ///
  /// The ranges are checked as in any message. They must follow from what is held here, and from
  /// what is known of the peer. Otherwise a message was missed, and the next step asks the peer.
  /// - Returns: Whether the news follows from what is held and known.
  /// - Throws: ``SyncError`` `.wrongAuthority`; any error of the storage.
  @discardableResult
  package mutating func hear(_ news: SyncResponse, _ storage: any ReplicaStorage) throws -> Bool {
    guard case .digest(let digest) = news.report, news.zone == storage.zone, let before = remote
    else {
      hasMore = true
      return false
    }
    let (received, refused) = try take(news.ranges, storage, try storage.knowledge())
    progress.eventsReceived += received
    if remote?.digest == digest {
      remoteDigest = digest
      return true
    }
    // The peer was known to hold all ranges: the news is old, and newer messages follow.
    if refused.isEmpty, !news.ranges.isEmpty, remote?.sums == before.sums { return true }
    hasMore = true
    return false
  }

  // MARK: - Requests

  private func request(
    _ storage: any ReplicaStorage, _ report: KnowledgeReport, _ ranges: [EventRange]
  ) -> SyncRequest {
    SyncRequest(
      zone: storage.zone, replica: storage.replica, answerBytes: answerBytes, report: report,
      ranges: ranges)
  }

  /// Returns the report for a request with `ranges`.
  ///
  /// A hub stamps an event although it lacks part of the event's context, if the sender has no more
  /// to bring of that part. So the report must include what this replica has received since the
  /// last report, unless it is in `ranges`.
  private mutating func report(
    _ mine: Knowledge, sending ranges: [EventRange], _ storage: any ReplicaStorage
  ) throws -> KnowledgeReport {
    guard let told else { return introduction(mine) }
    if told.digest != mine.digest {
      var known = told
      try known.insert(ranges, storage)
      if known.digest != mine.digest { return introduction(mine) }
    }
    return .digest(told.digest)
  }

  /// Returns a report of what this replica holds, complete or step by step.
  private mutating func introduction(_ mine: Knowledge) -> KnowledgeReport {
    if let mask {
      self.mask = nil
      told = mask == .max ? mine : nil
      return .part(of: mine, mask)
    }
    if mine.count <= KnowledgeReport.listedOrigins {
      told = mine
      return .entries(mask: .max, mine)
    }
    told = mine
    // A peer that remembers this digest answers with its own digest, which tells nothing while they
    // differ. The sketch then finds what the peer lacks.
    if remote == nil, remoteDigest != nil { return .sketch(mine.sums) }
    return .digest(mine.digest)
  }

  // MARK: - Responses

  private mutating func note(_ report: KnowledgeReport, _ mine: Knowledge) {
    switch report {
    case .digest(let digest):
      remoteDigest = digest
      if digest == mine.digest { remote = mine }
    case .sketch(let sums):
      remoteDigest = KnowledgeDigest(sums: sums)
      mask = mine.differing(from: sums)
    case .entries(let mask, let entries):
      // Origins that the peer did not list are those that both sides hold alike.
      var known = mask == .max ? Knowledge() : remote ?? mine
      known.replace(mask, with: entries.entries(in: mask))
      if known.entries.allSatisfy({ $0.key == peer }) { wasFoundEmpty = true }
      remote = known
      remoteDigest = known.digest
    }
  }

  /// Records that both sides now hold these ranges.
  private mutating func note(_ ranges: [EventRange], _ storage: any ReplicaStorage) throws {
    try remote?.insert(ranges, storage)
    try told?.insert(ranges, storage)
  }

  /// Checks and stores ranges that the peer sent.
  /// - Returns: The number of events stored, and the refusals. Later ranges of a refused origin are
  ///   skipped.
  private mutating func take(
    _ ranges: [EventRange], _ storage: any ReplicaStorage, _ mine: Knowledge
  ) throws -> (stored: UInt64, refused: [RangeRefusal]) {
    let evidence = ForkEvidence(ranges, claimed: remote, storage)
    let check = try MessageCheck(ranges, storage, mine, instead: evidence.fork)
    if !check.taken.isEmpty { try storage.store(check.taken) }
    // A foreign hub that is not the peer is an ordinary refusal, and does not prevent syncing with
    // the peer.
    if let foreign = check.refusals.first(where: {
      $0.code == .foreignAuthority && $0.event.origin == peer
    }) {
      throw Self.foreignAuthority(foreign)
    }
    try note(check.accepted, storage)
    return (check.takenCount, check.refusals)
  }

  private static func foreignAuthority(_ refusal: RangeRefusal) -> SyncError {
    SyncError(
      .wrongAuthority,
      "the peer is hub \(refusal.event.origin), which another authority has certified than the "
        + "store knows",
      hint:
        "If the hub was set up anew on purpose, give it the authority.key of the one before, or "
        + "tell "
        + "each store with “evtool identity trust”"
    )
  }

  /// Returns whether this replica holds all that the peer holds, except for refused origins.
  private func isCovered(_ remote: Knowledge, by mine: Knowledge) -> Bool {
    RangePlan(from: remote, to: mine, excluding: Set(refusals.keys)).isEmpty
  }
}
