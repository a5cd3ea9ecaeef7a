import DaybookEventCore
import DaybookReplication
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import DaybookHubClient

/// What a client promises of its requests, whatever carries them.
@Suite(.eachTransport) struct TransportTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"

  private func client(
    _ server: ScriptedServer, _ change: (inout HubClient.Options) -> Void = { _ in }
  ) throws -> HubClient {
    var options = HubClient.Options()
    change(&options)
    return try HubClient(
      HubAddress(url: server.address, zone: "team"), options: options,
      over: EachTransport.current
    ) { "secret" }
  }

  private static let pull = SyncRequest(
    zone: .none, replica: ReplicaID(high: 1, low: 2), answerBytes: 1 << 20,
    report: .digest(Knowledge().digest), ranges: [])

  @Test("a hub that is silent is given up after the timeout, and its connection is closed")
  func silence() async throws {
    let server = try await ScriptedServer.start([""])
    let client = try client(server) { $0.silenceTimeout = .milliseconds(200) }
    for _ in 0..<2 {
      await #expect {
        _ = try await client.exchange(Self.pull)
      } throws: { ($0 as? SyncError)?.code == .unavailable }
    }
    await #expect {
      for try await _ in client.changes() {}
    } throws: { ($0 as? SyncError)?.code == .unavailable }
    #expect(try await eventually { server.closed == 3 })
    try await server.stop()
  }

  @Test("an answer that takes longer than it may is given up, even if something arrives")
  func slowAnswer() async throws {
    let server = try await ScriptedServer.start(
      [Self.head + "Content-Length: 1000000\r\n\r\n"], thenEach: "x", after: .milliseconds(5))
    let client = try client(server) { $0.exchangeTimeout = .milliseconds(300) }
    await #expect {
      _ = try await client.exchange(Self.pull)
    } throws: { [.unavailable, .interrupted].contains(($0 as? SyncError)?.code) }
    #expect(try await eventually { server.closed == 1 })
    try await server.stop()
  }

  @Test("a cancelled exchange and a dropped stream close their connections")
  func cancelling() async throws {
    let server = try await ScriptedServer.start(
      ["HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: change\ndata: {}\n\n"])
    let client = try client(server)
    do {
      var changes = client.changes().makeAsyncIterator()
      #expect(try await changes.next() != nil)
    }
    #expect(try await eventually { server.closed == 1 })
    let asking = Task { try await client.exchange(Self.pull) }
    #expect(try await eventually { server.received.value.contains("POST") })
    asking.cancel()
    await #expect(throws: (any Error).self) { _ = try await asking.value }
    #expect(try await eventually { server.closed == 2 })
    try await server.stop()
  }

  @Test("an answer that ends early, and one that is larger than any message, are errors")
  func badLengths() async throws {
    let short = try await ScriptedServer.start(
      [Self.head + "Content-Length: 100\r\n\r\nshort"], closes: true)
    await #expect {
      _ = try await client(short).exchange(Self.pull)
    } throws: { ($0 as? SyncError)?.code == .interrupted }
    try await short.stop()
    let length = SyncProtocol.messageBytesMax + 1
    let long = try await ScriptedServer.start(
      [Self.head + "Content-Length: \(length)\r\n\r\n", String(repeating: "x", count: length)])
    await #expect {
      _ = try await client(long).exchange(Self.pull)
    } throws: { ($0 as? SyncError)?.message.contains("larger than any message") == true }
    #expect(try await eventually { long.closed == 1 })
    try await long.stop()
  }

  @Test("a redirection is not followed, cookies are not kept, and each request has its token")
  func requests() async throws {
    let other = try await ScriptedServer.start([""])
    let server = try await ScriptedServer.start(
      [
        "HTTP/1.1 307 Go\r\nLocation: \(other.address)/\r\nSet-Cookie: a=b\r\n"
          + "Content-Length: 0\r\nConnection: close\r\n\r\n"
      ], closes: true)
    let client = try client(server)
    for _ in 0..<2 {
      await #expect {
        _ = try await client.exchange(Self.pull)
      } throws: { ($0 as? SyncError)?.message.contains(other.address) == true }
    }
    let text = server.received.value.lowercased()
    #expect(text.components(separatedBy: "authorization: bearer secret\r\n").count == 3)
    #expect(text.components(separatedBy: "user-agent: daybook\r\n").count == 3)
    #expect(!text.contains("\r\ncookie:") && !text.contains("\r\nexpect:"))
    #expect(other.received.value.isEmpty)
    for server in [server, other] { try await server.stop() }
  }

  @Test("a file of certificates without one is refused")
  func certificates() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(throws: SyncError.self) { try TrustedCertificates(path: file.path) }
    try "-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----".write(
      to: file, atomically: true, encoding: .utf8)
    #expect(throws: SyncError.self) { try TrustedCertificates(path: file.path) }
    try "x\n-----BEGIN CERTIFICATE-----\nAQID\nBA==\n-----END CERTIFICATE-----\ny".write(
      to: file, atomically: true, encoding: .utf8)
    #expect(try TrustedCertificates(path: file.path).encoded == [Data([1, 2, 3, 4])])
  }
}

/// What only URLSession has.
@Suite struct URLSessionTests {
  @Test("a text of curl is mapped to a failure in plain words")
  func texts() {
    let cases: [(String, TransportFailure.Kind, String)] = [
      ("SSL certificate problem: self-signed certificate", .untrusted, "does not trust"),
      (
        "SSL: no alternative certificate subject name matches target host name 'a'", .untrusted,
        "another name"
      ),
      (
        "error:0A00010B:SSL routines::wrong version number", .untrusted, "perhaps it is http://"
      ),
      ("OpenSSL/3.0: error:0A000126:SSL routines::unexpected eof", .hungUp, "closed"),
      ("Recv failure: Connection reset by peer", .hungUp, "cut"),
      ("Send failure: Broken pipe", .hungUp, "cut"),
      ("transfer closed with 3 bytes remaining to read", .broken, "closed"),
      ("Failed to connect to a port 1: No route to host", .unreached, "no network"),
      ("something else", .unreached, "something else"),
    ]
    for (text, kind, words) in cases {
      let (found, cause) = TransportFailure.parse(text, .hungUp, isConnected: false)
      #expect(found == kind && cause.contains(words), "\(text): \(cause)")
    }
  }

  @Test("silence may last longer for what the system has taken of a body")
  func clock() {
    var options = HubClient.Options()
    options.connectTimeout = .seconds(10)
    options.silenceTimeout = .seconds(60)
    func left(_ clock: URLSessionClock) -> Int {
      Int(((clock.end - ContinuousClock.now) / .seconds(1)).rounded())
    }
    var clock = URLSessionClock(options, bytes: 100 << 10, within: .seconds(500))
    #expect(left(clock) == 10 && clock.failure.kind == .unreached)
    clock.sent(64 << 10)
    #expect(left(clock) == 124 && clock.failure.kind == .silent)
    clock.received()
    #expect(left(clock) == 60)
    #expect(left(URLSessionClock(options, bytes: 0, within: nil)) == 60)
    #expect(left(URLSessionClock(options, bytes: 0, within: .seconds(5))) == 5)
  }
}
