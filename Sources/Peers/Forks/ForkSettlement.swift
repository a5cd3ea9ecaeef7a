package import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookReplication
package import Foundation

/// Settles forks: origins with one history in a store and another at a peer.
package struct ForkSettlement: Sendable {
  private let url: URL
  private let peer: any SyncPeer
  private let options: EngineOptions

  /// - Parameters:
  ///   - url: the folder of a store that is not open anywhere.
  ///   - peer: the peer that holds the other histories.
  ///   - options: the options for opening the store.
  package init(url: URL, peer: any SyncPeer, options: EngineOptions) {
    self.url = url
    self.peer = peer
    self.options = options
  }

  /// Settles all forks, one after another.
  /// - Returns: one report for each forked origin; empty if there is none.
  /// - Throws: ``StoreError`` `syncFailed`, `damaged`, `noSpace`, `ioFailed`; `locked` if the store
  ///   is open.
  package func settleAll() async throws -> [ForkReport] {
    try await StoreError.surfacingSync {
      var reports: [ForkReport] = []
      // Each removal produces a new log, so the search for forks starts again.
      while reports.count < 1000, let report = try await settleNext(known: reports) {
        reports.append(report)
      }
      return reports
    }
  }

  private func open() async throws -> OpenStore {
    try await Blocking.run { [self] in try OpenStore.open(at: url, options: options) }
  }

  private func settleNext(known: [ForkReport]) async throws -> ForkReport? {
    let store = try await open()
    let found: (report: ForkReport, stands: Bool)?
    do {
      found = try await store.findFork(with: peer, known: known)
      try await Blocking.run { try store.close() }
    } catch {
      try? await Blocking.run { try store.close() }
      throw error
    }
    guard let (fork, stands) = found else { return nil }
    guard !stands else { return fork }
    let branch = Branch(origin: fork.origin, from: fork.common + 1)
    let outcome = try await Blocking.run { [self] in
      try BranchRemoval.remove(branch, of: StoreFiles(folder: url))
    }
    var report = fork
    report.outcome = .removed(quarantine: outcome.quarantined)
    (report.renewed, report.reissued) = (outcome.renewed, outcome.reissued)
    // Opening rebuilds the read model.
    let rebuilt = try await open()
    try await Blocking.run { try rebuilt.close() }
    return report
  }
}

extension OpenStore {
  /// Syncs with a peer and looks for a fork that has not been reported yet.
  /// - Returns: a report on the first fork, and whether this store's branch stands; nil if there is
  ///   none.
  fileprivate func findFork(with peer: any SyncPeer, known: [ForkReport]) async throws -> (
    report: ForkReport, stands: Bool
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
      var report = ForkReport(
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
    _ origin: ReplicaID, after held: UInt64, _ peer: any SyncPeer, _ replica: StoreReplica
  ) async throws -> ForkReport? {
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
      return ForkReport(
        origin: origin, common: held, events: events, outcome: .kept, renewed: nil, reissued: 0)
    }
    return nil
  }

  /// Sends a peer the events of an origin after the given one, as many as a message takes, then
  /// syncs to receive its reply.
  /// - Returns: the report of the sync.
  private func show(
    _ event: EventID, to peer: any SyncPeer, _ replica: StoreReplica
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
