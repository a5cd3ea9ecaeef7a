import Daybook
import DaybookEventCore
import DaybookHubClient
import DaybookJSON
import DaybookReplication
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import DaybookHubServer

/// News: the events that a hub sends to listening clients without a request.
@Suite(.eachTransport) struct HubNewsTests {
  /// A live peer whose exchanges are counted.
  private final class Counted: LiveSyncPeer {
    let client: HubClient
    private let count = Box(0)
    private let told = Box<[PeerChange]>([])

    init(_ client: HubClient) { self.client = client }

    var address: String { client.address }
    var exchanges: Int { count.value }
    var news: Int { told.value.count { if case .news = $0 { true } else { false } } }

    func exchange(_ request: SyncRequest) async throws -> SyncResponse {
      count.change { $0 += 1 }
      return try await client.exchange(request)
    }

    func changes() -> AsyncThrowingStream<PeerChange, any Error> {
      let (stream, continuation) = AsyncThrowingStream<PeerChange, any Error>.makeStream()
      let task = Task {
        do {
          for try await change in client.changes() {
            told.change { $0.append(change) }
            continuation.yield(change)
          }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in task.cancel() }
      return stream
    }
  }

  @Test("edits arrive at a listening store without an exchange")
  func editAsNews() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "0"), try await place.store("b"))
    try await place.withHub { hub in
      let peers = try [
        Counted(place.client(hub, token)), Counted(place.client(hub, token)),
      ]
      let engines = [SyncEngine(a), SyncEngine(b)]
      for (engine, peer) in zip(engines, peers) { engine.add(peer) }
      func shows(_ title: String) async throws -> Bool {
        try await eventually { (try? await place.titles(b)) == [title] }
      }
      #expect(try await shows("0"))
      // Both stores listen, and know that they hold the same as the hub.
      for title in ["1", "2"] {
        try await a.write { tx in try tx.update("notes", "a", ["title": .text(title)]) }
        #expect(try await shows(title))
      }
      let (before, news, own) = (peers[1].exchanges, peers[1].news, peers[0].news)
      for number in 3..<13 {
        try await a.write { tx in try tx.update("notes", "a", ["title": .text("\(number)")]) }
        #expect(try await shows("\(number)"))
      }
      #expect(peers[1].exchanges == before)
      #expect(peers[1].news > news)
      // The author has the stamps from its own exchange.
      #expect(peers[0].news == own)
      // Stamps arrive as news too.
      let isSame = try await eventually { try await a.digest() == b.digest() }
      #expect(isSame)
      for engine in engines { await engine.stop() }
    }
    for store in [a, b] { try await store.close() }
  }

  @Test("only clients that ask for news get it, and all of them get the same bytes")
  func newsOnRequest() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let a = try await place.store("a", title: "1")
    try await place.withHub { hub in
      try await a.syncOnce(with: place.client(hub, token))
      var streams: [RawConnection] = []
      var seen: [(String, Box<String>)] = []
      for query in ["", "?news=1", "?x=2&news=1", "?news=0"] {
        streams.append(try await RawConnection.changes(hub, token, query))
        seen.append((query, streams[streams.count - 1].received))
      }
      for (_, text) in seen {
        #expect(try await eventually { text.value.contains("event: change") })
      }
      try await a.write { tx in try tx.update("notes", "a", ["title": .text("2")]) }
      try await a.syncOnce(with: place.client(hub, token))
      for (query, text) in seen {
        let takesNews = query.contains("news=1")
        let isTold = try await eventually {
          text.value.components(separatedBy: "event: ").count > 2
        }
        #expect(isTold, "\(query)")
        // What is left of the exchange before may come as a change, too, before the news.
        if takesNews {
          _ = try await eventually { text.value.contains("event: news\ndata: ") }
        }
        #expect(text.value.contains("event: news\ndata: ") == takesNews, "\(query)")
      }
      // Both get the same bytes, which are the edit and its stamp.
      let news = seen.filter { $0.0.contains("news=1") }.map {
        $0.1.value.components(separatedBy: "event: news\ndata: ").last ?? ""
      }
      #expect(news[0] == news[1])
      let bytes = try #require(Base64.decode(String(news[0].prefix { $0 != "\n" })))
      let message = try bytes.withUnsafeBytes { try SyncResponse(decoding: $0) }
      #expect(message.ranges.map(\.count) == [1, 1])
      for stream in streams { try await stream.channel.close().get() }
    }
    try await a.close()
  }

  @Test("an edit that is too large for news is fetched with an exchange")
  func largeEdit() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "0"), try await place.store("b"))
    try await place.withHub { hub in
      let peer = Counted(try place.client(hub, token))
      let engine = SyncEngine(b)
      engine.add(peer)
      try await a.syncOnce(with: place.client(hub, token))
      #expect(try await eventually { (try? await place.titles(b)) == ["0"] })
      let title = Hex.encode(Random.bytes(100_000))
      try await a.write { tx in try tx.update("notes", "a", ["title": .text(title)]) }
      let before = peer.exchanges
      try await a.syncOnce(with: place.client(hub, token))
      #expect(try await eventually { (try? await place.titles(b)) == [title] })
      #expect(peer.exchanges > before)
      await engine.stop()
    }
    for store in [a, b] { try await store.close() }
  }
}

@Suite struct ChangeFeedNewsTests {
  private let origin = ReplicaID(high: 1, low: 1)

