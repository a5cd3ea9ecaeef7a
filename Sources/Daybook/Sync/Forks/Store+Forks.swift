public import DaybookEventCore
import DaybookLogEngine
import DaybookReplication
public import Foundation

extension Store {
  /// The result of settling a fork, that is, an origin with two histories.
  public struct ForkReport: Hashable, Sendable {
    /// What has become of a fork.
    public enum Outcome: Hashable, Sendable {
      /// This store's branch stands. The peer has to give up its own.
      case kept
      /// This store's branch stands, and the peer, a hub, holds no other any more.
      case agreed
      /// The peer's branch stands. This store's branch was removed from the log. The old log is in
      /// the folder `quarantine`, relative to the store's folder.
      case removed(quarantine: String)
    }

    /// The origin that had two histories.
    public var origin: ReplicaID
    /// The number of the last event that both histories share; 0 if there is none.
    public var common: UInt64
    /// The number of events in this store's branch.
    public var events: UInt64
    /// What has become of the fork.
    public var outcome: Outcome
    /// The new replica under which this store has reissued the events of its branch. It is nil if
    /// another replica is their author, because then that replica reissues them.
    public var renewed: ReplicaID?
    /// The number of events that were reissued under the new replica.
    public var reissued: UInt64
  }
}

extension Store {
  /// Gives a store a new key and so makes it a new replica. Call it after a store was copied,
  /// before both copies write. The store's existing events stay, and are still synced.
  /// - Parameters:
  ///   - url: the store's folder.
  ///   - options: the options for opening the store.
  /// - Returns: the old and the new replica id.
  /// - Throws: ``StoreError`` if the store cannot be opened or written.
  public static func renewIdentity(at url: URL, options: Options = Options()) async throws
    -> (before: ReplicaID, after: ReplicaID)
  {
    let store = try await open(at: url, options: options)
    do {
      let (before, after) = try await store.onCommitThread { try $0.renewByHand() }
      try await store.close()
      return (before, after)
    } catch {
      try? await store.close()
      throw error
    }
  }

  /// Settles forks: origins with one history here and another at a peer. A fork arises if a store
  /// is copied together with its key, or restored to an earlier state.
  ///
  /// The peer must show its branch, signed by the origin's key; its mere claim changes nothing. The
  /// branch that a hub has stamped first stands. If neither is stamped, it is the branch with the
  /// smaller chain value after the last common event. If this store's branch stands and the peer
  /// is a hub, it is shown this branch, and gives up its own. If the peer's branch stands, this
  /// store's branch is removed from the log. The old log is kept in `quarantine/`. If this store is
  /// the branch's author, its events are reissued under a new identity, with the same operations
  /// and causal context. Nothing is lost, and the next sync fetches the branch that stands.
  ///
  /// Cost: copies the log and rebuilds the read model, for each branch that is removed.
  /// - Parameters:
  ///   - url: the folder of a store that is not open anywhere.
  ///   - peer: the peer that holds the other histories.
  ///   - options: the options for opening the store.
  /// - Returns: one report for each forked origin; empty if there is none.
  /// - Throws: ``StoreError`` `syncFailed`, `damaged`, `noSpace`, `ioFailed`; `locked`
  ///   if the store is open.
  public static func settleForks(
    at url: URL, with peer: some SyncPeer, options: Options = Options()
  ) async throws -> [Store.ForkReport] {
    try await StoreError.surfacingSync {
      var reports: [Store.ForkReport] = []
      // Each removal produces a new log, so the search for forks starts again.
      while reports.count < 1000 {
        guard let report = try await settleFork(at: url, peer, options, known: reports) else {
          break
        }
        reports.append(report)
      }
      return reports
    }
  }

  private static func settleFork(
    at url: URL, _ peer: some SyncPeer, _ options: Options, known: [Store.ForkReport]
  ) async throws -> Store.ForkReport? {
    let store = try await open(at: url, options: options)
    let found: (report: Store.ForkReport, stands: Bool)?
    do {
      found = try await store.findFork(with: peer, known: known)
      try await store.close()
    } catch {
      try? await store.close()
      throw error
    }
    guard let (fork, stands) = found else { return nil }
    guard !stands else { return fork }
    let branch = Branch(origin: fork.origin, from: fork.common + 1)
    let outcome = try await Blocking.run { try removeBranch(branch, at: url) }
    var report = fork
    report.outcome = .removed(quarantine: outcome.quarantined)
    (report.renewed, report.reissued) = (outcome.renewed, outcome.reissued)
    // Opening rebuilds the read model.
    try await open(at: url, options: options).close()
    return report
  }

  static func removeBranch(_ branch: Branch, at url: URL) throws -> BranchRemoval.Outcome {
    let files = StoreFiles(folder: url)
    return try alone(files) {
      let log = try EventLog.reading(files)
      try log.requireWhole()
      let outcome = try BranchRemoval(files: files, environment: .system).run(
        branch, log, try IdentityFile.read(files))
      try log.close()
      try BranchRemoval.finish(files)
      return outcome
    }
  }

