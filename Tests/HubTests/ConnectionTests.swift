import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import DaybookHubServer

/// The rules of HTTP that concern a connection, seen on the wire.
@Suite struct ConnectionTests {
  /// Sends a text, waits until the hub ends the connection, and returns everything it sent.
  private func answers(_ hub: HubServer, _ text: String) async throws -> String {
    let connection = try await RawConnection.open(hub)
    try await connection.send(text)
    #expect(try await connection.isClosed(within: .seconds(60)), "\(text)")
    return connection.received.value
  }

  private static func request(_ line: String, _ fields: String = "") -> String {
    "\(line)\r\nHost: 127.0.0.1\r\n\(fields)\r\n"
  }

  @Test("an answer to HEAD has the head of GET's answer and no body")
  func headRequests() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let metrics = try place.token("", .metrics)
    try await place.withHub { hub in
      let cases = [
        ("/healthz", 200), ("/metrics", 401), ("/nothing", 404), ("/v1/zones/team/changes", 405),
        ("/v1/zones/TEAM/exchange", 400),
      ]
      for (path, status) in cases {
        let last = Self.request("GET /healthz HTTP/1.1", "Connection: close\r\n")
        let text = try await answers(hub, Self.request("HEAD \(path) HTTP/1.1") + last)
        // What follows the first head is the second, so there is no body between them.
        let parts = text.components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 3 && parts[2] == "ok\n", "\(path): \(text)")
        #expect(parts[0].hasPrefix("HTTP/1.1 \(status) "), "\(path): \(text)")
        #expect(parts[1].hasPrefix("HTTP/1.1 200 "), "\(path): \(text)")
        #expect(!parts[0].lowercased().contains("content-length: 0"), "\(path): \(text)")
      }
      let figures = try await Raw.send(.HEAD, "\(hub.address)/metrics", token: metrics)
      #expect(figures.status == 200 && figures.body.readableBytes == 0)
    }
  }

  @Test("a refused method names those that the address takes")
  func allowedMethods() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    try await place.withHub { hub in
      let cases = [
        ("healthz", "GET, HEAD"), ("metrics", "GET, HEAD"), ("v1/zones/team/exchange", "POST"),
        ("v1/zones/team/changes", "GET"),
      ]
      for (path, methods) in cases {
        let answer = try await Raw.send(.PUT, "\(hub.address)/\(path)")
        #expect(answer.status == 405 && answer.code == "wrongMethod", "\(path)")
        #expect(answer.headers["allow"] == [methods], "\(path)")
      }
    }
  }

  @Test("a connection ends with its answer in HTTP/1.0, or after close in any spelling")
  func lastAnswers() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    try await place.withHub { hub in
      let rests = ["\r\n", "Connection: keep-alive\r\n\r\n", "Content-Length: 2\r\n\r\nhi"]
      for rest in rests {
        let text = try await answers(hub, "GET /healthz HTTP/1.0\r\n" + rest)
        #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n"), "\(text)")
        #expect(text.contains("connection: close\r\n"), "\(text)")
        #expect(text.hasSuffix("\r\n\r\nok\n"), "\(text)")
      }
      for value in ["close", "Close", "CLOSE", "TE, close"] {
        let text = try await answers(
          hub, Self.request("GET /healthz HTTP/1.1", "Connection: \(value)\r\n"))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(text)")
        #expect(text.contains("connection: close\r\n"), "\(text)")
        #expect(text.hasSuffix("\r\n\r\nok\n"), "\(text)")
      }
      // What is no HTTP at all is refused once.
      let text = try await answers(hub, "\u{1}\u{2}\r\n\r\n")
      #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
    }
  }

  @Test("answers to requests sent at once come in order, and the connection ends with the last")
  func requestsAtOnce() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    try await place.withHub { hub in
      let text = try await answers(
        hub,
        Self.request("GET /healthz HTTP/1.1") + Self.request("GET /nothing HTTP/1.1")
          + Self.request("HEAD /healthz HTTP/1.1")
          + Self.request("GET /healthz HTTP/1.1", "Connection: close\r\n"))
      let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
      #expect(statuses == ["200", "404", "200", "200"], "\(text)")
      #expect(text.components(separatedBy: "connection: close").count == 2, "\(text)")
    }
  }

  @Test("a stream for a client of HTTP/1.0 comes without chunks")
  func streamOfOldClient() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    try await place.withHub { hub in
      let connection = try await RawConnection.open(hub)
      try await connection.send(
        Self.request(
          "GET /v1/zones/team/changes HTTP/1.0", "Authorization: Bearer \(token)\r\n"))
      #expect(try await eventually { connection.received.value.contains("event: change") })
      let text = connection.received.value
      #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n"), "\(text)")
      #expect(!text.lowercased().contains("chunked") && text.contains("\r\n\r\nretry: 2000\n"))
      try await connection.channel.close().get()
    }
  }
}
