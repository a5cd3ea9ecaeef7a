import DaybookEngine
public import DaybookEventCore
public import DaybookPeers
public import Foundation

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
      let (before, after) = try await store.core.onCommitThread { try $0.renewByHand() }
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
    try await ForkSettlement(url: url, peer: peer, options: options.engine).settleAll()
  }
}
