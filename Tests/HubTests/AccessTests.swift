import Daybook
import DaybookEventCore
import DaybookHubClient
import DaybookReplication
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import DaybookHubServer

@Suite(.eachTransport) struct AccessTests {
  /// Returns a request without ranges.
  static func pull() -> [UInt8] {
    SyncRequest(
      zone: .none, replica: ReplicaID(high: 1, low: 2), answerBytes: 1 << 20,
      report: .digest(Knowledge().digest), ranges: []
    ).encoded()
  }

  @Test("a request without a valid token for its zone is refused")
  func missingOrWrongToken() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let good = try place.token()
    let foreign = try place.token("other")
    let figures = try place.token("", .metrics)
    try await place.withHub { hub in
      let body = Self.pull()
      func answer(_ token: String?) async throws -> Answer {
        try await Raw.exchange(hub, token: token, body)
      }
      #expect(try await answer(good).status == 200)
      let wrong = String(good.dropLast()) + (good.last == "0" ? "1" : "0")
      let cases: [(String?, Int, String)] = [
        (nil, 401, "noToken"), ("", 401, "noToken"), ("nonsense", 401, "unknownToken"),
        (wrong, 401, "unknownToken"), (foreign, 403, "otherZone"), (figures, 403, "otherZone"),
        (good.uppercased(), 401, "unknownToken"),
      ]
      for (token, status, code) in cases {
        let answer = try await answer(token)
        #expect(answer.status == status && answer.code == code, "\(token ?? "none")")
      }
      #expect(try await answer(nil).headers.first(name: "www-authenticate") == "Bearer")
      let stream = "\(hub.address)/v1/zones/team/changes"
      #expect(try await Raw.send(.GET, stream).status == 401)
      #expect(try await Raw.send(.GET, stream, token: foreign).status == 403)
    }
  }

  @Test("a token is refused from its time of expiry on")
  func expiredToken() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token(expires: 10_000)
    let now = Box<Int64>(9_999)
    try await place.withHub(options: HubPlace.options { $0.wallMilliseconds = { now.value } }) {
      hub in
      #expect(try await Raw.exchange(hub, token: token, Self.pull()).status == 200)
      now.change { $0 = 10_000 }
      let answer = try await Raw.exchange(hub, token: token, Self.pull())
      #expect(answer.status == 401 && answer.code == "expired")
    }
  }

  @Test("a running hub accepts new tokens and refuses revoked ones")
  func tokenChanges() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let first = try place.issue()
    try await place.withHub { hub in
      let second = try place.issue()
      #expect(try await Raw.exchange(hub, token: second.text, Self.pull()).status == 200)
      try TokenFile(place.hubFolder).revoke(first.token.id)
      let answer = try await Raw.exchange(hub, token: first.text, Self.pull())
      #expect(answer.status == 401 && answer.code == "unknownToken")
      #expect(try await Raw.exchange(hub, token: second.text, Self.pull()).status == 200)
    }
  }

  @Test("a hub with a damaged token file refuses every request until the file is mended")
  func damagedTokenFile() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    try await place.withHub { hub in
      #expect(try await Raw.exchange(hub, token: token, Self.pull()).status == 200)
      let path = place.hubFolder.tokensPath
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try (text + "nonsense\n").write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try await Raw.exchange(hub, token: token, Self.pull()).status == 500)
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try await Raw.exchange(hub, token: token, Self.pull()).status == 200)
    }
  }

  @Test("a store with a read-only token receives everything and counts its unsent events")
  func readOnlyToken() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let (write, read) = (try place.token(), try place.token("team", .read))
    let (a, b) = (
      try await place.store("a", title: "1"), try await place.store("b")
    )
    try await place.withHub(options: HubPlace.options { $0.limits.answerBytes = 500 }) { hub in
      try await a.syncOnce(with: place.client(hub, write))
      let report = try await b.syncOnce(with: place.client(hub, read))
      #expect(report.eventsReceived == 4 && report.eventsUnsent == 0)
      try await b.write { tx in try tx.insert("notes", "b", ["title": .text("2")]) }
      for number in 0..<30 {
        // The titles are more than one answer has room for.
        let title = (0..<400).map { _ in UUID().uuidString }.joined()
        try await a.write { try $0.insert("notes", "a\(number)", ["title": .text(title)]) }
        try await a.syncOnce(with: place.client(hub, write))
      }
      let before = try place.hubFolder.url.appending(path: "zones/team/log").totalBytes()
      // Every event arrives, in as many answers as needed, and none is sent.
      let pulled = try await b.syncOnce(with: place.client(hub, read))
      #expect(pulled.eventsReceived == 60 && pulled.exchanges > 3, "\(pulled)")
      #expect(pulled.eventsSent == 0 && pulled.eventsUnsent == 2 && pulled.refusals.isEmpty)
      let again = try await b.syncOnce(with: place.client(hub, read))
      #expect(again.eventsReceived == 0 && again.eventsUnsent == 2)
      #expect(try place.hubFolder.url.appending(path: "zones/team/log").totalBytes() == before)
      // An engine keeps listening although it cannot send.
      let engine = SyncEngine(b)
      let current = Box(read)
      engine.add(try place.client(hub.address) { current.value })
      try await a.write { try $0.insert("notes", "last", ["title": .text("last")]) }
      try await a.syncOnce(with: place.client(hub, write))
      #expect(try await eventually { try await b.fetch("notes", "last") != nil })
      #expect(
        try await eventually {
          engine.states.first?.phase == .idle && engine.states.first?.unsent == 2
        })
      // With a token that allows writing, the engine sends the events.
      current.change { $0 = write }
      engine.resume()
      #expect(try await eventually { engine.states.first?.sent == 2 })
      #expect(engine.states.first?.unsent == 0)
      await engine.stop()
    }
    try await a.close()
    try await b.close()
  }

  @Test("a client asks for its token with each request")
  func tokenForEachRequest() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let (old, new) = (try place.issue(), try place.issue())
    let current = Box(old.text)
    let a = try await place.store("a", title: "1")
    try await place.withHub { hub in
      let client = try place.client(hub.address) { current.value }
      try await a.syncOnce(with: client)
      try TokenFile(place.hubFolder).revoke(old.token.id)
      await #expect(throws: StoreError.self) { try await a.syncOnce(with: client) }
      current.change { $0 = new.text }
      try await a.syncOnce(with: client)
    }
    try await a.close()
  }

  @Test("a hub without tokens serves its own machine only, and creates zones on request")
  func insecureLocal() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "localhost.example.org:0"] {
      await #expect {
        try await place.withHub(
          options: HubPlace.options {
            $0.isInsecureLocal = true
            $0.listen = address
          }
        ) { _ in }
      } throws: { ($0 as? HubError)?.code == .notLocal }
    }
    let a = try await place.store("a", title: "1")
    try await place.withHub(options: HubPlace.options { $0.isInsecureLocal = true }) { hub in
      // The first exchange creates the zone.
      try await a.syncOnce(with: place.client(hub, zone: "fresh", nil))
      #expect(try place.hubFolder.zoneNames().map(\.description) == ["fresh"])
      let answer = try await Raw.exchange(
        hub, zone: "fresh", token: nil, Self.pull(), headers: [("host", "evil.example.org")])
      #expect(answer.status == 403 && answer.code == "foreignHost")
    }
    try await a.close()
  }

  /// A page in a browser created zones with requests for changes.
  @Test("a request from a page in a browser is refused and creates no zone")
  func requestsFromBrowsers() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    try await place.withHub(options: HubPlace.options { $0.isInsecureLocal = true }) { hub in
      let stream = "\(hub.address)/v1/zones/fresh/changes"
      let answer = try await Raw.send(.GET, stream)
      #expect(answer.status == 404 && answer.code == "unknownZone")
      for header in [
        ("origin", "https://evil.example.org"), ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
      ] {
        let refused = try await Raw.exchange(
          hub, zone: "fresh", token: nil, Self.pull(), headers: [header])
        #expect(refused.status == 403 && refused.code == "fromBrowser", "\(header)")
      }
      #expect(try place.hubFolder.zoneNames().isEmpty)
    }
  }

  @Test("the metrics need a token of their own, and the health check needs none")
  func metricsToken() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let (token, figures) = (try place.token(), try place.token("", .metrics))
    try await place.withHub { hub in
      let url = "\(hub.address)/metrics"
      #expect(try await Raw.send(.GET, url).status == 401)
      #expect(try await Raw.send(.GET, url, token: token).status == 403)
      let answer = try await Raw.send(.GET, url, token: figures)
      #expect(answer.status == 200 && answer.text.contains("daybook_hub_refusals_total"))
      #expect(try await Raw.send(.GET, "\(hub.address)/healthz").text == "ok\n")
    }
  }
}

