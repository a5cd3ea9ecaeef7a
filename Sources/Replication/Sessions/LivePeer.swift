/// The schedule of a sync with one peer: when to exchange, when to listen to the peer's changes,
/// and how long to wait.
///
/// A pure state machine. It is told what has happened and when, and ``next(at:)`` says what to do.
/// It knows no clock and no network, so a test runs it in simulated time. Times count from any
/// moment, the same for all calls.
///
/// Whatever a peer answers, requests come with growing pauses in between: after a failed exchange,
/// after a stream of changes that is refused or ends, and after announcements that bring nothing. A
/// peer to which nobody can listen is asked at each interval.
package struct LivePeer: Sendable {
  /// The intervals of a schedule.
  package struct Options: Sendable {
    /// The mean pause after a first failure. It doubles with each further one.
    package var firstRetry: Duration
    /// The largest mean pause.
    package var lastRetry: Duration
    /// The longest time without asking a peer that says nothing.
    package var interval: Duration

    /// Creates the intervals.
    package init(firstRetry: Duration, lastRetry: Duration, interval: Duration) {
      self.firstRetry = firstRetry
      self.lastRetry = lastRetry
      self.interval = interval
    }
  }

  /// What the caller has to do.
  package enum Step: Hashable, Sendable {
    /// Exchange events, then call ``synced(requests:events:at:)`` or ``failed(retryAfter:at:)``.
    /// If `asks`, the peer is asked in any case; otherwise only if there is something to send, or
    /// if it has announced something unknown.
    case sync(asks: Bool)
    /// Begin to listen. Hand the number back with what the stream tells.
    case listen(Int)
    /// End the stream of changes.
    case hangUp
    /// Pause until this time, or until something happens; nil if only that ends the pause.
    case pause(until: Duration?)
  }

  private enum Stream {
    /// The peer does not announce changes.
    case none
    /// Nobody listens, and the next attempt may begin at this time.
    case closed(until: Duration)
    case open(since: Duration, hasTold: Bool)
  }

  /// The number of attempts to exchange that have failed in a row.
  package private(set) var failures = 0
  /// The number of streams in a row that were refused or ended soon.
  package private(set) var streamFailures = 0
  package private(set) var isPaused = false

  private let options: Options
  private var random: any RandomNumberGenerator & Sendable
  /// The time at which the peer is asked, even if nothing happens.
  private var askAt: Duration
  /// Whether somebody has asked for a sync since the last one began.
  private var isAsked = false
  /// The time before which nothing is sent, after a failure.
  private var retryAt: Duration?
  /// Whether there are local events to send.
  private var hasLocal = false
  /// The time at which an announcement of the peer is followed.
  private var heedAt: Duration?
  /// The number of announcements in a row that have led to requests but brought nothing.
  private var vain = 0
  private var stream: Stream
  private var streamNumber = 0

  /// The announcements that may come to nothing without a pause. Those of a shared folder often do,
  /// because the system also tells of the listener's own files.
  private static let vainMax = 8
  /// The largest mean pause between announcements that come to nothing.
  private static let vainPause = Duration.seconds(2)

  /// Creates the schedule of a peer that has not been asked yet.
  /// - Parameters:
  ///   - options: The intervals.
  ///   - listens: Whether the peer announces changes.
  ///   - now: The current time.
  ///   - random: The source of jitter.
  package init(
    _ options: Options, listens: Bool, at now: Duration,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.options = options
    self.random = random
    askAt = now
    stream = listens ? .closed(until: now) : .none
  }

  /// Whether a stream is open and has told something.
  package var isListening: Bool {
    if case .open(_, hasTold: true) = stream { true } else { false }
  }

  // MARK: - The next step

  /// Returns what to do now. The caller has done it, or has begun to listen, at the next call.
  package mutating func next(at now: Duration) -> Step {
    if isPaused {
      guard case .open = stream else { return .pause(until: nil) }
      stream = .closed(until: now)
      return .hangUp
    }
    if let retryAt, now < retryAt { return .pause(until: retryAt) }
    let asks = isAsked || retryAt != nil || now >= askAt
    if asks || hasLocal || heedAt.map({ now >= $0 }) ?? false {
      (isAsked, hasLocal, heedAt) = (false, false, nil)
      return .sync(asks: asks)
    }
    var times = [askAt]
    if let heedAt { times.append(heedAt) }
    if case .closed(let until) = stream {
      if now >= until {
        streamNumber += 1
        stream = .open(since: now, hasTold: false)
        return .listen(streamNumber)
      }
      times.append(until)
    }
    return .pause(until: times.min())
  }

  // MARK: - Exchanges

  /// Records that both sides hold the same now.
  /// - Parameters:
  ///   - requests: The number of requests that it took.
  ///   - events: The number of events sent or received.
  ///   - now: The current time.
  package mutating func synced(requests: Int, events: UInt64, at now: Duration) {
    if events > 0 { vain = 0 } else if requests > 0 { vain += 1 }
    if failures > 0, case .closed = stream {
      // The peer is back, so it may be listened to again.
      streamFailures = 0
      stream = .closed(until: now)
    }
    (failures, retryAt) = (0, nil)
    // Those who have lost one peer together come back one after another.
    askAt = now + options.interval * Double.random(in: 0.75...1, using: &random)
  }

  /// Records that an attempt to exchange has failed.
  /// - Parameters:
  ///   - time: The pause that the peer has asked for; nil if it has not.
  ///   - now: The current time.
  package mutating func failed(retryAfter time: Duration?, at now: Duration) {
    failures += 1
    retryAt = now + pause(failures, atMost: options.lastRetry, asked: time)
  }

  // MARK: - What happens meanwhile

  /// Records that there are local events to send.
  package mutating func wrote() { hasLocal = true }

  /// Records that somebody asks for a sync now, whatever has failed before.
  package mutating func askNow(at now: Duration) {
    (isAsked, retryAt, vain) = (true, nil, 0)
    if case .closed = stream { stream = .closed(until: now) }
  }

  /// Pauses the schedule: nothing is sent, and nobody listens.
  package mutating func pause() { isPaused = true }

  /// Ends a pause, and asks the peer.
  package mutating func resume(at now: Duration) {
    isPaused = false
    askNow(at: now)
  }

  /// Records that a stream has told something.
  /// - Parameters:
  ///   - number: The stream's number in ``Step/listen(_:)``.
  ///   - now: The current time.
  package mutating func told(_ number: Int, at now: Duration) {
    guard number == streamNumber, case .open(let since, _) = stream else { return }
    stream = .open(since: since, hasTold: true)
    guard heedAt == nil else { return }
    let excess = vain - Self.vainMax
    heedAt = excess < 0 ? now : now + pause(excess + 1, atMost: Self.vainPause)
  }

  /// Records that a stream was refused, or has ended.
  /// - Parameters:
  ///   - number: The stream's number in ``Step/listen(_:)``.
  ///   - time: The pause that the peer has asked for; nil if it has not.
  ///   - now: The current time.
  /// - Returns: Whether it was the current stream. The end of an earlier one says nothing.
  package mutating func streamEnded(
    _ number: Int, retryAfter time: Duration?, at now: Duration
  ) -> Bool {
    guard number == streamNumber, case .open(let since, let hasTold) = stream else { return false }
    // A stream that has lasted was no failure.
    if hasTold, now - since >= options.interval { streamFailures = 0 }
    streamFailures += 1
    let most = min(options.lastRetry, options.interval * 2)
    let again = now + pause(streamFailures, atMost: most, asked: time)
    stream = .closed(until: again)
    // Something has happened to a peer that was there. The question is whether it still is.
    if hasTold { askAt = min(askAt, again) }
    return true
  }

  /// Returns the pause after a number of failures in a row.
  private mutating func pause(
    _ failures: Int, atMost most: Duration, asked: Duration? = nil
  ) -> Duration {
    let usual = Backoff(first: options.firstRetry, last: most).pause(
      after: failures, using: &random)
    guard let asked else { return usual }
    // A proxy may say anything, so its word does not count for longer than the largest pause.
    return max(
      usual, min(asked, options.lastRetry) * Double.random(in: 1...1.5, using: &random))
  }
}
