public import DaybookEngine
public import DaybookEventCore
import DaybookLocks
import DaybookLogEngine
import DaybookProjections
import DaybookReplication

/// Keeps a store in sync with its peers in the background. Local events are sent at once, and
/// announced events are fetched at once. Failed attempts are retried at increasing intervals.
///
/// ```swift
/// let engine = SyncEngine(store)
/// engine.add(hub)
/// for await states in engine.updates() { show(states) }
/// ```
/// Local reads and writes never wait for it.
public final class SyncEngine: Sendable {
  /// The engine's intervals. Each is at least a millisecond and at most a year.
  public struct Options: Sendable {
    /// The mean delay before the first retry after a failure. It doubles with each further failure,
    /// and a random factor from 0.5 to 1.5 is applied.
    public var firstRetry = Duration.milliseconds(500)
    /// The largest mean delay between retries.
    public var lastRetry = Duration.seconds(300)
    /// The polling interval of a peer. Peers that announce new events are polled as well, as a
    /// safeguard.
    public var interval = Duration.seconds(30)

    /// Makes options with the usual intervals.
    public init() {}

    fileprivate var bounded: Options {
      var bounded = self
      bounded.firstRetry = firstRetry.bounded
      bounded.lastRetry = lastRetry.bounded
      bounded.interval = interval.bounded
      return bounded
    }
  }

  /// How far an event has been delivered.
  public enum Delivery: Hashable, Sendable {
    /// The event is about a local collection and is never synced.
    case local
    /// No peer is known to hold the event.
    case waiting
    /// At least one peer holds the event.
    case sent
    /// A hub has stamped the event. The value is the time of the stamp.
    case stamped(HybridTime)
  }

  private let store: OpenStore
  private let options: Options
  private let notes: PeerNotes
  private let state = Mutex(State())
  private let loops = Broadcast<[PeerState]>()

  private struct State {
    var workers: [String: PeerWorker] = [:]
    var isPaused = false
    /// The token by which the engine listens to the store; nil if it does not.
    var listener: Int?
  }

  /// Creates an engine for a store. The store must stay open until ``stop()`` has returned.
  package init(_ store: OpenStore, options: Options = Options()) {
    self.store = store
    self.options = options.bounded
    notes = PeerNotes(PeerFile(path: store.files.peers))
  }

  // MARK: - Peers

  /// Begins to sync with a peer. It replaces a peer with the same address.
  public func add(_ peer: any SyncPeer) {
    begin()
    let worker = PeerWorker(peer, store, notes, options) { [weak self] in self?.publish() }
    let old = state.withLock { state -> PeerWorker? in
      defer { state.workers[peer.address] = worker }
      if state.isPaused { worker.pause() }
      return state.workers[peer.address]
    }
    old?.cancel()
    worker.begin()
  }

  /// Ends the sync with a peer, and cancels an exchange in progress.
  public func remove(address: String) {
    let old = state.withLock { $0.workers.removeValue(forKey: address) }
    old?.cancel()
    notes.forget(address)
    publish()
  }

  /// Begins to listen to the store when the first peer is added.
  private func begin() {
    state.withLock { state in
      guard state.listener == nil else { return }
      state.listener = store.watch.listen { [weak self] in
        for worker in self?.workers ?? [] { worker.wrote() }
      }
    }
  }

  private var workers: [PeerWorker] { state.withLock { Array($0.workers.values) } }

  // MARK: - Hooks

  /// Retries every peer now, regardless of earlier failures. Call it when the network is back, the
  /// user asks for a refresh, or a token was renewed.
  public func syncNow() { for worker in workers { worker.syncNow() } }

  /// Pauses the sync, for example when the app goes to the background. Exchanges in progress are
  /// completed.
  public func pause() { setPaused(true) }

  /// Resumes the sync and tries every peer now, for example when the app is in the foreground
  /// again.
  public func resume() { setPaused(false) }

  /// Tries one peer now; false if there is no such peer.
  package func syncNow(address: String) -> Bool {
    let worker = state.withLock { $0.workers[address] }
    worker?.syncNow()
    return worker != nil
  }

  /// Pauses the sync with one peer, or goes on with it; false if there is no such peer.
  package func setPaused(_ isPaused: Bool, address: String) -> Bool {
    let worker = state.withLock { $0.workers[address] }
    if isPaused { worker?.pause() } else { worker?.resume() }
    return worker != nil
  }

  private func setPaused(_ isPaused: Bool) {
    let workers = state.withLock { state in
      state.isPaused = isPaused
      return Array(state.workers.values)
    }
    for worker in workers { if isPaused { worker.pause() } else { worker.resume() } }
  }

  /// Stops the engine, and waits for work in progress to end.
  public func stop() async {
    let workers = state.withLock { state in
      defer { state.workers = [:] }
      if let listener = state.listener { store.watch.forget(listener) }
      state.listener = nil
      return Array(state.workers.values)
    }
    for worker in workers { worker.cancel() }
    for worker in workers { await worker.finish() }
    await notes.finish()
    loops.endLoops()
  }

  // MARK: - State

  /// The state of the sync with each peer, sorted by address.
  public var states: [PeerState] {
    workers.map(\.state).sorted { $0.address < $1.address }
  }

  /// Returns a stream of ``states``, which yields now and after each change. If the consumer is
  /// slow, only the newest value is kept.
  public func updates() -> AsyncStream<[PeerState]> {
    loops.values { states }
  }

  private func publish() {
    loops.send(states)
  }

  /// Returns how far an event of this store has been delivered, for example for the marks “sending”
  /// and “sent” in a chat.
  /// - Throws: what reading the store throws.
  public func delivery(of event: EventID) async throws -> Delivery {
    if event.origin.isPrivate { return .local }
    if let stamped = try await store.reads.asynchronously({ try $0.view.times(of: event) })?.stamped
    {
      return .stamped(stamped)
    }
    return workers.contains { $0.holds(event) } ? .sent : .waiting
  }
}
