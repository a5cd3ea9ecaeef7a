import DaybookEventCore
import DaybookLocks
import DaybookReplication
import HTTPTypes
import Hummingbird
import NIOCore

extension HubResponder {
  /// Answers `GET /v1/zones/NAME/changes` with server-sent events.
  ///
  /// A `change` event, with the digest of what the zone holds, comes at once and after each change.
  /// Comments in between let either side notice that the other is gone. With `?news=VERSION`, the
  /// new events themselves come as `news`, or a `change` if they are too large.
  func changes(
    _ request: Request, _ name: ZoneName, _ token: AccessToken?, _ channel: any Channel
  ) async throws -> Response {
    guard live.enter() else {
      throw HTTPRefusal(
        .serviceUnavailable, "tooManyClients", "too many clients listen already", retryAfter: 30)
    }
    let listener: NewsListener
    do {
      // Listening begins before the status is read, so that no change is lost in between.
      let (feed, id, wakes, place) = try await pool.startListening(
        name, Self.wish(request.head.path ?? ""))
      listener = NewsListener(
        pool: pool, live: live, zone: name, feed: feed, id: id, wakes: wakes, place: place)
    } catch {
      live.leave()
      throw error
    }
    do {
      let status = try await withZone(name, makesZone: false) { zone, feed in
        let status = try await zone.status()
        feed.begin(status.digest)
        return status
      }
      metrics.stands(name, status)
      return stream(request, listener, status.digest, token, channel)
    } catch {
      await listener.end()
      throw error
    }
  }

  /// Parses `?news=VERSION&replica=ID`. Ignores unknown parameters.
  private static func wish(_ path: String) -> ZoneNews.Wish {
    var wish = ZoneNews.Wish()
    let query = path.parts(between: "?").dropFirst().first ?? ""
    for word in query.parts(between: "&") {
      // News is encoded once for all listeners, so only the newest version is available.
      if word == "news=\(SyncProtocol.versions.upperBound)" { wish.takesNews = true }
      if let id = word.rest(after: "replica=") { wish.replica = ReplicaID(String(id)) }
    }
    return wish
  }

  private func stream(
    _ request: Request, _ listener: NewsListener, _ first: KnowledgeDigest,
    _ token: AccessToken?, _ channel: any Channel
  ) -> Response {
    let slow = SlowWriter(channel, limits.writeTimeout)
    let events = NewsWriter(
      slow: slow, metrics: metrics,
      isAllowed: { [book = access.book] in token.map { book.isGood($0) } ?? true })
    let headers: HTTPFields = [
      .contentType: "text/event-stream", .cacheControl: "no-store",
      // Proxies such as nginx would buffer the events.
      .xAccelBuffering: "no",
      // The connection ends with the stream.
      .connection: "close",
    ]
    return Response(
      status: .ok, headers: headers,
      body: .init { writer in
        // If the client disconnects, the stream ends at once, and not at the next heartbeat.
        defer { Task { await listener.end() } }
        var own = writer
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await events.run(listener, first, &own)
        } onInboundClosed: {
          listener.feed.forget(listener.id)
        }
        try await writer.finish(nil)
      })
  }
}

extension HTTPField.Name {
  static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}

/// A client that listens for changes.
struct NewsListener: Sendable {
  let pool: ZonePool
  let live: LiveCount
  let zone: ZoneName
  let feed: ZoneNews
  let id: UInt64
  let wakes: AsyncStream<Void>
  let place: ZoneNews.Place

  func end() async {
    await pool.stopListening(zone, id)
    live.leave()
  }
}

/// A writer of a stream of events.
struct NewsWriter: Sendable {
  let slow: SlowWriter
  let metrics: HubMetrics
  /// Returns whether the client's token is still good.
  let isAllowed: @Sendable () -> Bool

  @concurrent
  func run(
    _ listener: NewsListener, _ first: KnowledgeDigest, _ writer: inout any ResponseBodyWriter
  ) async throws {
    var place = listener.place
    place.digest = first
    var start = ByteBuffer(string: "retry: 2000\n\n")
    start.writeImmutableBuffer(Self.change(first))
    try await slow.write(start, to: &writer)
    for await _ in listener.wakes {
      guard isAllowed() else { return }
      switch listener.feed.telling(&place) {
      case .nothing: try await slow.write(Self.here, to: &writer)
      case .own: break
      case .changed(let digest):
        try await slow.write(Self.change(digest), to: &writer)
        metrics.notified()
      case .news(let bytes):
        try await slow.write(bytes, to: &writer)
        metrics.notified(bytes: bytes.readableBytes)
      }
    }
  }

  private static let here = ByteBuffer(string: ": here\n\n")

  private static func change(_ digest: KnowledgeDigest) -> ByteBuffer {
    ByteBuffer(string: "event: change\ndata: {\"digest\":\"\(digest)\"}\n\n")
  }
}

/// The number of listening clients in all zones, with a limit.
final class LiveCount: Sendable {
  private let count = Mutex(0)
  private let max: Int

  init(max: Int) { self.max = max }

  func enter() -> Bool {
    count.withLock { count in
      guard count < max else { return false }
      count += 1
      return true
    }
  }

  func leave() { count.withLock { $0 -= 1 } }
}
