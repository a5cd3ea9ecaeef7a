package import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
package import DaybookReplication
import GRDB

extension OpenStore {
  /// Exchanges events with a peer until both hold the same events.
  /// - Parameters:
  ///   - peer: the peer to exchange events with.
  ///   - progress: called after each exchange.
  /// - Throws: ``StoreError``.
  package func syncOnce(
    with peer: some SyncPeer, progress: @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try await StoreError.surfacingSync { try await exchangeAll(with: peer, progress) }
  }

  private func exchangeAll(
    with peer: some SyncPeer, _ progress: @Sendable (SyncProgress) -> Void
  ) async throws -> SyncReport {
    try requireWritable()
    try log.requireWhole()
    let conflictsBefore = try await conflictCount()
    let run = try await Blocking.run { [self] in try SyncRun(self) }
    let file = PeerFile(path: files.peers)
    let before = try? await Blocking.run { try file.read() }.first {
      $0.address.isSame(as: peer.address)
    }
    do {
      var response: SyncResponse?
      while true {
        let request = try await Blocking.run { [response] in
          try run.next(after: response, to: peer)
        }
        if response != nil { progress(run.progress) }
        guard let request else { break }
        response = try await run.exchange(request, with: peer)
      }
    } catch {
      // Project what was received before the failure.
      try? await projectReceived()
      throw error
    }
    if run.replica.isBehind { try await projectReceived() }
    let conflicts = try await conflictCount()
    var state = PeerState(address: peer.address)
    state.replica = run.peer
    state.acknowledged = run.held[run.replica.replica]
    state.lastSuccess = StoreEnvironment.system.wallMilliseconds()
    state.note(run.refusals)
    let known = state
    _ = try? await Blocking.run { file.update([known.address: known]) }
    var report = SyncReport(
      peer: run.peer, zone: run.replica.zone, eventsSent: run.progress.eventsSent,
      eventsReceived: run.progress.eventsReceived, exchanges: run.progress.exchanges,
      refusals: run.refusals,
      newConflicts: max(0, conflicts - conflictsBefore), findings: peer.findings)
    report.eventsUnsent = run.unsent
    report.eventsMissing = report.findings.eventsMissing(in: log.ranges)
    if let emptied = run.emptied(since: before?.acknowledged ?? 0, findings: report.findings) {
      report.findings.insert(emptied, at: 0)
    }
    return report
  }

  private func conflictCount() async throws -> Int {
    try await reads.asynchronously { snapshot in
      try InternalCounts.conflicts(snapshot.database)
    }
  }

  /// Projects the received events into the read model. Applies them one by one, or rebuilds the
  /// read model if that is quicker.
  package func projectReceived() async throws {
    let isFar = try await onCommitThread { engine in
      guard engine.isBehind else { return false }
      if engine.log.isWorthRebuilding(from: engine.projector.wholeVector) { return true }
      try engine.catchUp()
      return false
    }
    if isFar { try await rebuild { _ in } }
  }
}
