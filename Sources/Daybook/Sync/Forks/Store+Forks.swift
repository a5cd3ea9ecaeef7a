public import EventCore
public import Foundation
import LogEngine
import Replication

/// What became of an origin with two histories.
public struct ForkReport: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    /// This store's branch stands: the peer has to give up its own.
    case kept
    /// The peer's branch stands. This store's was taken out of the log; the log as it was is in that
    /// folder, relative to the store's.
    case removed(quarantine: String)
  }

  public var origin: ReplicaID
  /// The last event that both have in common; 0 where there is none.
  public var common: UInt64
  /// Events of this store's branch.
  public var events: UInt64
  public var outcome: Outcome
  /// As whom this store has written the events of its branch again, and how many; nil where another
  /// replica is their author, who does that.
  public var renewed: ReplicaID?
  public var reissued: UInt64
}

extension Store {
  /// Gives a store a new key, and so makes it a new replica: after it was copied, before both copies
  /// write. What it has written stays, and travels on.
  /// - Returns: which replica it was, and which it is.
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

  /// Puts right that an origin has two histories, one here and one at a peer, because a store was copied
  /// with its key, or restored to an earlier state.
  ///
  /// The peer has to show its branch, signed by the origin's key: what it merely says changes nothing. The
  /// branch that a hub has stamped stands; where none is stamped, the one with the smaller chain
  /// value after the last common event. If it is the peer's, this store's branch is taken out of the log
  /// (which is kept as it was, in `quarantine/`) and, where this store is its author, written again under
  /// a new identity: the same operations, with what their author had seen. Nothing is lost, and the
  /// next sync brings the branch that stands.
  ///
  /// Cost: copies the log, and makes the read model again.
  /// - Parameter url: of a store that nobody has open.
  /// - Returns: one report for each such origin; none where there is none.
  /// - Throws: ``SyncError``; ``StoreError`` `damaged`, `noSpace`, `ioFailed`; `LogError` `locked` where
  ///   the store is open.
  public static func settleForks(
    at url: URL, with peer: some SyncPeer, options: Options = Options()
  ) async throws -> [ForkReport] {
    var reports: [ForkReport] = []
    // Each removal makes another log, so they are looked for anew.
    while reports.count < 1000 {
      guard let report = try await settleFork(at: url, peer, options, known: reports) else { break }
      reports.append(report)
    }
    return reports
  }

  private static func settleFork(
    at url: URL, _ peer: some SyncPeer, _ options: Options, known: [ForkReport]
  ) async throws -> ForkReport? {
    let store = try await open(at: url, options: options)
    let found: (report: ForkReport, stands: Bool)?
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
    // Makes the read model.
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

  /// - Returns: what is known of the first fork, and whether this store's branch stands.
  private func findFork(with peer: some SyncPeer, known: [ForkReport]) async throws -> (
    report: ForkReport, stands: Bool
  )? {
    // What is not forked is exchanged first: stamps say which branch stands.
    let sync = try await sync(with: peer)
    let settled = Set(known.map(\.origin))
    let forks = sync.refusals.filter { $0.code == .fork && !settled.contains($0.event.origin) }
    for fork in forks {
      let origin = fork.event.origin
      let replica = try await Blocking.run { [self] in try StoreReplica(self) }
      let held = log.vector[origin]
      var probe = ForkProbe(origin, held: held)
      while case .send(let request) = try probe.next(replica) {
        try probe.receive(try await replica.exchange(request, with: peer), replica)
      }
      // A peer's word alone changes nothing; the refusal is reported by each sync.
      guard case .forked(let proof) = try probe.next(replica) else {
        if let report = try await foreignBeyondGap(origin, after: held, peer, replica) {
          return (report, false)
        }
        continue
      }
      let report = ForkReport(
        origin: origin, common: proof.common, events: held - proof.common, outcome: .kept,
        renewed: nil, reissued: 0)
      let stands = try ForkJudgement(log.snapshot(), proof).stands()
      guard stands, try log.snapshot().isHub(origin) else { return (report, stands) }
      // A hub can keep one history only, and says which, once it is shown the other.
      try await show(EventID(origin, proof.common), to: peer, replica)
      return (report, try ForkJudgement(log.snapshot(), proof).stands())
    }
    return nil
  }

  /// Whether what is held of an origin beyond a gap is of another history than what the peer has for the gap. That
  /// history was not begun here, so it can only be taken from whoever has all of it: what is held of it goes.
  /// - Parameter held: how many events of the origin are held, from the first on.
  private func foreignBeyondGap(
    _ origin: ReplicaID, after held: UInt64, _ peer: some SyncPeer, _ replica: StoreReplica
  ) async throws -> ForkReport? {
    let beyond = log.snapshot().ranges(of: origin).beyondGaps
    guard !beyond.isEmpty else { return nil }
    let request = try ForkProbe(origin, held: held).request(
      replica, holding: held, answerBytes: SyncProtocol.batchBytes)
    for range in try await replica.exchange(request, with: peer).ranges
    where range.origin == origin {
      // It refuses only what the origin has signed, and what is held does not follow from.
      var check = RangeCheck(replica, knowledge: try replica.knowledge())
      guard case .refuse(let refusal) = try check.judge(range), refusal.code == .fork,
        refusal.event.sequence > held
      else { continue }
      let events = beyond.reduce(UInt64(0)) { $0 + $1.upperBound - $1.lowerBound + 1 }
      return ForkReport(
        origin: origin, common: held, events: events, outcome: .kept, renewed: nil, reissued: 0)
    }
    return nil
  }

  /// Shows a peer what is held of an origin after an event, and takes what it says to that.
  private func show(
    _ event: EventID, to peer: some SyncPeer, _ replica: StoreReplica
  ) async throws {
    let range = try replica.range(
      of: event.origin, after: event.sequence, through: .max, hasGap: false)
    guard let range else { return }
    _ = try await peer.exchange(
      SyncRequest(
        zone: replica.zone, replica: replica.replica, answerBytes: 0,
        report: .digest(try replica.knowledge().digest), ranges: [range]))
    try await sync(with: peer)
  }
}
