import DaybookEngine
public import DaybookPeers
public import DaybookReplication

extension Store {
  /// Exchanges events with a peer until both hold the same events. Reads and writes continue
  /// meanwhile.
  ///
  /// The first sync of a store adopts the peer's zone and, if the peer is a hub, pins its
  /// authority. If a sync fails, the events exchanged before the failure are kept, and the next
  /// call continues from there. A peer may refuse events from this store, for example if the token
  /// is read-only. Then the store only fetches, and ``SyncReport/eventsUnsent`` counts the events
  /// it kept back.
  /// - Parameters:
  ///   - peer: the peer to exchange events with.
  ///   - progress: called after each exchange.
  /// - Returns: what the sync has sent, received, refused and found.
  /// - Throws: ``StoreError`` `syncFailed`, with a `SyncError` as its cause; `readOnly`, `noSpace`;
  ///   `damaged` if the log is damaged.
  @discardableResult
  public func syncOnce(
    with peer: some SyncPeer,
    progress: @Sendable (SyncEngine.Progress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try await core.syncOnce(with: peer, progress: progress)
  }
}