  /// Syncs with a peer and looks for a fork that has not been reported yet.
  /// - Returns: a report on the first fork, and whether this store's branch stands; nil if there is
  ///   none.
  private func findFork(with peer: some SyncPeer, known: [Store.ForkReport]) async throws -> (
    report: Store.ForkReport, stands: Bool
  )? {
    // Exchange everything else first, because stamps decide which branch stands.
    let sync = try await syncOnce(with: peer)
    let settled = Set(known.map(\.origin))
    let isHub = try sync.peer.map { try log.snapshot().isHub($0) } ?? false
    // Hubs come first, because their stamps decide about the others.
    let forks = try sync.refusals.filter { $0.code == .fork && !settled.contains($0.event.origin) }
      .sorted { a, b in
        let isFirst = try log.snapshot().isHub(a.event.origin)
        return try isFirst && !log.snapshot().isHub(b.event.origin)
      }
    for fork in forks {
      let origin = fork.event.origin
      let replica = try await Blocking.run { [self] in try StoreReplica(self) }
      let held = log.vector[origin]
      var probe = ForkProbe(origin, held: held)
      while case .send(let request) = try probe.next(replica) {
        try probe.receive(try await replica.exchange(request, with: peer), replica)
      }
      // The peer's claim alone changes nothing. Each sync reports the refusal.
      guard case .forked(let proof) = try probe.next(replica) else {
        if let report = try await foreignBeyondGap(origin, after: held, peer, replica) {
          return (report, false)
        }
        continue
      }
      var report = Store.ForkReport(
        origin: origin, common: proof.common, events: held - proof.common, outcome: .kept,
        renewed: nil, reissued: 0)
      let stands = try ForkJudgement(log.snapshot(), proof).stands()
      // A hub gives up the branch that does not stand, or says that its own stands, after it is
      // shown the other. It has to know of another history of itself in any case: its folder was
      // copied with its key, and it takes a new identity then.
      let isOfHub = try log.snapshot().isHub(origin)
      guard stands ? isHub || isOfHub : isHub && isOfHub else { return (report, stands) }
      let after = try await show(EventID(origin, proof.common), to: peer, replica)
      guard try ForkJudgement(log.snapshot(), proof).stands() else { return (report, false) }
      if !after.refusals.contains(where: { $0.event.origin == origin }) { report.outcome = .agreed }
      return (report, true)
    }
    return nil
  }

  /// Looks for events beyond a gap that belong to another history than the peer's events in the
  /// gap. This replica does not hold the beginning of that history and can only receive it from a
  /// replica that holds it all. So its events beyond the gap are to be removed.
  /// - Parameters:
  ///   - origin: the origin to check.
  ///   - held: the number of events held from the first on, without a gap.
  ///   - peer: the peer that may fill the gap.
  ///   - replica: this store's side of the exchange.
  /// - Returns: a report on those events; nil if there are none.
  private func foreignBeyondGap(
    _ origin: ReplicaID, after held: UInt64, _ peer: some SyncPeer, _ replica: StoreReplica
  ) async throws -> Store.ForkReport? {
    let beyond = log.snapshot().ranges(of: origin).beyondGaps
    guard !beyond.isEmpty else { return nil }
    let request = try ForkProbe(origin, held: held).request(
      replica, holding: held, answerBytes: SyncProtocol.batchBytes)
    // The check refuses as forks only ranges that the origin has signed and that the held events do
    // not follow. One check has all ranges, because each follows from the one before.
    var check = RangeCheck(replica, knowledge: try replica.knowledge())
    for range in try await replica.exchange(request, with: peer).ranges
    where range.origin == origin {
      guard case .refuse(let refusal) = try check.judge(range), refusal.code == .fork,
        refusal.event.sequence > held
      else { continue }
      let events = beyond.reduce(UInt64(0)) { $0 + $1.upperBound - $1.lowerBound + 1 }
      return Store.ForkReport(
        origin: origin, common: held, events: events, outcome: .kept, renewed: nil, reissued: 0)
    }
    return nil
  }

  /// Sends a peer the events of an origin after the given one, as many as a message takes, then
  /// syncs to receive its reply.
  /// - Returns: the report of the sync.
  private func show(
    _ event: EventID, to peer: some SyncPeer, _ replica: StoreReplica
  ) async throws -> SyncReport {
    let request = try await Blocking.run {
      SyncRequest(
        zone: replica.zone, replica: replica.replica, answerBytes: 0,
        report: .digest(try replica.knowledge().digest),
        ranges: try replica.ranges(after: event, atMost: SyncProtocol.batchBytes))
    }
    if !request.ranges.isEmpty { _ = try await peer.exchange(request) }
    return try await syncOnce(with: peer)
  }
}
