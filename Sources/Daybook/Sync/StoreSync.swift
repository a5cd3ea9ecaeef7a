public import DaybookEngine
public import DaybookEventCore
public import DaybookPeers

/// The sync of a store with one peer, in the background.
///
/// ```swift
/// let sync = store.sync(with: hub)
/// for await state in sync.states { badge(state.phase, state.unacknowledged) }
/// ```
/// Local events are sent at once, and what the peer announces is fetched at once. Failed attempts
/// are repeated at increasing intervals. Local reads and writes never wait for it. For several
/// peers, use a ``SyncEngine``.
public final class StoreSync: Sendable {
  private let engine: SyncEngine

  fileprivate init(_ store: Store, _ peer: any SyncPeer, _ options: SyncEngine.Options) {
    engine = SyncEngine(store, options: options)
    engine.add(peer)
  }

  /// The state of the sync.
  public var state: PeerState { engine.states.first ?? PeerState(address: "") }

  /// The state of the sync: now, and after each change.
  ///
  /// A slow loop gets the newest state only. The states end with ``stop()``.
  public var states: AsyncStream<PeerState> {
    let updates = engine.updates()
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        for await states in updates { if let state = states.first { continuation.yield(state) } }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Tries now, whatever has failed before: when the network is back, or the user asks for it.
  public func syncNow() { engine.syncNow() }

  /// Pauses the sync, for example when the app goes to the background.
  public func pause() { engine.pause() }

  /// Goes on after a pause, and tries now.
  public func resume() { engine.resume() }

  /// Returns how far an event has been delivered.
  public func delivery(of event: EventID) async throws -> SyncEngine.Delivery {
    try await engine.delivery(of: event)
  }

  /// Stops the sync, and waits for work in progress to end. The store must stay open until then.
  public func stop() async { await engine.stop() }
}

extension Store {
  /// Begins to sync with a peer in the background, until ``StoreSync/stop()``.
  /// - Parameters:
  ///   - peer: a hub's zone (`HubClient`), a shared folder (``FolderPeer``) or another store
  ///     (``StorePeer``).
  ///   - options: the intervals.
  public func sync(
    with peer: some SyncPeer, options: SyncEngine.Options = SyncEngine.Options()
  ) -> StoreSync {
    StoreSync(self, peer, options)
  }
}
