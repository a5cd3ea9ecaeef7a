import Daybook
import DaybookReplication
import Foundation
import NIOCore
import Testing

@testable import DaybookHubClient
@testable import DaybookHubServer

@Suite(.eachTransport) struct ClientTests {
  @Test("a hub that does not run is reported as unreachable, with a hint")
  func unreachableHub() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let a = try await place.store("a", title: "1")
    // A port that was free a moment ago.
    let port = try await place.withHub { $0.port }
    let client = try place.client("http://127.0.0.1:\(port)") { nil }
    await #expect { try await a.syncOnce(with: client) } throws: {
      ($0 as? StoreError)?.syncError?.code == .unreachable
        && ($0 as? StoreError)?.syncError?.hint != nil
    }
    await #expect { for try await _ in client.changes() {} } throws: {
      ($0 as? SyncError)?.code == .unreachable
    }
    try await a.close()
  }

  @Test("a refusal by the hub is an error with a code and a hint")
  func refusedExchange() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let (good, other) = (try place.token(), try place.token("other"))
    let foreign = try await place.store("foreign", title: "1")
    let a = try await place.store("a", title: "1")
    try await place.withHub { hub in
      try await foreign.syncOnce(with: place.client(hub, zone: "other", other))
      let cases: [(Store, String, String?, SyncError.Code)] = [
        (a, "team", nil, .unauthorized), (a, "team", "nonsense", .unauthorized),
        (a, "team", other, .unauthorized), (a, "team", "two\nlines", .unauthorized),
        (foreign, "team", good, .wrongZone),
      ]
      for (store, zone, token, code) in cases {
        await #expect("\(token ?? "none")") {
          try await store.syncOnce(with: place.client(hub, zone: zone, token))
        } throws: {
          ($0 as? StoreError)?.syncError?.code == code
            && ($0 as? StoreError)?.syncError?.hint != nil
        }
      }
    }
    try await place.withHub(options: HubPlace.options { $0.limits.requestBytesMax = 100 }) { hub in
      await #expect { try await a.syncOnce(with: place.client(hub, good)) } throws: {
        ($0 as? StoreError)?.syncError?.code == .tooLarge
      }
    }
    try await a.close()
    try await foreign.close()
  }

  /// Found by strangers: all of these were “refused the request”, or no message of the protocol.
  @Test("a redirection, a sign-in page and a proxy's limit are named as such")
  func otherAnswers() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let a = try await place.store("a", title: "1")
    let page = "<html>Welcome to the airport</html>"
    let cases: [(head: String, code: SyncError.Code, words: [String])] = [
      (
        "301 Moved\r\nLocation: https://new.example/v1/zones/team/exchange", .unreachable,
        ["has moved to https://new.example/team", "new address"]
      ),
      (
        "308 Moved\r\nLocation: /elsewhere\u{9}x", .unreachable,
        ["has moved to /elsewherex"]
      ),
      ("302 Found\r\nLocation: http://login.example/", .unreachable, ["login.example", "sign-in"]),
      ("303 See\r\nX-A: b", .unreachable, ["does not say", "sign-in"]),
      ("200 OK\r\nContent-Type: text/html; charset=utf-8", .unreachable, ["web page", "sign-in"]),
      ("511 Auth\r\nContent-Type: text/html", .unreachable, ["sign-in"]),
      ("413 Large\r\nContent-Type: text/html", .tooLarge, ["larger requests"]),
      ("502 Bad\r\nContent-Type: text/html\r\nRetry-After: 7", .unavailable, ["Try again"]),
      ("404 Not\r\nContent-Type: text/html", .badMessage, ["address of a hub"]),
    ]
    for (head, code, words) in cases {
      let server = try await CannedServer.start("HTTP/1.1 \(head)", page)
      let client = try place.client(server.address) { nil }
      let error = await #expect(throws: StoreError.self, "\(head)") {
        try await a.syncOnce(with: client)
      }
      let cause = error?.syncError
      #expect(cause?.code == code, "\(head): \(error.debugDescription)")
      let said = cause?.description ?? ""
      for word in words { #expect(said.contains(word), "\(head) \(word): \(said)") }
      #expect(cause?.description.contains("\u{1B}") == false)
      #expect(cause?.retryAfter == (head.contains("Retry-After") ? .seconds(7) : nil))
      // Listening is refused in the same words, or is nothing.
      await #expect(throws: SyncError.self) { for try await _ in client.changes() {} }
      try await server.stop()
    }
    try await a.close()
  }

  @Test("a client of a later version uses the newest version that the hub knows")
  func laterVersion() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "1"), try await place.store("b", title: "2"))
    let newest = SyncProtocol.versions.upperBound
    func client(_ hub: HubServer, knowing versions: ClosedRange<UInt8>) throws -> HubClient {
      try HubClient(
        HubAddress(url: "http://127.0.0.1:\(hub.port)", zone: "team"), options: .init(),
        over: EachTransport.current, speaking: VersionChoice(known: versions)
      ) { token }
    }
    try await place.withHub { hub in
      let later = try client(hub, knowing: newest...newest + 2)
      #expect(try await a.syncOnce(with: later).eventsSent > 0)
      // The client remembers the version, and does not ask for it again.
      #expect(try await a.syncOnce(with: later).exchanges == 1)
      #expect(try await b.syncOnce(with: client(hub, knowing: newest...newest)).eventsReceived > 0)
      await #expect {
        try await b.syncOnce(with: client(hub, knowing: newest + 1...newest + 2))
      } throws: {
        ($0 as? StoreError)?.syncError?.code == .otherVersion
          && ($0 as? StoreError)?.syncError?.hint == "Update the peer's software"
      }
    }
    try await a.close()
    try await b.close()
  }

  @Test("an address is split into URL and zone, and a malformed one is refused")
  func addresses() throws {
    let address = try HubAddress("https://hub.example.org:8443/daybook/team")
    #expect(address.url == "https://hub.example.org:8443/daybook" && address.zone == "team")
    #expect(
      address.exchange == "https://hub.example.org:8443/daybook/v1/zones/team/exchange")
    #expect(try HubAddress("http://[::1]:80/team/").url == "http://[::1]:80")
    let wrong = [
      "", "team", "http://", "http://host", "http://host/", "ftp://host/team", "http://host/Team",
      "http://host/..", "http://host/a?b", "http://ada:secret@host/team", "http:///team",
    ]
    for text in wrong {
      #expect(throws: SyncError.self, "\(text)") { _ = try HubAddress(text) }
    }
  }

  @Test("server-sent events are parsed the same wherever their bytes are cut")
  func cutStream() {
    let text = ": hello\nretry: 5\r\n\r\nevent: change\rdata: one\rdata:two\r\rdata\n\nevent: x\n\n"
    let bytes = Array(text.utf8)
    let expected = [
      EventStreamParser.Event(name: "change", data: "one\ntwo"),
      EventStreamParser.Event(name: "message", data: ""),
    ]
    for cut in 0...bytes.count {
      var parser = EventStreamParser()
      let events = (parser.take(bytes[..<cut]) ?? []) + (parser.take(bytes[cut...]) ?? [])
      #expect(events == expected, "cut at \(cut)")
    }
  }

  @Test("a line over the limit ends the parsing of the stream")
  func endlessLine() {
    var parser = EventStreamParser()
    #expect(parser.take(Array(repeating: UInt8(ascii: "a"), count: 70_000)) == nil)
  }
}
