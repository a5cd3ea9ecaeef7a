package import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookLocks
package import DaybookPeers

/// A store under inspection: what all pages about it share.
package final class Inspection: Sendable {
  /// What the inspector may do, and as whom.
  package struct Options: Sendable {
    /// The name that the page shows.
    package var name: String
    /// The author of what the page writes.
    package var actor: String
    /// Whether the page may only read.
    package var isReadOnly: Bool
    /// The version of the program.
    package var version: String
    /// Whether the page may name a folder on this machine, for a backup.
    package var allowsBackups = true
    /// The most statements of SQL that run at once: each may take a minute of a processor.
    package var queriesMax = 4

    package init(name: String, actor: String, isReadOnly: Bool, version: String) {
      self.name = name
      self.actor = actor
      self.isReadOnly = isReadOnly
      self.version = version
    }
  }

  package let store: Store
  package let options: Options
  let journal = ConnectionJournal()
  let authors = AuthorCounts()
  let shelf: PastShelf
  let feed: StoreFeed
  private let engine = Mutex<SyncEngine?>(nil)
  private let ownEngine = Mutex<SyncEngine?>(nil)
  private let queries = Mutex(0)
  private let following = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter store: the store, which stays open until ``end()`` has returned.
  package init(_ store: Store, _ options: Options) {
    self.store = store
    self.options = options
    shelf = PastShelf(store)
    feed = StoreFeed(store)
  }

  /// Begins to sync with peers, as far as the page does not pause that.
  package func sync(with peers: [any SyncPeer]) {
    let engine = SyncEngine(store)
    for peer in peers { engine.add(peer) }
    ownEngine.withLock { $0 = engine }
    follow(engine)
  }

  /// Shows a sync that others own, and lets the page pause it.
  package func follow(_ engine: SyncEngine) {
    self.engine.withLock { $0 = engine }
    let task = Task { [journal, feed] in
      for await states in engine.updates() {
        journal.note(states)
        feed.peersChanged()
      }
    }
    following.withLock { $0 = task }
  }

  /// Ends the sync and what runs for pages. The store may be closed afterwards.
  package func end() async {
    feed.end()
    engine.withLock { $0 = nil }
    let own = ownEngine.withLock { engine in
      defer { engine = nil }
      return engine
    }
    await own?.stop()
    following.withLock { $0 }?.cancel()
    await shelf.empty()
  }

  // MARK: - Peers

  /// The states of the peers that are synced with, and their sync; nil if there is no sync.
  var syncing: SyncEngine? { engine.withLock { $0 } }

  // MARK: - Writing

  func requireWritable() throws(APIFailure) {
    guard options.isReadOnly else { return }
    throw APIFailure(
      403, "readOnly", "the inspector was started for reading only",
      cure: "Start it without --read-only")
  }

  /// Writes one event.
  /// - Returns: the event; nil if there was nothing to change.
  func write(
    _ label: String, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws -> EventID? {
    try requireWritable()
    return try await store.write(actor: options.actor, label: label) { transaction in
      try body(transaction)
      return transaction.isEmpty ? nil : transaction.event
    }
  }

  // MARK: - SQL

  /// Runs a query unless too many run already.
  /// - Throws: ``APIFailure`` `busy`; what `body` throws.
  func oneOfFewQueries<T>(_ body: () async throws -> T) async throws -> T {
    let most = options.queriesMax
    let isFree = queries.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isFree else {
      throw APIFailure(
        503, "busy", "\(most) statements run already", cure: "Wait for one to end")
    }
    defer { queries.withLock { $0 -= 1 } }
    return try await body()
  }

  // MARK: - The past

  /// Returns the store to read at a moment: the store itself without one, else the past if it is
  /// built.
  /// - Throws: ``APIFailure`` `notBuilt` if it is not; what reading a position throws.
  func reading(at text: String?) async throws -> Store {
    guard let text, !text.isEmpty else { return store }
    let vector = try await store.vector(at: try await store.position(text))
    guard let past = await shelf.built(vector) else {
      throw APIFailure(
        409, "notBuilt", "that moment is not built yet", cure: "Call `past` first")
    }
    return past
  }
}
