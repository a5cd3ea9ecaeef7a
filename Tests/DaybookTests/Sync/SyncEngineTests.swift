import DaybookEventCore
import DaybookHubZone
import DaybookLocks
import DaybookLogEngine
import DaybookReplication
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct SyncEngineTests {
  private let place = SyncPlace()

  /// A zone in this process that reports changes, and can be disconnected.
  private final class TestHub: LiveSyncPeer {
    let zone: Zone
    private let peer: ZonePeer
    private let inner = Mutex(Inner())

    private struct Inner {
      var failure: SyncError?
      var exchanges = 0
      var streams = 0
      /// The number of streams that still end at once, and whether they tell something first.
      var shortStreams = (count: 0, tell: false)
      var listeners: [Int: AsyncThrowingStream<PeerChange, any Error>.Continuation] = [:]
      var next = 0
    }

    init(_ zone: Zone) {
      self.zone = zone
      peer = ZonePeer(zone)
    }

    var address: String { "test:hub" }
    var exchanges: Int { inner.withLock { $0.exchanges } }

    var streams: Int { inner.withLock { $0.streams } }

    /// Makes the next streams end at once.
    func endStreams(_ count: Int, telling: Bool) {
      inner.withLock { $0.shortStreams = (count, telling) }
    }

    func fail(_ error: SyncError?) {
      let cut = inner.withLock { inner in
        inner.failure = error
        defer { if error != nil { inner.listeners = [:] } }
        return error == nil ? [] : Array(inner.listeners.values)
      }
      for listener in cut { listener.finish(throwing: error) }
    }

    func exchange(_ request: SyncRequest) async throws -> SyncResponse {
      try inner.withLock { inner in
        inner.exchanges += 1
        if let failure = inner.failure { throw failure }
      }
      let before = try zone.knowledge().digest
      let response = try await peer.exchange(request)
      if try zone.knowledge().digest != before {
        for listener in inner.withLock({ Array($0.listeners.values) }) {
          listener.yield(.changed(nil))
        }
      }
      return response
    }

    func changes() -> AsyncThrowingStream<PeerChange, any Error> {
      let (isShort, tells) = inner.withLock { inner in
        inner.streams += 1
        defer { inner.shortStreams.count = max(0, inner.shortStreams.count - 1) }
        return (inner.shortStreams.count > 0, inner.shortStreams.tell)
      }
      if isShort {
        return AsyncThrowingStream { continuation in
          if tells { continuation.yield(.changed(nil)) }
          continuation.finish(
            throwing: tells ? nil : SyncError(.unavailable, "too many clients listen already"))
        }
      }
      return AsyncThrowingStream { continuation in
        let id = inner.withLock { inner in
          inner.next += 1
          inner.listeners[inner.next] = continuation
          return inner.next
        }
        continuation.onTermination = { [weak self] _ in
          self?.inner.withLock { $0.listeners[id] = nil }
        }
        continuation.yield(.changed(nil))
      }
    }
  }

  private static var patient: SyncEngine.Options {
    var options = SyncEngine.Options()
    options.firstRetry = .milliseconds(5)
    options.lastRetry = .milliseconds(40)
    return options
  }

  /// Waits until the state of the engine's only peer satisfies `isSo`.
  private func wait(_ engine: SyncEngine, until isSo: (PeerState) -> Bool) async -> PeerState? {
    for await states in engine.updates() {
      if let state = states.first, isSo(state) { return state }
    }
    return nil
  }

  @Test("an engine sends and receives writes at once", .timeLimit(.minutes(10)))
  func liveWrites() async throws {
    defer { place.remove() }
    let hub = TestHub(try place.zone("team"))
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    let (one, two) = (SyncEngine(a, options: Self.patient), SyncEngine(b, options: Self.patient))
    one.add(hub)
    two.add(hub)
    let event = try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("milk")])
      return tx.event
    }
    _ = await wait(one) { $0.phase == .idle && $0.unacknowledged == 0 && $0.sent > 0 }
    _ = await wait(two) { $0.received >= 2 && $0.phase == .idle }
    #expect(try await place.titles(b) == ["milk"])
    guard case .stamped = try await one.delivery(of: event) else {
      Issue.record("the event is not stamped")
      return
    }
    await one.stop()
    await two.stop()
    try await place.close([a, b])
    try hub.zone.close()
  }

  @Test("waiting writes are sent once the peer is reachable again", .timeLimit(.minutes(10)))
  func offlineQueue() async throws {
    defer { place.remove() }
    let hub = TestHub(try place.zone("team"))
    let a = try await place.store("a")
    hub.fail(SyncError(.unreachable, "the hub cannot be reached", hint: "Check the network"))
    let engine = SyncEngine(a, options: Self.patient)
    engine.add(hub)
    let event = try await a.write { tx in
      try tx.define(SyncPlace.notes)
      return tx.event
    }
    let offline = await wait(engine) { $0.phase == .offline && $0.failures >= 3 }
    #expect(offline?.cure == "Check the network" && (offline?.unacknowledged ?? 0) > 0)
    #expect(try await engine.delivery(of: event) == .waiting)
    hub.fail(nil)
    let idle = await wait(engine) { $0.phase == .idle && $0.unacknowledged == 0 }
    #expect(idle?.problem == nil && idle?.lastSuccess != nil)
    #expect(hub.zone.pendingCount == 0)
    await engine.stop()
    try await a.close()
    // Status has it without the engine.
    let status = try await Store.status(at: a.url)
    #expect(status.peers.map(\.address) == ["test:hub"] && status.peers.first?.unacknowledged == 0)
    #expect(status.unstamped == 0)
    try hub.zone.close()
  }

  /// Found by strangers: each end of a stream led to an exchange and the next stream at once.
  @Test(
    "an engine whose stream is refused does not ask again and again", .timeLimit(.minutes(10)),
    arguments: [false, true])
  func refusedStream(telling: Bool) async throws {
    defer { place.remove() }
    let hub = TestHub(try place.zone("team"))
    hub.endStreams(.max, telling: telling)
    let a = try await place.store("a")
    var options = SyncEngine.Options()
    options.firstRetry = .seconds(3600)
    options.lastRetry = .seconds(3600)
    let engine = SyncEngine(a, options: options)
    engine.add(hub)
    _ = await wait(engine) { $0.phase == .idle && $0.lastSuccess != nil }
    try await a.write { try $0.define(SyncPlace.notes) }
    for number in 1...20 {
      try await a.write { try $0.insert("notes", "\(number)", ["title": .text("milk")]) }
      let end = a.core.log.vector[a.replica]
      _ = await wait(engine) { $0.phase == .idle && $0.acknowledged == end }
    }
    // One for the beginning, one or two for each write and its stamp, one for what a stream told.
    #expect(hub.streams == 1 && hub.exchanges <= 1 + 2 * 21 + 1)
    await engine.stop()
    try await a.close()
    try hub.zone.close()
  }

  /// Found by strangers: a stream that ended before the engine had taken note of it counted as
  /// open for ever.
  @Test(
    "an engine listens again, however soon streams have ended", .timeLimit(.minutes(10)),
    arguments: [false, true])
  func shortStreams(telling: Bool) async throws {
    defer { place.remove() }
    let hub = TestHub(try place.zone("team"))
    hub.endStreams(8, telling: telling)
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    let engine = SyncEngine(a, options: Self.patient)
    engine.add(hub)
    let refused = await wait(engine) { $0.listeningProblem != nil }
    #expect(refused?.isListening == false)
    let open = await wait(engine) { $0.isListening && hub.streams == 9 }
    #expect(open?.listeningProblem == nil && open?.phase != .error)
    try await b.write { try $0.define(SyncPlace.notes) }
    try await b.syncOnce(with: hub)
    _ = await wait(engine) { $0.received > 0 && $0.phase == .idle }
    await engine.stop()
    try await place.close([a, b])
    try hub.zone.close()
  }

  @Test("an engine retries after an error at once on request", .timeLimit(.minutes(10)))
  func retryOnRequest() async throws {
    defer { place.remove() }
    let hub = TestHub(try place.zone("team"))
    let a = try await place.store("a")
    hub.fail(SyncError(.unauthorized, "the token has expired", hint: "Ask for a new one"))
    var options = SyncEngine.Options()
    options.firstRetry = .seconds(3600)
    options.lastRetry = .seconds(3600)
    let engine = SyncEngine(a, options: options)
    engine.add(hub)
    let error = await wait(engine) { $0.phase == .error }
    #expect(error?.problem == "the token has expired" && error?.cure == "Ask for a new one")
    hub.fail(nil)
    engine.syncNow()
    let idle = await wait(engine) { $0.phase == .idle }
    #expect(idle?.failures == 0)
    await engine.stop()
    try await a.close()
    try hub.zone.close()
  }

  @Test("a paused engine sends nothing until it is resumed", .timeLimit(.minutes(10)))
  func pause() async throws {
    defer { place.remove() }
    let hub = TestHub(try place.zone("team"))
    let a = try await place.store("a")
    let engine = SyncEngine(a, options: Self.patient)
    engine.add(hub)
    _ = await wait(engine) { $0.phase == .idle }
    engine.pause()
    try await a.write { tx in try tx.define(SyncPlace.notes) }
    _ = await wait(engine) { $0.phase == .paused }
    let exchanges = hub.exchanges
    try await a.write { tx in try tx.insert("notes", "n1", ["title": .text("milk")]) }
    #expect(engine.states.first?.phase == .paused && hub.exchanges == exchanges)
    engine.resume()
    _ = await wait(engine) { $0.phase == .idle && $0.unacknowledged == 0 }
    #expect(hub.exchanges > exchanges)
    await engine.stop()
    try await a.close()
    try hub.zone.close()
  }

  @Test("an engine sends what another open store has written", .timeLimit(.minutes(10)))
  func otherWriter() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    let writer = try await Store.open(at: a.url)
    var options = SyncEngine.Options()
    options.interval = .seconds(86_400)
    let engine = SyncEngine(a, options: options)
    engine.add(StorePeer(b))
    _ = await wait(engine) { $0.phase == .idle && $0.lastSuccess != nil }
    try await writer.write { try $0.define(SyncPlace.notes) }
    for number in 1...3 {
      try await writer.write { tx in
        try tx.insert("notes", "n\(number)", ["title": .text("\(number)")])
      }
      let end = writer.core.log.vector[writer.replica]
      _ = await wait(engine) { $0.phase == .idle && $0.acknowledged == end }
    }
    #expect(try await place.titles(b) == ["1", "2", "3"])
    await engine.stop()
    while a.core.watch.threads > 0 { try await Task.sleep(for: .milliseconds(1)) }
    try await place.close([writer, a, b])
  }
}