extension URL {
  /// Returns the number of bytes of the files in this folder.
  func totalBytes() throws -> Int {
    try FileManager.default.contentsOfDirectory(
      at: self, includingPropertiesForKeys: [.fileSizeKey]
    )
    .reduce(0) { try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
  }
}

@Suite struct TokenFileTests {
  @Test("the secret of a token is not stored, and only the owner can read the files")
  func secrets() throws {
    let place = try HubPlace()
    defer { place.remove() }
    let text = try place.token()
    let secret = try #require(text.split(separator: "_").last)
    let file = try String(contentsOfFile: place.hubFolder.tokensPath, encoding: .utf8)
    #expect(!file.contains(secret))
    for path in [place.hubFolder.tokensPath, place.hubFolder.authorityPath] {
      let facts = try FileManager.default.attributesOfItem(atPath: path)
      #expect((facts[.posixPermissions] as? Int) == 0o600)
    }
  }

  @Test("tokens are read from the file as they were written")
  func roundTrip() throws {
    let team = ZoneName("team")
    let tokens = [
      AccessToken.make(zone: team, access: .read, created: 1, expires: nil).token,
      AccessToken.make(zone: team, access: .write, created: 2, expires: 3).token,
      AccessToken.make(zone: nil, access: .metrics, created: 4, expires: nil).token,
    ]
    #expect(try TokenFile.parse(TokenFile.text(tokens)) == tokens)
  }

