import EventCore
import Foundation
import LogEngine
import Replication
import Synchronization

/// The task that keeps a store in sync with one peer. It runs on an executor whose threads may wait
/// for the disk.
final class PeerWorker: Sendable {
  let alarm = Alarm()
  private let peer: any SyncPeer
  private let store: Store
  private let notes: PeerNotes
  private let options: SyncEngine.Options
  private let publish: @Sendable () -> Void
  private let inner: Mutex<Inner>

  private struct Inner {
    var state: PeerState
    var held = VersionVector()
    /// Events that the peer has announced without being asked, in order of arrival.
    var news: [SyncResponse] = []
    /// The digest of what the peer says it holds; nil once it has been examined.
    var announced: KnowledgeDigest?
    /// Whether the peer may hold new events that it has not described.
    var mustAsk = false
    var isPaused = false
    var task: Task<Void, Never>?
    var listening: Task<Void, Never>?
  }

  init(
    _ peer: any SyncPeer, _ store: Store, _ notes: PeerNotes, _ options: SyncEngine.Options,
    publish: @escaping @Sendable () -> Void
  ) {
    self.peer = peer
    self.store = store
    self.notes = notes
    self.options = options
    self.publish = publish
    inner = Mutex(Inner(state: PeerState(address: peer.address)))
  }

  var state: PeerState {
    var state = inner.withLock { $0.state }
    let own = store.log.vector[store.replica]
    state.pending = own - min(own, state.acknowledged)
    return state
  }

  /// Returns whether the peer is known to hold an event.
  func holds(_ event: EventID) -> Bool { inner.withLock { $0.held.contains(event) } }

  func start() {
    let task = Task(executorPreference: Blocking.executor) { [self] in await work() }
    inner.withLock { $0.task = task }
  }

  func cancel() {
    inner.withLock { inner in
      inner.task?.cancel()
      inner.listening?.cancel()
    }
  }

  func finish() async { await inner.withLock { $0.task }?.value }

  func pause() {
    inner.withLock { $0.isPaused = true }
    // Wakes it, so that its state says at once that it is paused.
    alarm.ring(.now)
  }

  func resume() {
    inner.withLock { $0.isPaused = false }
    alarm.ring(.now)
  }

  private func change(_ body: (inout PeerState) -> Void) {
    inner.withLock { body(&$0.state) }
    publish()
  }

  // MARK: - The loop

  private func work() async {
    // What the peer held when the app was last open counts until it is asked, which may take long.
    // The last success stays that of this sync: apps wait for it.
    if let known = notes.known(peer.address) {
      change { state in
        (state.replica, state.acknowledged) = (known.replica, known.acknowledged)
      }
    }
    var run: SyncRun?
    while !Task.isCancelled {
      if inner.withLock({ $0.isPaused }) {
        change { $0.phase = .paused }
        _ = await alarm.wait(for: [.now], atMost: .seconds(86_400))
        continue
      }
      do {
        let current = try run ?? begin()
        run = current
        try await sync(current)
        // The peer may accept refused ranges later, so start with a new session.
        if !current.refusals.isEmpty { run = nil }
        listen()
        let reasons: Set<Alarm.Reason> = [.local, .remote, .news, .now]
        let heard = await alarm.wait(for: reasons, atMost: options.interval)
        // The caller asked for a sync, or the interval has passed without a message.
        if heard.contains(.now) || heard.isDisjoint(with: reasons) {
          inner.withLock { $0.mustAsk = true }
          // A peer that accepted no events may accept them now, so offer them again.
          if current.unsent > 0 { run = nil }
        }
      } catch {
        if Task.isCancelled { break }
        run = nil
        let failures = note(error)
        _ = await alarm.wait(for: [.now], atMost: delay(after: failures))
      }
    }
    inner.withLock { $0.listening?.cancel() }
  }

  private func begin() throws -> SyncRun {
    try store.requireWritable()
    try store.log.requireWhole()
    return try SyncRun(store)
  }

