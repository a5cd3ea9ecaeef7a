public import EventCore

/// The side that begins: says what to ask next, and takes in what is answered, until both hold the
/// same.
///
/// A pure state machine: it is handed the storage and the answers, and knows no time and no network.
/// An exchange that got lost is simply begun again: ``next(_:)`` says the same once more, or what has
/// become of it. Whatever was stored on either side counts.
public struct SyncSession {
  public enum Step {
    case send(SyncRequest)
    /// Both hold the same, but for what is in ``SyncSession/refusals``.
    case done
  }

  /// What came and went so far.
  public struct Progress: Hashable, Sendable {
    public var exchanges = 0
    public var eventsSent: UInt64 = 0
    public var eventsReceived: UInt64 = 0
  }

  public private(set) var progress = Progress()
  /// What the peer has not taken, or this replica has not; by origin, the latest reason.
  public private(set) var refusals: [ReplicaID: RangeRefusal] = [:]
  /// Who has answered.
  public private(set) var peer: ReplicaID?
  /// Origins of which the peer is sent nothing: it hears from themselves.
  public var withheld: Set<ReplicaID> = []
  /// Whether the peer is sent nothing at all, as it has said that it takes nothing from this replica.
  public private(set) var isPullOnly = false
  private let batchBytes: Int

  /// What the peer holds, as far as is known; nil at first.
  private var remote: Knowledge?
  /// What the peer thinks that this replica holds; nil where it knows nothing.
  private var told: Knowledge?
  /// The digest of what the peer held at its last answer.
  private var remoteDigest: KnowledgeDigest?
  /// The buckets in which the sides differ, where that is known and no more.
  private var mask: UInt64?
  private var hasMore = false
  private var sent: [EventRange] = []
  /// Exchanges in a row in which nothing came or went.
  private var idle = 0
  private static let idleMax = 4

  /// - Parameter batchBytes: bytes of ranges in a message, about, either way.
  public init(batchBytes: Int = SyncProtocol.batchBytes) { self.batchBytes = batchBytes }

  /// What to say next.
  /// - Throws: what the storage throws; ``SyncError`` `noProgress`.
  public mutating func next(_ storage: any ReplicaStorage) throws -> Step {
    let mine = try storage.knowledge()
    sent = []
    guard let remote else { return .send(request(storage, introduction(mine), [])) }
    let plan = RangePlan(
      from: mine, to: remote, excluding: withheld.union(refusals.keys), first: peer)
    let ranges = isPullOnly ? [] : try plan.ranges(from: storage, bytes: batchBytes).ranges
    // What is offered again and again, and refused each time, has an end too.
    if ranges.isEmpty, !hasMore || idle >= Self.idleMax {
      if remoteDigest == mine.digest { return .done }
      // All is told and taken; what differs was refused, or cannot be signed for.
      if remoteDigest == remote.digest, isCovered(remote, by: mine) { return .done }
      guard idle < Self.idleMax else { return .done }
      return .send(request(storage, introduction(mine), []))
    }
    sent = ranges
    let report = told.map { KnowledgeReport.digest($0.digest) } ?? introduction(mine)
    return .send(request(storage, report, ranges))
  }

  /// Takes in the answer to what ``next(_:)`` said last.
  /// - Throws: ``SyncError`` `wrongZone`, `wrongAuthority`; what the storage throws.
  public mutating func receive(_ response: SyncResponse, _ storage: any ReplicaStorage) throws {
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
    idle = received == 0 && accepted.isEmpty ? idle + 1 : 0
    sent = []
  }

  /// The peer has refused a request because it takes no events from this replica: what it holds is fetched, and
  /// nothing sent.
  public mutating func peerTakesNothing() {
    isPullOnly = true
    sent = []
  }

  /// What the peer holds, as far as is known.
  public var held: VersionVector { remote?.vector ?? VersionVector() }

  /// The peer has said by other means that it holds something new: it is asked at the next step.
  public mutating func peerHasChanged() { hasMore = true }

  /// What the peer held when it was last heard of; nil where it was not.
  public var peerDigest: KnowledgeDigest? { remoteDigest }

  /// Takes in what the peer tells without being asked: what is new there, and the digest of all that it
  /// holds then.
  ///
  /// It is judged as any range is. Where it does not join on to what is held, or to what is known of the
  /// peer, because something was missed, the peer is asked at the next step.
  /// - Returns: whether it joins on.
  /// - Throws: ``SyncError`` `wrongAuthority`; what the storage throws.
  @discardableResult
  public mutating func hear(_ news: SyncResponse, _ storage: any ReplicaStorage) throws -> Bool {
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
    // All of it was known of the peer: these are news of before, and later ones follow.
    if refused.isEmpty, !news.ranges.isEmpty, remote?.sums == before.sums { return true }
    hasMore = true
    return false
  }

  // MARK: - What is said

  private func request(
    _ storage: any ReplicaStorage, _ report: KnowledgeReport, _ ranges: [EventRange]
  ) -> SyncRequest {
    SyncRequest(
      zone: storage.zone, replica: storage.replica, answerBytes: batchBytes, report: report,
      ranges: ranges)
  }

  /// Tells what this replica holds: all, or by and by.
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
    // Who remembers what this digest means says its own, which tells nothing as long as it is another:
    // what the peer lacks is found by the buckets then.
    if remote == nil, remoteDigest != nil { return .sketch(mine.sums) }
    return .digest(mine.digest)
  }

  // MARK: - What is heard

  private mutating func note(_ report: KnowledgeReport, _ mine: Knowledge) {
    switch report {
    case .digest(let digest):
      remoteDigest = digest
      if digest == mine.digest { remote = mine }
    case .sketch(let sums):
      remoteDigest = KnowledgeDigest(sums: sums)
      mask = mine.differing(from: sums)
    case .entries(let mask, let entries):
      // What the peer did not list is what it has in common with this one.
      var known = mask == .max ? Knowledge() : remote ?? mine
      known.replace(mask, with: entries.entries(in: mask))
      remote = known
      remoteDigest = known.digest
    }
  }

  /// Both sides hold these ranges now.
  private mutating func note(_ ranges: [EventRange], _ storage: any ReplicaStorage) throws {
    try remote?.insert(ranges, storage)
    try told?.insert(ranges, storage)
  }

  /// - Returns: how many events were stored, and what was refused: the rest of its origin is left out.
  private mutating func take(
    _ ranges: [EventRange], _ storage: any ReplicaStorage, _ mine: Knowledge
  ) throws -> (stored: UInt64, refused: [RangeRefusal]) {
    let check = try MessageCheck(ranges, storage, mine)
    // Of another peer it is a refusal as any: whoever else it has met keeps nobody from syncing with it.
    if let foreign = check.refusals.first(where: {
      $0.code == .foreignAuthority && $0.event.origin == peer
    }) {
      throw Self.foreignAuthority(foreign)
    }
    try note(check.accepted, storage)
    return (check.stored, check.refusals)
  }

  private static func foreignAuthority(_ refusal: RangeRefusal) -> SyncError {
    SyncError(
      .wrongAuthority,
      "the peer is hub \(refusal.event.origin), which another authority has certified than the store knows",
      hint:
        "If the hub was set up anew on purpose, give it the authority.key of the one before, or tell "
        + "each store with “evtool identity trust”"
    )
  }

  /// Whether this replica holds all that the peer holds, but for origins that were refused.
  private func isCovered(_ remote: Knowledge, by mine: Knowledge) -> Bool {
    RangePlan(from: remote, to: mine, excluding: Set(refusals.keys)).isEmpty
  }
}
