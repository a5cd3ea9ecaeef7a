import Daybook
import DaybookEventCore
import DaybookHubClient
import DaybookLogEngine
import DaybookReplication
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import DaybookHubServer

/// Bad requests: each gets a 4xx with a code and a sentence, the hub keeps serving, and no store
/// changes.
@Suite struct BadRequestTests {
  /// Runs `body` with a hub that one store has synced with, and with that store's push. Expects
  /// that the zone holds the same afterwards.
  private func withBusyHub(
    _ options: HubOptions = HubPlace.options(),
    _ body: (HubPlace, HubServer, _ token: String, _ push: SyncRequest) async throws -> Void
  ) async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let store = try await place.store("a", title: "1")
    var before: KnowledgeDigest?
    var push: SyncRequest?
    try await place.withHub { hub in
      let recorder = Recorder(try place.client(hub, token))
      try await store.syncOnce(with: recorder)
      push = recorder.recorded.first { !$0.ranges.isEmpty }
    }
    before = try place.digest()
    try await place.withHub(options: options) { hub in
      try await body(place, hub, token, try #require(push))
      // The hub still serves.
      try await store.syncOnce(with: place.client(hub, token))
    }
    #expect(try place.digest() == before)
    try await store.close()
  }

  @Test("a request for a bad zone name, an unknown path or a missing zone is refused")
  func badAddresses() async throws {
    try await withBusyHub { place, hub, token, push in
      let body = push.encoded()
      let names = [
        "..", "../team", "%2e%2e", "..%2fteam", "team/..", "Team", "team%00", "", ".hidden",
        "a..b", "-", String(repeating: "a", count: 65), "tëam", "team/../../etc",
      ]
      for name in names {
        let url = "\(hub.address)/v1/zones/\(name)/exchange"
        guard URL(string: url) != nil else { continue }
        let answer = try await Raw.exchange(hub, zone: name, token: token, body)
        #expect(answer.status == 400 && answer.code == "badZoneName", "\(name)")
      }
      let others = ["/", "/v1", "/v1/zones/team", "/v2/zones/team/exchange", "/tokens"]
      for path in others {
        let answer = try await Raw.send(.GET, hub.address + path, token: token)
        #expect(answer.status == 404 && answer.code == "notFound", "\(path)")
      }
      let wrong = try await Raw.send(.GET, "\(hub.address)/v1/zones/team/exchange", token: token)
      #expect(wrong.status == 405 && wrong.code == "wrongMethod")
      let missing = try place.issue("gone")
      try FileManager.default.removeItem(
        at: place.hubFolder.folder(of: ZoneName(argument: "gone")))
      let unknown = try await Raw.exchange(hub, zone: "gone", token: missing.text, body)
      #expect(unknown.status == 404 && unknown.code == "unknownZone")
    }
  }

  @Test("a body that is no intact message of a known version is refused")
  func malformedBodies() async throws {
    try await withBusyHub { _, hub, token, push in
      let body = push.encoded()
      func answer(_ body: [UInt8], type: String = "application/octet-stream") async throws
        -> Answer
      { try await Raw.exchange(hub, token: token, body, type: type) }
      for count in [0, 1, 3, 20, body.count / 2, body.count - 1] {
        let cut = try await answer(Array(body[..<count]))
        #expect(cut.status == 400 && cut.code == "badMessage", "\(count) bytes")
      }
      #expect(try await answer(body + [0]).code == "badMessage")
      let json = try await answer(Array("{}".utf8), type: "application/json")
      #expect(json.status == 415 && json.code == "wrongType")
      var version = body
      version[2] = 9
      let newer = try await answer(version)
      #expect(newer.status == 400 && newer.code == "otherVersion")
      // The answer names the versions that the hub speaks.
      let said = String(buffer: newer.body)
      #expect(said.contains(#""oldest":1,"newest":1"#), "\(said)")
      let damaged = try await Raw.exchange(
        hub, token: token, body, headers: [("daybook-crc32c", "00000000")])
      #expect(damaged.status == 400 && damaged.code == "damagedBody")
    }
  }

  @Test("a body over the limit of the hub or of a message is refused")
  func largeBodies() async throws {
    try await withBusyHub(HubPlace.options { $0.limits.requestBytesMax = 100_000 }) {
      _, hub, token, _ in
      let answer = try await Raw.exchange(
        hub, token: token, Array(repeating: 1, count: 100_001))
      #expect(answer.status == 413 && answer.code == "tooLarge")
    }
    // The body is larger than any message may be.
    try await withBusyHub { _, hub, token, _ in
      let body =
        Array("D\u{1}\u{1}".utf8) + Array(repeating: 0, count: SyncProtocol.messageBytesMax)
      let answer = try await Raw.exchange(hub, token: token, body)
      #expect(answer.status == 413 && answer.code == "tooLarge")
    }
  }