  /// Returns the digest of a zone that holds `count` events.
  private func digest(_ count: UInt64) -> KnowledgeDigest {
    guard count > 0 else { return Knowledge().digest }
    return Knowledge([(origin, .init(.init(1...count, ChainTag(.zero))))]).digest
  }

  /// Returns news that has no contents but its number.
  private func news(_ count: UInt64) -> SyncResponse {
    SyncResponse(
      zone: .none, replica: origin, report: .digest(digest(count)),
      ranges: [
        EventRange(
          origin: origin, first: count, chainBefore: nil, frames: [], isZoneless: false,
          signature: Array(repeating: 0, count: 64))
      ])
  }

  private func publish(_ count: UInt64, _ feed: ZoneNews) async throws {
    feed.publish(digest(count)) { [news = news(count)] _ in news }
    let isTold = try await eventually { feed.told == digest(count) }
    #expect(isTold)
  }

  @Test("every listener gets the same bytes, in order and once")
  func sameInOrder() async throws {
    let feed = ZoneNews(spacing: .zero)
    feed.begin(digest(0))
    var (_, _, early) = feed.listen(.init(takesNews: true))
    for count in 1...3 as ClosedRange<UInt64> { try await publish(count, feed) }
    var (_, _, late) = feed.listen(.init(takesNews: true))
    guard case .news(let bytes) = feed.telling(&early) else {
      Issue.record("no news")
      return
    }
    let texts = String(buffer: bytes).split(separator: "\n\n")
    #expect(texts.count == 3)
    guard case .nothing = feed.telling(&early), case .nothing = feed.telling(&late) else {
      Issue.record("told twice")
      return
    }
    try await publish(4, feed)
    guard case .news(let one) = feed.telling(&early), case .news(let other) = feed.telling(&late)
    else {
      Issue.record("no news")
      return
    }
    #expect(one == other && String(buffer: one).hasPrefix("event: news\ndata: "))
  }

  @Test("a listener that is too far behind gets a change instead of news")
  func slowListener() async throws {
    let feed = ZoneNews(spacing: .zero)
    feed.begin(digest(0))
    var (_, _, slow) = feed.listen(.init(takesNews: true))
    for count in 1...70 as ClosedRange<UInt64> { try await publish(count, feed) }
    guard case .changed(let latest) = feed.telling(&slow) else {
      Issue.record("told something else")
      return
    }
    #expect(latest == digest(70))
  }

  @Test("a change for which no news can be made is told as a change")
  func changeWithoutNews() async throws {
    let feed = ZoneNews(spacing: .zero)
    feed.begin(digest(0))
    var (_, _, place) = feed.listen(.init(takesNews: true))
    var (_, _, plain) = feed.listen()
    try await publish(1, feed)
    feed.publish(digest(2)) { _ in nil }
    let isTold = try await eventually { feed.told == digest(2) }
    #expect(isTold)
    guard case .changed(let latest) = feed.telling(&place),
      case .changed(let told) = feed.telling(&plain)
    else {
      Issue.record("told something else")
      return
    }
    #expect(latest == digest(2) && told == latest)
  }

  @Test("an author gets no news that has its own events alone")
  func authorOfNews() async throws {
    let feed = ZoneNews(spacing: .zero)
    feed.begin(digest(0))
    let other = ReplicaID(high: 2, low: 2)
    var (_, _, author) = feed.listen(.init(takesNews: true, replica: other))
    let of = { (origins: [ReplicaID], count: UInt64) in
      var news = news(count)
      news.ranges = origins.map { origin in
        var range = news.ranges[0]
        range.origin = origin
        return range
      }
      return news
    }
    for (count, origins) in [(1 as UInt64, [other]), (2, [origin, other])] {
      feed.publish(digest(count)) { [news = of(origins, count)] _ in news }
      #expect(try await eventually { feed.told == digest(count) })
    }
    guard case .own = feed.telling(&author) else {
      Issue.record("told what it has")
      return
    }
    // News that also has events of others is told.
    feed.publish(digest(3)) { [news = of([other, ReplicaID(high: 3, low: 3)], 3)] _ in news }
    #expect(try await eventually { feed.told == digest(3) })
    guard case .news = feed.telling(&author) else {
      Issue.record("not told")
      return
    }
  }

  /// An exchange publishes its events after it is answered, so a listener may come in between.
  @Test("a listener is not told what the zone held when it began to listen")
  func knownAtTheBeginning() async throws {
    let feed = ZoneNews(spacing: .zero)
    feed.begin(digest(0))
    var (_, _, place) = feed.listen(.init(takesNews: true))
    place.digest = digest(1)
    feed.publish(digest(1)) { _ in nil }
    #expect(try await eventually { feed.told == digest(1) })
    guard case .nothing = feed.telling(&place) else {
      Issue.record("told what it knew")
      return
    }
    try await publish(2, feed)
    guard case .news = feed.telling(&place) else {
      Issue.record("not told")
      return
    }
  }

  /// An exchange publishes its events after another exchange may have read them.
  @Test("news may be newer than the published digest, and is told once")
  func newerNews() async throws {
    let feed = ZoneNews(spacing: .zero)
    feed.begin(digest(0))
    var (_, _, place) = feed.listen(.init(takesNews: true))
    feed.publish(digest(1)) { [news = news(2)] _ in news }
    let isTold = try await eventually { feed.told == digest(2) }
    #expect(isTold && feed.latest == digest(2))
    feed.publish(digest(2)) { _ in nil }
    guard case .news = feed.telling(&place), case .nothing = feed.telling(&place) else {
      Issue.record("told something else")
      return
    }
  }
}
