import DaybookEngine
public import DaybookPeers

extension SyncEngine {
  /// Creates an engine for a store. The store must stay open until ``stop()`` has returned.
  public convenience init(_ store: Store, options: Options = Options()) {
    self.init(store.core, options: options)
  }
}

extension StorePeer {
  /// Makes a peer of a store, which must stay open while it is synced with.
  public convenience init(_ store: Store) { self.init(store.core) }
}