  @Test("a store of another zone is refused")
  func storeOfOtherZone() async throws {
    try await withBusyHub { _, hub, token, push in
      var foreign = push
      foreign.zone = ZoneID(bytes: Array(repeating: 3, count: 16))
      let answer = try await Raw.exchange(hub, token: token, foreign.encoded())
      #expect(answer.status == 409 && answer.code == "wrongZone")
    }
  }

  @Test("a range with a gap or a wrong signature is refused with its reason")
  func badRanges() async throws {
    try await withBusyHub { _, hub, token, push in
      let own = try #require(push.ranges.first)
      var gap = own
      gap.first += 100
      var unsigned = own
      unsigned.origin = ReplicaID(high: 7, low: 7)
      // The hub holds the range as it was pushed, so the forged one claims to go on from it.
      var forged = own
      forged.first += 1
      forged.signature[5] ^= 1
      let cases: [(EventRange, SyncResponse.Refusal.Code)] = [
        (gap, .gap), (unsigned, .badSignature), (forged, .badSignature),
      ]
      for (range, code) in cases {
        var request = push
        request.ranges = [range]
        let answer = try await Raw.exchange(hub, token: token, request.encoded())
        #expect(answer.status == 422)
        #expect(answer.headers.first(name: "daybook-code") == "rangesRefused")
        let response = try answer.body.withUnsafeReadableBytes {
          try SyncResponse(decoding: $0)
        }
        #expect(response.refusals.map(\.code) == [code])
      }
    }
  }

