import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookLocks
import DaybookReplication
import NIOCore

/// A feed that tells a zone's listeners what is new in it.
///
/// With few listeners, changes are sent at once. With more listeners, changes are gathered for
/// longer: the news is read and encoded once, and all listeners are sent the same bytes.
final class ZoneNews: Sendable {
  /// Returns what is new since the zone held what the digest describes, without ranges if nothing
  /// is new; nil if that is unknown.
  typealias Source = @Sendable (KnowledgeDigest) async -> SyncResponse?

  /// A message to a listener.
  enum Telling {
    case nothing
    /// The zone now holds this. The listener has to ask for the events in between.
    case changed(KnowledgeDigest)
    /// New events, encoded as they are sent.
    case news(ByteBuffer)
    /// Only the listener's own events are new, which it knows from its own exchange.
    case own
  }

  /// The kind of messages that a listener wants.
  struct Wish: Sendable {
    /// Whether to send the new events, and not only the fact that something is new.
    var takesNews = false
    /// The listener's replica. Its own events and their stamps reach it by its exchanges.
    var replica: ReplicaID?
  }

  /// The position up to which a listener was told.
  struct Place {
    var digest: KnowledgeDigest?
    fileprivate var next: UInt64
    let wish: Wish
  }

  private struct News {
    var bytes: ByteBuffer
    /// The origin of the events, apart from stamps; nil if there are several.
    var author: ReplicaID?
  }

  private struct Listener {
    var wake: AsyncStream<Void>.Continuation
    var takesNews: Bool
  }

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var nextListener: UInt64 = 0
    /// What the zone held at the latest change.
    var latest: KnowledgeDigest?
    /// What the zone held when listeners were last told.
    var told: KnowledgeDigest?
    /// The latest news, in order, and their total bytes.
    var news: [News] = []
    var newsBytes = 0
    /// The number of the next news.
    var next: UInt64 = 0
    var lastTold = ContinuousClock.now
    var isTelling = false

    var takesNews: Bool { listeners.values.contains(where: \.takesNews) }

    mutating func forgetNews() {
      (news, newsBytes) = ([], 0)
      next += 1
    }
  }

  private let state = Mutex(State())
  private let spacing: Duration

  /// The limits on the news kept for slow listeners. A slower listener is told to ask.
  private static let newsMax = 64
  private static let newsBytesMax = 1 << 20

  /// Creates a feed without listeners.
  /// - Parameter spacing: The share of one listener in the time between two messages: that time is
  ///   `spacing` times the number of listeners.
  init(spacing: Duration = .microseconds(100)) { self.spacing = spacing }

  var count: Int { state.withLock { $0.listeners.count } }

  /// What the zone held at the latest change.
  var latest: KnowledgeDigest? { state.withLock { $0.latest } }

  /// What the zone held when listeners were last told; nil before ``begin(_:)`` and
  /// ``publish(_:_:)``.
  var told: KnowledgeDigest? { state.withLock { $0.told } }

  /// Adds a listener, and returns a stream of its wakes.
  ///
  /// The stream yields when there may be something new, and at each heartbeat. Several wakes may be
  /// combined. The stream ends with ``finish()``.
  func listen(_ wish: Wish = Wish()) -> (id: UInt64, wakes: AsyncStream<Void>, place: Place) {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    return state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = Listener(
        wake: continuation, takesNews: wish.takesNews)
      return (state.nextListener, stream, Place(next: state.next, wish: wish))
    }
  }

  func forget(_ id: UInt64) {
    let listener = state.withLock { $0.listeners.removeValue(forKey: id) }
    listener?.wake.finish()
  }

  // MARK: - Sending

  /// Sets what the zone holds, if nothing was published before.
  func begin(_ digest: KnowledgeDigest) {
    state.withLock { state in
      if state.told == nil { (state.latest, state.told) = (digest, digest) }
    }
  }

  /// Publishes what the zone now holds, and starts telling the listeners.
  /// - Parameter source: The source of the news, called when it is time to send them.
  func publish(_ digest: KnowledgeDigest, _ source: @escaping Source = { _ in nil }) {
    let mustTell = state.withLock { state in
      guard digest != state.latest else { return false }
      state.latest = digest
      guard !state.listeners.isEmpty else {
        state.told = digest
        state.forgetNews()
        return false
      }
      defer { state.isTelling = true }
      return !state.isTelling
    }
    if mustTell { Task { await tell(source) } }
  }

  /// Tells the listeners, and repeats until nothing has changed meanwhile.
  private func tell(_ source: Source) async {
    while true {
      let wait = state.withLock { state in
        state.lastTold.advanced(by: spacing * state.listeners.count) - .now
      }
      if wait > .zero { try? await Task.sleep(for: wait) }
      let (since, latest) = state.withLock { ($0.takesNews ? $0.told : nil, $0.latest) }
      let news = if let since { await source(since) } else { SyncResponse?.none }
      let isDone = state.withLock { state in
        state.lastTold = .now
        // The news was read after this digest was published, so it is at least as new.
        add(news, to: &state, isLatest: state.latest == latest)
        defer { if state.told == state.latest { state.isTelling = false } }
        return state.told == state.latest
      }
      wakeAll()
      if isDone { return }
    }
  }

  private func add(_ news: SyncResponse?, to state: inout State, isLatest: Bool) {
    guard let news, case .digest(let digest) = news.report else {
      state.told = state.latest
      state.forgetNews()
      return
    }
    state.told = digest
    if isLatest { state.latest = digest }
    guard !news.ranges.isEmpty else { return }
    let bytes = Self.event(news)
    state.news.append(News(bytes: bytes, author: Self.author(news)))
    state.newsBytes += bytes.readableBytes
    state.next += 1
    while state.news.count > Self.newsMax || state.newsBytes > Self.newsBytesMax {
      state.newsBytes -= state.news.removeFirst().bytes.readableBytes
    }
  }

  private static func event(_ news: SyncResponse) -> ByteBuffer {
    ByteBuffer(string: "event: news\ndata: \(Base64.encode(news.encoded()))\n\n")
  }

  private static func author(_ news: SyncResponse) -> ReplicaID? {
    let authors = Set(news.ranges.map(\.origin)).subtracting([news.replica])
    return authors.count == 1 ? authors.first : nil
  }

  /// Returns the message for a listener, and advances its `place`.
  func telling(_ place: inout Place) -> Telling {
    state.withLock { state in
      guard place.wish.takesNews else {
        guard let latest = state.latest, latest != place.digest else { return .nothing }
        place.digest = latest
        return .changed(latest)
      }
      guard place.next != state.next else { return .nothing }
      let missing = state.next - place.next
      place.next = state.next
      // An exchange that ended before the listener came may be published after it came.
      if place.digest == state.told { return .nothing }
      place.digest = state.told
      guard missing <= UInt64(state.news.count) else {
        return state.told.map { .changed($0) } ?? .nothing
      }
      let due = state.news.suffix(Int(missing)).filter {
        $0.author == nil || $0.author != place.wish.replica
      }
      guard var all = due.first?.bytes else { return .own }
      for more in due.dropFirst() { all.writeImmutableBuffer(more.bytes) }
      return .news(all)
    }
  }

  func wakeAll() {
    let all = state.withLock { Array($0.listeners.values) }
    for listener in all { listener.wake.yield() }
  }

  func finish() {
    let all = state.withLock { state in
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in all { listener.wake.finish() }
  }
}
