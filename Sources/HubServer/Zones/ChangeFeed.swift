import Daybook
import EventCore
import NIOCore
import Replication
import Synchronization

/// Tells those who listen to a zone what is new in it.
///
/// Changes are told at once while few listen. The more do, the longer changes are gathered: what is new is
/// read and encoded once, and everybody is sent the same bytes.
final class ChangeFeed: Sendable {
  /// Brings what is new since the zone held what the digest says, no ranges where nothing is; nil where
  /// that cannot be told.
  typealias Source = @Sendable (KnowledgeDigest) async -> SyncResponse?

  /// What a listener is to be told.
  enum Telling {
    case nothing
    /// The zone holds this now; what lies between is for the listener to ask.
    case changed(KnowledgeDigest)
    /// Events as they are sent.
    case news(ByteBuffer)
    /// There is nothing that it does not have from its own exchange.
    case own
  }

  /// What a listener wants to be told.
  struct Wish: Sendable {
    /// What is new, and not only that something is.
    var takesNews = false
    /// Who it is: its own events and their stamps came to it another way.
    var replica: ReplicaID?
  }

  /// How far a listener was told.
  struct Place {
    var digest: KnowledgeDigest?
    fileprivate var next: UInt64
    let wish: Wish
  }

  private struct News {
    var bytes: ByteBuffer
    /// Whose events these are, beside stamps; nil where they are of several.
    var author: ReplicaID?
  }

  private struct Listener {
    var wake: AsyncStream<Void>.Continuation
    var takesNews: Bool
  }

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var nextListener: UInt64 = 0
    /// What the zone held when it was last heard of.
    var latest: KnowledgeDigest?
    /// What it held when it was last told of.
    var told: KnowledgeDigest?
    /// The latest news, each with its number, and bytes of all.
    var news: [News] = []
    var newsBytes = 0
    /// The number of the next.
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

  /// So much is kept for those who are slow; who is slower is told to ask.
  private static let newsMax = 64
  private static let newsBytesMax = 1 << 20

  /// - Parameter spacing: how long one listener's turn is; so many times that between two tellings.
  init(spacing: Duration = .microseconds(100)) { self.spacing = spacing }

  var count: Int { state.withLock { $0.listeners.count } }

  /// What the zone held when it was last heard of.
  var latest: KnowledgeDigest? { state.withLock { $0.latest } }

  /// What it held when it was last told of; nil before ``begin(_:)`` and ``publish(_:_:)``.
  var told: KnowledgeDigest? { state.withLock { $0.told } }

  /// A stream that yields when there may be something new, or when it is time to say that there is
  /// not; several times may be one. It ends with ``finish()``.
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

  // MARK: - Telling

  /// The zone was seen to hold this before anything was told of it.
  func begin(_ digest: KnowledgeDigest) {
    state.withLock { state in
      if state.told == nil { (state.latest, state.told) = (digest, digest) }
    }
  }

  /// The zone holds this now.
  /// - Parameter source: asked when it is time to tell.
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

  /// Tells until nothing has changed meanwhile.
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
        // The news were read after that was heard of, and so are as new.
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

  /// What a listener is to be told, who is at `place`.
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