  /// Returns whether the peer may hold new events that it has not sent.
  private func asks(_ run: SyncRun) -> Bool {
    let known = run.peerDigest
    return inner.withLock { inner in
      defer { (inner.announced, inner.mustAsk) = (nil, false) }
      return inner.mustAsk || inner.announced.map { $0 != known } ?? false
    }
  }

  /// Takes in the events that the peer has announced, then exchanges until both hold the same.
  private func sync(_ run: SyncRun) async throws {
    let before = run.progress
    let news = inner.withLock { inner in
      defer { inner.news = [] }
      return inner.news
    }
    if !news.isEmpty { try run.hear(news) }
    if asks(run) { run.peerHasChanged() }
    var response: SyncResponse?
    var hasAsked = false
    while let request = try run.next(after: response, to: peer) {
      try Task.checkCancellation()
      if !hasAsked { change { $0.phase = .syncing } }
      hasAsked = true
      response = try await run.exchange(request, with: peer)
    }
    let after = run.progress
    if run.replica.isBehind { try await store.projectReceived() }
    let (held, own) = (run.held, store.replica)
    inner.withLock { $0.held = held }
    change { state in
      state.phase = .idle
      state.replica = run.peer
      state.acknowledged = held[own]
      state.sent += after.eventsSent - before.eventsSent
      state.received += after.eventsReceived - before.eventsReceived
      state.lastSuccess = StoreEnvironment.system.wallMilliseconds()
      state.unsent = run.unsent
      state.findings = peer.findings
      state.failures = 0
      state.note(run.refusals)
    }
    if hasAsked { notes.note(state) }
  }

  /// Records a failed attempt.
  /// - Returns: the number of attempts that have failed in a row.
  private func note(_ error: any Error) -> Int {
    let (phase, problem, cure) = Self.words(error)
    change { state in
      state.phase = phase
      state.problem = problem
      state.cure = cure
      state.failures += 1
    }
    notes.note(state)
    return inner.withLock { $0.state.failures }
  }

  private static func words(_ error: any Error) -> (PeerState.Phase, String, String?) {
    switch error {
    case let error as SyncError:
      let isOffline = error.code == .unreachable || error.code == .unavailable
      return (isOffline ? .offline : .error, error.explanation, error.hint)
    case let error as StoreError: return (.error, error.message, error.hint)
    case let error as LogError: return (.error, error.message, error.hint)
    default: return (.error, "\(error)", nil)
    }
  }

  private func delay(after failures: Int) -> Duration {
    let doubled = options.firstRetry * Double(1 << min(failures - 1, 20))
    return min(doubled, options.lastRetry) * Double.random(in: 0.5...1.5)
  }

  // MARK: - Listening

  /// Starts to listen to a peer that announces new events, unless that has been started already.
  private func listen() {
    guard let peer = peer as? any LiveSyncPeer else { return }
    let isListening = inner.withLock { $0.listening != nil }
    guard !isListening else { return }
    let task = Task { [self] in
      do { for try await change in peer.changes() { take(change) } } catch {}
      inner.withLock { $0.listening = nil }
      // Ask the peer, to find out whether it is still reachable.
      if !Task.isCancelled { take(.changed(nil)) }
    }
    inner.withLock { $0.listening = task }
  }

  /// The number of announcements that may wait. If there are more, all are dropped and the peer is
  /// asked instead.
  private static let newsMax = 256

  private func take(_ change: PeerChange) {
    let reason = inner.withLock { inner -> Alarm.Reason in
      switch change {
      case .changed(nil): inner.mustAsk = true
      case .changed(let digest): inner.announced = digest
      case .news(let news) where inner.news.count < Self.newsMax:
        inner.news.append(news)
        return .news
      case .news:
        inner.news = []
        inner.mustAsk = true
      }
      return .remote
    }
    alarm.ring(reason)
  }
}
