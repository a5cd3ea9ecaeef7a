import CoreMetrics
import Daybook
import DaybookEventCore
import DaybookHubClient
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import Foundation
import Testing

@testable import DaybookHubServer

/// Every public call of the hub and its client, with any arguments, returns or throws a typed
/// error. No call ends the process.
@Suite struct HubPublicCallTests {
  static let texts = [
    "", " ", "\0", "a\0b", "team", "..", ".", "a..b", "A", "ä", "e\u{301}", "/", "a/b", "../x", "-",
    "_x",
    String(repeating: "z", count: 64), String(repeating: "z", count: 65), "http://", "https://h/",
    "http://h:99999", "http://h:-1/zone", "http://[::1", "http://u:p@h/zone", "http://h/zone?x=1",
    "ftp://h/zone", "http://h//zone", "http://\0/zone", "http://h/zo\u{301}ne", "“", "\"'`;--",
    "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:-1", ":0", "[::1]:0", "127.0.0.1",
    "nowhere.invalid:0",
    "127.0.0.1:0x10", "127.0.0.1:18446744073709551616", String(repeating: "1", count: 5000),
  ]
  static let integers = [Int.min, -1, 0, 1, Int(Int32.max) + 1, .max]
  static let durations: [Duration] = [
    .zero, .seconds(-1), .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.min),
  ]

  private func isTyped(_ error: any Error) -> Bool {
    error is HubError || error is SyncError || error is StoreError
  }

  private func sweep(_ name: String, _ call: () async throws -> Void) async {
    do { try await call() } catch {
      #expect(isTyped(error), "\(name): \(type(of: error)): \(error)")
    }
  }

  @Test("any text is accepted or refused as an address and as a zone's name")
  func names() async throws {
    for text in Self.texts {
      await sweep("HubAddress") { _ = try HubAddress(text) }
      await sweep("ZoneName") { _ = try ZoneName(argument: text) }
      #expect(ZoneName(text).map { $0.description == text } ?? true)
      for zone in Self.texts {
        await sweep("HubAddress of a zone") { _ = try HubAddress(url: text, zone: zone) }
      }
    }
  }

  @Test("a hub starts with any limits, or refuses them with an error")
  func limits() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let counts: [WritableKeyPath<HubOptions.Limits, Int>] = [
      \.requestBytesMax, \.bodyBytesMax, \.answerBytes, \.liveClientsMax, \.connectionsMax,
      \.exchangesMax, \.waitingMax, \.zonesOpenMax,
    ]
    let times: [WritableKeyPath<HubOptions.Limits, Duration>] = [
      \.zoneIdle, \.idleTimeout, \.bodyTimeout, \.writeTimeout, \.heartbeat, \.stopTimeout,
    ]
    func start(_ change: (inout HubOptions) -> Void) async throws {
      let options = HubPlace.options { options in
        options.isInsecureLocal = true
        change(&options)
      }
      try await place.withHub(options: options) { hub in
        let client = try place.client(hub, nil)
        // Whatever the limits are, the hub answers or refuses.
        await sweep("exchange") {
          let store = try await Store.create(at: place.folder.appending(path: "\(UUID())"))
          do { _ = try await store.syncOnce(with: client) } catch {
            try await store.close()
            throw error
          }
          try await store.close()
        }
      }
    }
    // Each value is tried for some of the limits, and some values for each limit.
    for (number, path) in counts.enumerated() {
      for (turn, count) in Self.integers.enumerated() where (turn + number).isMultiple(of: 3) {
        await sweep("\(path) = \(count)") { try await start { $0.limits[keyPath: path] = count } }
      }
      await #expect(throws: HubError.self) { try await start { $0.limits[keyPath: path] = -1 } }
    }
    for (number, path) in times.enumerated() {
      for (turn, duration) in Self.durations.enumerated() where (turn + number).isMultiple(of: 3) {
        await sweep("\(path) = \(duration)") {
          try await start { $0.limits[keyPath: path] = duration }
        }
      }
    }
    for text in Self.texts {
      await sweep("listen on \(text.prefix(40))") { try await start { $0.listen = text } }
      await sweep("TLS of \(text.prefix(40))") {
        try await start { $0.tls = .init(certificatePath: text, keyPath: text) }
      }
    }
  }

  @Test("a client with any times, certificates and tokens works or fails with an error")
  func clients() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let token = try place.token()
    try await place.withHub { hub in
      for duration in Self.durations {
        var options = HubClient.Options()
        options.connectTimeout = duration
        options.exchangeTimeout = duration
        options.silenceTimeout = duration
        let client = try place.client(hub, token, options: options)
        let store = try await Store.create(at: place.folder.appending(path: "\(UUID())"))
        await sweep("sync") { _ = try await store.syncOnce(with: client) }
        try await store.close()
      }
      for text in Self.texts {
        var options = HubClient.Options()
        options.trustedCertificatesPath = text
        await sweep("certificates") { _ = try place.client(hub, token, options: options) }
        let client = try place.client(hub, text)
        let store = try await Store.create(at: place.folder.appending(path: "\(UUID())"))
        await sweep("token") { _ = try await store.syncOnce(with: client) }
        try await store.close()
      }
    }
  }

  @Test("folders, tokens and zones of any name are accepted or refused")
  func folders() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let hub = place.hubFolder
    try hub.prepare()
    let file = TokenFile(hub)
    for number in Self.integers {
      let made = AccessToken.make(
        zone: ZoneName("team"), access: .write, created: Int64(number), expires: Int64(number))
      try file.add(made.token)
    }
    for text in Self.texts {
      await sweep("revoke") { try file.revoke(text) }
      if let name = ZoneName(text) { await sweep("zone") { try hub.createZone(name) } }
    }
    for text in Self.texts {
      var odd = AccessToken.make(zone: ZoneName("team"), access: .read, created: 0, expires: nil)
        .token
      odd.id = text
      #expect(throws: HubError.self) { try file.add(odd) }
    }
    for access in [AccessToken.Access.read, .write] {
      let nowhere = AccessToken.make(zone: nil, access: access, created: 0, expires: nil).token
      #expect(throws: HubError.self) { try file.add(nowhere) }
    }
    #expect(try file.read().count == Self.integers.count)
    try Data().write(to: place.folder.appending(path: "file"))
    for path in ["file", "file/below", "no\0thing", String(repeating: "n", count: 300)] {
      let odd = HubFolder(place.folder.appending(path: path))
      await sweep("prepare \(path)") { try odd.prepare() }
      await sweep("authority \(path)") { _ = try odd.authority() }
      await sweep("zones \(path)") { _ = try odd.zoneNames() }
      await sweep("tokens \(path)") { _ = try TokenFile(odd).read() }
      await sweep("start \(path)") { try await place.withHub(odd) { _ in } }
    }
  }

  @Test("metrics of any names and values are written")
  func metrics() {
    let registry = MetricsRegistry()
    for text in Self.texts {
      let dimensions = [(text, text), ("code", "x\n\"\\")]
      let counter = registry.makeCounter(label: text, dimensions: dimensions)
      let recorders = [true, false].map {
        registry.makeRecorder(label: text, dimensions: dimensions, aggregate: $0)
      }
      let meter = registry.makeMeter(label: text, dimensions: dimensions)
      let timer = registry.makeTimer(label: text, dimensions: dimensions)
      for number in Self.integers {
        counter.increment(by: Int64(number))
        for recorder in recorders { recorder.record(Int64(number)) }
        meter.set(Int64(number))
        timer.recordNanoseconds(Int64(number))
      }
      for number in [Double.nan, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude] {
        for recorder in recorders { recorder.record(number) }
        meter.increment(by: number)
        meter.set(number)
      }
    }
    #expect(registry.text.contains("team"))
  }
}