  @Test("a second history of an origin is refused as a fork")
  func twoHistories() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let store = try await place.store("a", title: "1")
    try await store.close()
    // Two copies of one store write different events as the same origin.
    try FileManager.default.copyItem(
      at: place.folder.appending(path: "a"), to: place.folder.appending(path: "copy"))
    let (a, copy) = (
      try await Store.open(at: place.folder.appending(path: "a")),
      try await Store.open(at: place.folder.appending(path: "copy"))
    )
    try await a.write { tx in try tx.update("notes", "a", ["title": .text("a's")]) }
    try await copy.write { tx in try tx.update("notes", "a", ["title": .text("copy's")]) }
    try await place.withHub { hub in
      try await a.syncOnce(with: place.client(hub, token))
      let recorder = Recorder(try place.client(hub, token))
      let report = try await copy.syncOnce(with: recorder)
      #expect(report.refusals.contains { $0.code == .fork }, "\(report)")
    }
    try await a.close()
    try await copy.close()
  }

  @Test("a clone that is ahead of its original is told of the fork")
  func cloneAhead() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let path = { (name: String) in place.folder.appending(path: name) }
    let store = try await place.store("a", title: "1")
    try await place.withHub { hub in try await store.syncOnce(with: place.client(hub, token)) }
    try await store.close()
    for (from, to) in [("a", "clone"), ("hub", "other")] {
      try FileManager.default.copyItem(at: path(from), to: path(to))
    }
    let (a, clone) = (
      try await Store.open(at: path("a")), try await Store.open(at: path("clone"))
    )
    try await a.write { tx in try tx.update("notes", "a", ["title": .text("a's")]) }
    for title in ["clone's", "more", "and more"] {
      try await clone.write { tx in try tx.update("notes", "a", ["title": .text(title)]) }
    }
    // The push that the clone sends to a hub without the original's event.
    let recorder = try await place.withHub(HubFolder(path("other"))) { hub in
      let recorder = Recorder(try place.client(hub, token))
      try await clone.syncOnce(with: recorder)
      return recorder
    }
    let introduction = try #require(recorder.recorded.first)
    var push = try #require(recorder.recorded.first { !$0.ranges.isEmpty })
    push.report = introduction.report
    // The range begins after the hub's latest event, as if the clone held that event.
    push.ranges[0].frames.removeFirst()
    push.ranges[0].first += 1
    try await place.withHub { hub in try await a.syncOnce(with: place.client(hub, token)) }
    let before = try place.digest()
    try await place.withHub { hub in
      let answer = try await Raw.exchange(hub, token: token, push.encoded())
      #expect(answer.status == 422)
      #expect(answer.headers.first(name: "daybook-code") == "rangesRefused")
      let response = try answer.body.withUnsafeReadableBytes { try SyncResponse(decoding: $0) }
      let refusal = try #require(response.refusals.first)
      #expect(refusal.code == .fork && refusal.tag != nil, "\(refusal)")
      #expect(refusal.event == EventID(push.ranges[0].origin, push.ranges[0].first - 1))
      // The clone also finds the fork by itself.
      let report = try await clone.syncOnce(with: place.client(hub, token))
      #expect(report.refusals.contains { $0.code == .fork })
    }
    #expect(try place.digest() == before)
    try await a.close()
    try await clone.close()
  }

  @Test("a full zone refuses events and still sends its own")
  func fullZone() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "1"), try await place.store("b"))
    try await place.withHub { hub in try await a.syncOnce(with: place.client(hub, token)) }
    var options = HubPlace.options()
    options.limits.zoneBytesMax = 1
    try await a.write { tx in try tx.update("notes", "a", ["title": .text("2")]) }
    let before = try place.digest()
    try await place.withHub(options: options) { hub in
      let report = try await a.syncOnce(with: place.client(hub, token))
      #expect(report.refusals.map(\.code) == [.full])
      try await b.syncOnce(with: place.client(hub, token))
      #expect(try await place.titles(b) == ["1"])
    }
    #expect(try place.digest() == before)
    // With more room, the zone takes events again.
    try await place.withHub { hub in
      let report = try await a.syncOnce(with: place.client(hub, token))
      #expect(report.refusals.isEmpty && report.eventsSent == 1)
    }
    try await a.close()
    try await b.close()
  }

  @Test("a token that has used up its time is refused, and another is served")
  func spentToken() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let (greedy, other) = (try place.token(), try place.token())
    let (a, b) = (try await place.store("a", title: "1"), try await place.store("b"))
    var options = HubPlace.options()
    options.limits.tokenTimeMax = .seconds(1)
    try await place.withHub(options: options) { hub in
      let error = await #expect(throws: StoreError.self) {
        for _ in 0..<100_000 { try await a.syncOnce(with: place.client(hub, greedy)) }
      }
      #expect(error?.syncError?.code == .unavailable)
      #expect(error?.description.contains("in an hour") ?? false)
      try await b.syncOnce(with: place.client(hub, other))
      #expect(try await place.titles(b) == ["1"])
    }
    try await a.close()
    try await b.close()
  }

  @Test("a zone refuses a range that it has no room for, and takes a smaller one")
  func zoneRoom() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "1"), try await place.store("b", title: "2"))
    var options = HubPlace.options()
    // The definition of a table takes most of the room.
    options.limits.zoneBytesMax = 100_000
    // The text takes a few kilobytes in transit.
    let text = String(repeating: "a", count: 1 << 20)
    try await a.write { tx in try tx.update("notes", "a", ["title": .text(text)]) }
    try await place.withHub(options: options) { hub in
      let report = try await a.syncOnce(with: place.client(hub, token))
      #expect(report.refusals.map(\.code) == [.full] && report.eventsSent == 0)
      // The zone has room for small events.
      let other = try await b.syncOnce(with: place.client(hub, token))
      #expect(other.refusals.isEmpty && other.eventsSent == 2)
    }
    try await a.close()
    try await b.close()
  }

  @Test("random bodies are answered without a failure, and change no store")
  func randomBodies() async throws {
    try await withBusyHub { _, hub, token, push in
      let body = push.encoded()
      var random = SeededGenerator(seed: 4)
      var statuses: [Int: Int] = [:]
      try await withThrowingTaskGroup(of: Int.self) { group in
        for round in 0..<3_000 {
          if round >= 8, let status = try await group.next() { statuses[status, default: 0] += 1 }
          let mangled = Self.mangled(body, &random)
          group.addTask {
            let answer = try await Raw.exchange(hub, token: token, mangled)
            if answer.status != 200, answer.status != 422, answer.code == nil { return -1 }
            return answer.status
          }
        }
        for try await status in group { statuses[status, default: 0] += 1 }
      }
      // A change of the data about the sender is no fault. No other body passes, and none fails.
      #expect(Set(statuses.keys).isSubset(of: [200, 400, 409, 413, 422]), "\(statuses)")
      #expect(statuses[400, default: 0] > 1500, "\(statuses)")
      #expect(statuses[422, default: 0] > 30, "\(statuses)")
    }
  }

  /// Returns noise, or a valid message with some changes.
  private static func mangled(_ body: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return (0..<Int.random(in: 0...400, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
    case 1: return Array(body[..<Int.random(in: 0..<body.count, using: &random)])
    case 2:
      var bytes = body
      let place = Int.random(in: 0...bytes.count, using: &random)
      bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
      return bytes
    default:
      var bytes = body
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(
          in: 1 ... .max, using: &random)
      }
      // The checksum is put right, so that the checks behind it run too.
      let sum = CRC32C.checksum(Array(bytes.dropLast(4)))
      withUnsafeBytes(of: sum.littleEndian) {
        bytes.replaceSubrange(bytes.count - 4..<bytes.count, with: $0)
      }
      return bytes
    }
  }
}

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
