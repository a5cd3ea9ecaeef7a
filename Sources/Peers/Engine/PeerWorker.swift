import DaybookEngine
import DaybookEventCore
import DaybookFrames
import DaybookLocks
import DaybookLogEngine
import DaybookReplication
import Foundation

/// The task that keeps a store in sync with one peer, as a `LivePeer` says. It runs on an
/// executor whose threads may wait for the disk.
final class PeerWorker: Sendable {
  private let peer: any SyncPeer
  private let store: OpenStore
  private let notes: PeerNotes
  private let publish: @Sendable () -> Void
  private let alarm = Alarm()
  private let start = ContinuousClock.now
  private let inner: Mutex<Inner>

  private struct Inner {
    var state: PeerState
    var live: LivePeer
    var held = VersionVector()
    /// The sizes of batches that the latest run has found.
    var line = LineSizes()
    /// Events that the peer has announced without being asked, in order of arrival.
    var news: [SyncResponse] = []
    /// The digest of what the peer says it holds; nil once it has been examined.
    var announced: KnowledgeDigest?
    /// Whether the peer may hold new events that it has not described.
    var mustAsk = false
    var task: Task<Void, Never>?
    var listening: Task<Void, Never>?
  }

  init(
    _ peer: any SyncPeer, _ store: OpenStore, _ notes: PeerNotes, _ options: SyncEngine.Options,
    publish: @escaping @Sendable () -> Void
  ) {
    self.peer = peer
    self.store = store
    self.notes = notes
    self.publish = publish
    let live = LivePeer(
      LivePeer.Options(
        firstRetry: options.firstRetry, lastRetry: options.lastRetry, interval: options.interval),
      listens: peer is any LiveSyncPeer, at: .zero)
    inner = Mutex(Inner(state: PeerState(address: peer.address), live: live))
  }

  var state: PeerState {
    var state = inner.withLock { $0.state }
    let own = store.log.vector[store.replica]
    state.unacknowledged = own - min(own, state.acknowledged)
    return state
  }

  /// Returns whether the peer is known to hold an event.
  func holds(_ event: EventID) -> Bool { inner.withLock { $0.held.contains(event) } }

  func begin() {
    let task = Blocking.task { [self] in await work() }
    inner.withLock { $0.task = task }
  }

  func cancel() {
    inner.withLock { inner in
      inner.task?.cancel()
      inner.listening?.cancel()
    }
  }

  func finish() async { await inner.withLock { $0.task }?.value }

  // MARK: - What happens

  /// Tells the worker that the store has new events.
  func wrote() { happens { live, _ in live.wrote() } }

  /// Tries now, whatever has failed before.
  func syncNow() { happens { live, now in live.askNow(at: now) } }

  func pause() { happens { live, _ in live.pause() } }

  func resume() { happens { live, now in live.resume(at: now) } }

  private func happens(_ event: (inout LivePeer, Duration) -> Void) {
    inner.withLock { event(&$0.live, now) }
    alarm.ring()
  }