  @Test("a change of any byte of the file is refused or changes the token")
  func changedBytes() throws {
    let token = AccessToken.make(
      zone: ZoneName("team"), access: .write, created: 1, expires: 2
    ).token
    let text = TokenFile.text([token])
    for (index, byte) in text.utf8.enumerated() {
      var bytes = Array(text.utf8)
      bytes[index] = byte ^ 0x80
      let changed = String(decoding: bytes, as: UTF8.self)
      let read = try? TokenFile.parse(changed)
      #expect(read != [token], "byte \(index)")
    }
  }

  @Test("a secret with a flipped bit does not match its token")
  func otherSecrets() throws {
    let (token, text) = AccessToken.make(
      zone: ZoneName("team"), access: .write, created: 0, expires: nil)
    let parsed = try #require(TokenText(text))
    #expect(token.matches(parsed.secret))
    for bit in 0..<256 {
      var secret = parsed.secret
      secret[bit / 8] ^= 1 << (bit % 8)
      #expect(!token.matches(secret))
    }
  }

  @Test("a revocation removes one token, and cannot be repeated")
  func revocation() throws {
    let place = try HubPlace()
    defer { place.remove() }
    let (a, b) = (try place.issue().token, try place.issue().token)
    let file = TokenFile(place.hubFolder)
    #expect(try file.revoke(a.id) == a)
    #expect(try file.read() == [b])
    #expect { try file.revoke(a.id) } throws: { ($0 as? HubError)?.code == .notFound }
  }
}
