import Daybook
import DaybookEventCore
import DaybookHubClient
import DaybookReplication
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import DaybookHubServer

@Suite(.eachTransport) struct LimitTests {
  private static func head(_ token: String, length: Int) -> String {
    "POST /v1/zones/team/exchange HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      + "Authorization: Bearer \(token)\r\nContent-Type: application/octet-stream\r\n"
      + "Content-Length: \(length)\r\n\r\n"
  }

  @Test("an idle connection is closed, wherever in a request it stopped")
  func idleConnection() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    try await place.withHub(
      options: HubPlace.options { $0.limits.idleTimeout = .milliseconds(300) }
    ) { hub in
      // Nothing at all, half a head, half a body, nothing after an answer.
      let starts = [
        "", "GET /healthz HTTP/1.1\r\nHos", Self.head(token, length: 100) + "half",
        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
      ]
      for start in starts {
        let connection = try await RawConnection.open(hub)
        // A busy machine may be too slow to send even this.
        if !start.isEmpty { try? await connection.send(start) }
        #expect(try await connection.isClosed(within: .seconds(120)), "\(start.prefix(20))")
      }
    }
  }

  @Test("a body that arrives too slowly is refused, and its connection is closed")
  func slowBody() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    try await place.withHub(
      options: HubPlace.options { $0.limits.bodyTimeout = .milliseconds(200) }
    ) { hub in
      let connection = try await RawConnection.open(hub)
      try await connection.send(Self.head(token, length: 1_000_000))
      while connection.channel.isActive, !connection.received.value.contains("408") {
        try? await connection.send("x")
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(connection.received.value.contains("\"code\":\"tooSlow\""))
      #expect(try await connection.isClosed(within: .seconds(120)))
    }
  }

  @Test("a head that trickles in is refused like a body, also behind other requests")
  func slowHead() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let metrics = MetricsRegistry()
    let options = HubPlace.options {
      $0.limits.bodyTimeout = .milliseconds(300)
      $0.metrics = metrics
    }
    try await place.withHub(options: options) { hub in
      for start in ["", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] {
        let connection = try await RawConnection.open(hub)
        try await connection.send(start + "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        while connection.channel.isActive, !connection.received.value.contains("408") {
          try? await connection.send("x")
          try await Task.sleep(for: .milliseconds(20))
        }
        #expect(connection.received.value.contains("\"code\":\"tooSlow\""), "\(start)")
        #expect(try await connection.isClosed(within: .seconds(120)))
      }
    }
    #expect(metrics.text.contains("daybook_hub_refusals_total{code=\"tooSlow\"} 2"))
  }

  @Test("a body that nobody reads is cut off if it trickles in behind its answer")
  func slowBodyBehindAnswer() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    try await place.withHub(
      options: HubPlace.options { $0.limits.bodyTimeout = .milliseconds(300) }
    ) { hub in
      let connection = try await RawConnection.open(hub)
      try await connection.send(
        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000\r\n\r\n")
      var sent = 0
      while connection.channel.isActive, sent < 1000 {
        try? await connection.send("x")
        sent += 1
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(sent < 1000 && connection.received.value.contains("200 OK"))
    }
  }

  @Test("a request without a valid token is refused before its body has arrived")
  func refusedBody() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    _ = try place.token()
    try await place.withHub { hub in
      let connection = try await RawConnection.open(hub)
      try await connection.send(Self.head("nonsense", length: 40_000_000) + "the first bytes")
      #expect(try await eventually { connection.received.value.contains("unknownToken") })
      #expect(try await connection.isClosed(within: .seconds(120)))
    }
  }

  @Test("a body over the common room for bodies is refused, and its room is free again")
  func roomForBodies() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    try await place.withHub(options: HubPlace.options { $0.limits.bodyBytesMax = 100_000 }) { hub in
      let answer = try await Raw.exchange(hub, token: token, Array(repeating: 0, count: 200_000))
      #expect(answer.status == 503 && answer.code == "busy")
      // The room of the refused body is free again.
      let next = try await Raw.exchange(hub, token: token, AccessTests.pull())
      #expect(next.status == 200)
    }
  }

  @Test("answers keep to the limit of bytes of the hub")
  func answerSize() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let a = try await place.store("a", title: "1")
    // Random characters hardly compress: 3 MB, each event smaller than the limit.
    var random = SeededGenerator(seed: 1)
    for i in 0..<60 {
      var title = ""
      for _ in 0..<17_000 {
        title.unicodeScalars.append(
          Unicode.Scalar(UInt16.random(in: 0x4E00...0x9FFF, using: &random)) ?? " ")
      }
      let inserted = title
      try await a.write { tx in try tx.insert("notes", "n\(i)", ["title": .text(inserted)]) }
    }
    let b = try await place.store("b")
    let metrics = MetricsRegistry()
    let small = HubPlace.options {
      $0.limits.answerBytes = 200_000
      $0.metrics = metrics
    }
    try await place.withHub(options: small) { hub in
      // The requests may be larger: the limit is for answers only.
      let sent = try await a.syncOnce(with: place.client(hub, token))
      let recorder = Recorder(try place.client(hub, token))
      let received = try await b.syncOnce(with: recorder)
      #expect(sent.exchanges < 10 && received.exchanges >= 15, "\(sent) \(received)")
      let sizes = recorder.answered.map { $0.encoded().count }
      #expect(sizes.allSatisfy { $0 <= 200_000 } && sizes.reduce(0, +) > 3_000_000, "\(sizes)")
    }
    #expect(try await a.digest() == b.digest())
    for store in [a, b] { try await store.close() }
  }

  @Test("an event over the limit of an answer arrives in an answer of its own")
  func largeEvent() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "1"), try await place.store("b"))
    for i in 0..<3 {
      let title = Hex.encode(Random.bytes(40_000))
      try await a.write { tx in try tx.insert("notes", "n\(i)", ["title": .text(title)]) }
    }
    try await place.withHub(options: HubPlace.options { $0.limits.answerBytes = 1 }) { hub in
      try await a.syncOnce(with: place.client(hub, token))
      let recorder = Recorder(try place.client(hub, token))
      try await b.syncOnce(with: recorder)
      // Each answer has at most one range.
      #expect(recorder.answered.allSatisfy { $0.ranges.count <= 1 })
      #expect(recorder.answered.flatMap(\.ranges).count >= 3)
    }
    #expect(try await a.digest() == b.digest())
    for store in [a, b] { try await store.close() }
  }

  @Test("a hub that stops finishes the exchange under way and refuses new requests")
  func gracefulStop() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let directory = SlowDirectory()
    let book = TokenBook(TokenFile(place.hubFolder), now: { 0 })
    let token = try place.token()
    var options = HubOptions()
    options.listen = "127.0.0.1:0"
    let hub = try await HubServer.start(directory, book, options) {}
    let asking = Task { try await Raw.exchange(hub, token: token, AccessTests.pull()) }
    #expect(try await eventually { directory.zone.isAsked.value })
    let stopping = Task { try await hub.stop() }
    // New requests of every kind are refused while the exchange is under way.
    let isStopping = try await eventually {
      try await Raw.send(.GET, "\(hub.address)/healthz").status == 503
    }
    #expect(isStopping)
    for path in ["healthz", "metrics", "v1/zones/team/changes"] {
      let answer = try await Raw.send(.GET, "\(hub.address)/\(path)", token: token)
      #expect(answer.status == 503 && answer.code == "stopping", "\(path)")
      #expect(answer.headers.first(name: "retry-after") != nil)
    }
    let late = try await Raw.exchange(hub, token: token, AccessTests.pull())
    #expect(late.status == 503 && late.code == "stopping")
    #expect(!directory.zone.isClosed.value)
    directory.zone.mayAnswer.change { $0 = true }
    #expect(try await asking.value.status == 200)
    try await stopping.value
    #expect(directory.zone.isClosed.value)
  }

  @Test("a zone that has failed is opened again by the next request")
  func failedZone() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let directory = SlowDirectory()
    directory.zone.mayAnswer.change { $0 = true }
    directory.zone.fails.change { $0 = true }
    let book = TokenBook(TokenFile(place.hubFolder), now: { 0 })
    let token = try place.token()
    var options = HubOptions()
    options.listen = "127.0.0.1:0"
    let hub = try await HubServer.start(directory, book, options) {}
    let answer = try await Raw.exchange(hub, token: token, AccessTests.pull())
    #expect(answer.status == 500 && answer.code == "failed")
    directory.zone.fails.change { $0 = false }
    #expect(try await Raw.exchange(hub, token: token, AccessTests.pull()).status == 200)
    #expect(directory.opened.value == 2)
    try await hub.stop()
  }
}

/// A zone that is not in a folder, and that answers once the test allows it.
private final class SlowZone: HostedZone {
  struct Fault: Error {}

  let isAsked = Box(false)
  let mayAnswer = Box(false)
  let isClosed = Box(false)
  let fails = Box(false)

  func exchange(_ request: SyncRequest, answerBytes: Int) async throws -> ZoneAnswer {
    isAsked.change { $0 = true }
    while !mayAnswer.value { try await Task.sleep(for: .milliseconds(1)) }
    if fails.value { throw Fault() }
    let response = SyncResponse(
      zone: .none, replica: request.replica, report: .digest(Knowledge().digest))
    return ZoneAnswer(response: response, status: try await status(), stamped: 0)
  }

  func status() async throws -> ZoneStatus {
    ZoneStatus(digest: Knowledge().digest, bytes: 0, pending: 0)
  }

  func close() async throws { isClosed.change { $0 = true } }
}

private final class SlowDirectory: ZoneDirectory {
  let zone = SlowZone()
  let opened = Box(0)

  func open(_ name: ZoneName) async throws -> (any HostedZone)? {
    opened.change { $0 += 1 }
    return zone
  }

  func create(_ name: ZoneName, id: ZoneID?) async throws {}
}