  /// The time since the worker was made.
  private var now: Duration { ContinuousClock.now - start }

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
      switch inner.withLock({ $0.live.next(at: now) }) {
      case .sync(let asks): run = await sync(run, asks: asks)
      case .listen(let number): listen(number)
      case .hangUp: inner.withLock { $0.listening }?.cancel()
      case .pause(let time):
        if inner.withLock({ $0.live.isPaused && $0.state.phase != .paused }) {
          change { ($0.phase, $0.isListening) = (.paused, false) }
        }
        await alarm.wait(atMost: time.map { $0 - now })
      }
    }
    inner.withLock { $0.listening }?.cancel()
  }

  private func begun() throws -> SyncRun {
    try store.requireWritable()
    try store.log.requireWhole()
    return try SyncRun(store, inner.withLock { $0.line })
  }

  /// Exchanges until both hold the same, or until that fails.
  /// - Parameters:
  ///   - run: the exchanges to go on with; nil to begin anew.
  ///   - asks: whether to ask the peer even if nothing is to be sent.
  /// - Returns: the exchanges that the next call goes on with.
  private func sync(_ run: SyncRun?, asks: Bool) async -> SyncRun? {
    do {
      // A peer that accepted no events may accept them now, so offer them again.
      let current = if let run, !asks || run.unsent == 0 { run } else { try begun() }
      let before = current.progress
      try await sync(current, asks: asks)
      let after = current.progress
      let events =
        after.eventsSent - before.eventsSent + after.eventsReceived - before.eventsReceived
      inner.withLock {
        $0.live.synced(requests: after.exchanges - before.exchanges, events: events, at: now)
      }
      // The peer may accept refused ranges later, so start with a new session.
      return current.refusals.isEmpty ? current : nil
    } catch {
      if !Task.isCancelled { note(error) }
      return nil
    }
  }

  /// Returns whether the peer may hold new events that it has not sent.
  private func mayHoldMore(_ run: SyncRun) -> Bool {
    let known = run.peerDigest
    return inner.withLock { inner in
      defer { (inner.announced, inner.mustAsk) = (nil, false) }
      return inner.mustAsk || inner.announced.map { $0 != known } ?? false
    }
  }

  /// Takes in the events that the peer has announced, then exchanges until both hold the same.
  private func sync(_ run: SyncRun, asks: Bool) async throws {
    let before = run.progress
    let news = inner.withLock { inner in
      defer { inner.news = [] }
      return inner.news
    }
    if !news.isEmpty { try run.hear(news) }
    if mayHoldMore(run) || asks { run.peerHasChanged() }
    var response: SyncResponse?
    var hasAsked = false
    defer { inner.withLock { $0.line = run.line } }
    while let request = try run.next(after: response, to: peer) {
      try Task.checkCancellation()
      if !hasAsked { change { $0.phase = .syncing } }
      hasAsked = true
      response = try await run.exchange(request, with: peer)
    }
    let after = run.progress
    if run.replica.isBehind { try await store.projectReceived() }
    let (held, own) = (run.held, store.replica)
    let acknowledged = inner.withLock { inner in
      inner.held = held
      return inner.state.acknowledged
    }
    var findings = peer.findings
    let missing = findings.eventsMissing(in: store.log.ranges)
    if let emptied = run.emptied(since: acknowledged, findings: findings) {
      findings.insert(emptied, at: 0)
    }
    change { state in
      state.phase = .idle
      state.replica = run.peer
      state.acknowledged = held[own]
      state.sent += after.eventsSent - before.eventsSent
      state.received += after.eventsReceived - before.eventsReceived
      state.lastSuccess = StoreEnvironment.system.wallMilliseconds()
      state.unsent = run.unsent
      state.findings = findings
      state.missing = missing
      state.failures = 0
      state.note(run.refusals)
    }
    if hasAsked { notes.note(state) }
  }

  /// Records a failed attempt.
  private func note(_ error: any Error) {
    let (phase, problem, cure) = Self.words(error)
    inner.withLock {
      $0.live.failed(retryAfter: (error as? SyncError)?.retryAfter, at: now)
    }
    change { state in
      state.phase = phase
      state.problem = problem
      state.cure = cure
      state.failures += 1
    }
    notes.note(state)
  }

  private static func words(_ error: any Error) -> (PeerState.Phase, String, String?) {
    switch error {
    case let error as SyncError:
      let isOffline = [.unreachable, .unavailable, .interrupted].contains(error.code)
      return (isOffline ? .offline : .error, error.explanation, error.hint)
    case let error as StoreError: return (.error, error.message, error.hint)
    case let error as LogError: return (.error, error.message, error.hint)
    case let error as FrameError: return (.error, error.message, error.hint)
    default: return (.error, "\(error)", nil)
    }
  }

  // MARK: - Listening

  /// Begins to listen to a peer that announces new events.
  private func listen(_ number: Int) {
    guard let peer = peer as? any LiveSyncPeer else { return }
    let task = Task { [self] in
      do {
        for try await change in peer.changes() { take(change, number) }
        ended(number, nil)
      } catch { ended(number, error) }
    }
    inner.withLock { $0.listening = task }
  }

  /// The number of announcements that may wait. If there are more, all are dropped and the peer is
  /// asked instead.
  private static let newsMax = 256

  private func take(_ change: PeerChange, _ number: Int) {
    let isFirst = inner.withLock { inner in
      switch change {
      case .changed(nil): inner.mustAsk = true
      case .changed(let digest): inner.announced = digest
      case .news(let news) where inner.news.count < Self.newsMax: inner.news.append(news)
      case .news:
        inner.news = []
        inner.mustAsk = true
      }
      let wasListening = inner.live.isListening
      inner.live.told(number, at: now)
      return inner.live.isListening && !wasListening
    }
    if isFirst { self.change { ($0.isListening, $0.listeningProblem) = (true, nil) } }
    alarm.ring()
  }

  private func ended(_ number: Int, _ error: (any Error)?) {
    let failures = inner.withLock { inner in
      let isCurrent = inner.live.streamEnded(
        number, retryAfter: (error as? SyncError)?.retryAfter, at: now)
      return isCurrent ? inner.live.streamFailures : nil
    }
    if let failures, !Task.isCancelled {
      let problem = error.map { Self.words($0).1 } ?? "the peer has ended its stream of changes"
      change { state in
        state.isListening = false
        if failures > 1 { state.listeningProblem = problem }
      }
    }
    alarm.ring()
  }
}
