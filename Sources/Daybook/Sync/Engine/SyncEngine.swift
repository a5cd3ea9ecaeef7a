public import EventCore
import LogEngine
import Replication
import Synchronization

/// Keeps a store in sync with its peers, in the background: what is written goes out at once, what is
/// announced comes in at once, and what fails is tried again, later and later.
///
/// ```swift
/// let engine = SyncEngine(store)
/// engine.add(hub)
/// for await states in engine.updates() { show(states) }
/// ```
/// Local reads and writes never wait for it.
public final class SyncEngine: Sendable {
  /// How long to wait for what. Less than a millisecond counts as one, and more than a year as that.
  public struct Options: Sendable {
    /// After a failure, half to one and a half times so long; twice as long after each more.
    public var firstRetry = Duration.milliseconds(500)
    public var lastRetry = Duration.seconds(300)
    /// A peer that does not say when it has something new is asked so often; one that does, to be sure.
    public var interval = Duration.seconds(30)
    /// What other processes write to the store is looked for so often.
    public var lookout = Duration.milliseconds(250)

    public init() {}

    fileprivate var bounded: Options {
      var bounded = self
      bounded.firstRetry = firstRetry.bounded
      bounded.lastRetry = lastRetry.bounded
      bounded.interval = interval.bounded
      bounded.lookout = lookout.bounded
      return bounded
    }
  }

  /// How far an event has come.
  public enum Delivery: Hashable, Sendable {
    /// It is about a local collection, and goes nowhere.
    case local
    /// No peer is known to hold it.
    case waiting
    /// A peer holds it.
    case sent
    /// The hub has given it its place in the order.
    case stamped(HybridTime)
  }

  public let store: Store
  private let options: Options
  private let notes: PeerNotes
  private let state = Mutex(State())

  private struct State {
    var workers: [String: PeerWorker] = [:]
    var listeners: [Int: AsyncStream<[PeerState]>.Continuation] = [:]
    var next = 0
    var isPaused = false
    var lookout: Task<Void, Never>?
    var signal: Int?
  }

  /// The store must stay open until ``stop()`` has returned.
  public init(_ store: Store, options: Options = Options()) {
    self.store = store
    self.options = options.bounded
    notes = PeerNotes(PeerFile(path: store.files.peers))
  }

  // MARK: - Peers

  /// Begins to sync with a peer; one of the same address takes the other's place.
  public func add(_ peer: any SyncPeer) {
    begin()
    let worker = PeerWorker(peer, store, notes, options) { [weak self] in self?.publish() }
    let old = state.withLock { state -> PeerWorker? in
      defer { state.workers[peer.address] = worker }
      if state.isPaused { worker.pause() }
      return state.workers[peer.address]
    }
    old?.cancel()
    worker.start()
  }

  /// Ends syncing with a peer; an exchange under way is given up.
  public func remove(address: String) {
    let old = state.withLock { $0.workers.removeValue(forKey: address) }
    old?.cancel()
    notes.forget(address)
    publish()
  }

  /// Listens to the store, from the first peer on.
  private func begin() {
    let isFirst = state.withLock { state -> Bool in
      guard state.signal == nil else { return false }
      state.signal = -1
      return true
    }
    guard isFirst else { return }
    let signal = store.signal.listen { [weak self] in self?.ring(.local) }
    let lookout = Task { [weak self, store, options] in
      var seen = store.log.vector
      while !Task.isCancelled {
        try? await Task.sleep(for: options.lookout)
        // What cannot be read now is looked for the next time.
        try? await Blocking.run { try store.log.refreshForReading() }
        let now = store.log.vector
        if now != seen { self?.ring(.local) }
        seen = now
      }
    }
    state.withLock { state in
      state.signal = signal
      state.lookout = lookout
    }
  }

  private func ring(_ reason: Alarm.Reason) {
    let workers = state.withLock { Array($0.workers.values) }
    for worker in workers { worker.alarm.ring(reason) }
  }

  // MARK: - Hooks

  /// Tries every peer now, whatever has failed before: the network is back, somebody has pulled down a
  /// list, a token was renewed.
  public func syncNow() { ring(.now) }

  /// Nothing more is begun: the app goes to the background. What is under way is finished.
  public func pause() { setPaused(true) }

  /// Goes on, and tries every peer now: the app is in the foreground again.
  public func resume() { setPaused(false) }

  private func setPaused(_ isPaused: Bool) {
    let workers = state.withLock { state in
      state.isPaused = isPaused
      return Array(state.workers.values)
    }
    for worker in workers { if isPaused { worker.pause() } else { worker.resume() } }
  }

  /// Ends everything, and waits for what is under way.
  public func stop() async {
    let (workers, listeners) = state.withLock { state in
      defer {
        state.workers = [:]
        state.listeners = [:]
      }
      state.lookout?.cancel()
      if let signal = state.signal { store.signal.forget(signal) }
      state.signal = nil
      return (Array(state.workers.values), Array(state.listeners.values))
    }
    for worker in workers { worker.cancel() }
    for worker in workers { await worker.finish() }
    await notes.finish()
    for listener in listeners { listener.finish() }
  }

  // MARK: - State

  /// How it stands with each peer, by address.
  public var states: [PeerState] {
    let workers = state.withLock { Array($0.workers.values) }
    return workers.map(\.state).sorted { $0.address < $1.address }
  }

  /// ``states``, now and after each change; what nobody takes in time gives way to the next.
  public func updates() -> AsyncStream<[PeerState]> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let id = state.withLock { state in
        state.next += 1
        state.listeners[state.next] = continuation
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.listeners[id] = nil }
      }
      continuation.yield(states)
    }
  }

  private func publish() {
    let states = states
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.yield(states) }
  }

  /// How far an event of this store has come: what a chat shows as “sending” and “sent”.
  public func delivery(of event: EventID) async throws -> Delivery {
    if event.origin.isPrivate { return .local }
    if let stamped = try await store.times(of: event)?.stamped { return .stamped(stamped) }
    let workers = state.withLock { Array($0.workers.values) }
    return workers.contains { $0.holds(event) } ? .sent : .waiting
  }
}
