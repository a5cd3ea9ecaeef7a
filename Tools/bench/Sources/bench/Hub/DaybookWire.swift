import Daybook
import DaybookHubClient
import DaybookHubZone
import Foundation
import GRDB

/// `daybook wire EVTOOL FOLDER`: measures the bytes of bodies in transport, without HTTP headers.
///
/// It measures one small edit, synced live through a hub of another process. It also measures how a
/// store and a zone of many origins find out that they hold the same, or differ by one event.
func daybookWire(_ words: inout BenchArguments) async throws {
  let evtool = try words.next("EVTOOL")
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let origins = try words.number("origins", default: 1000)
  try words.finish()
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  try await measureEdit(evtool, folder)
  try await measureHello(folder, origins: origins)
}

/// Measures the bytes of an edit for its author and for another listening store.
private func measureEdit(_ evtool: String, _ folder: URL) async throws {
  let hub = try MeasuredHub(evtool, folder.appending(path: "wire-hub"))
  let a = try await Store.create(at: folder.appending(path: "wire-a"))
  let b = try await Store.create(at: folder.appending(path: "wire-b"))
  try await a.write { tx in
    try tx.define(Counter.definition)
    try tx.insert(Counter.collection, Counter.id(0), Counter.values(0))
  }
  let (one, two) = try (
    WatchedHub(HubClient(url: hub.url, zone: "wire") { nil }),
    WatchedHub(HubClient(url: hub.url, zone: "wire") { nil })
  )
  let engines = [SyncEngine(a), SyncEngine(b)]
  engines[0].add(one)
  engines[1].add(two)
  try await waitUntilShown(a, b, showing: 0)
  var figures: [[Int]] = []
  for number in 1...100 {
    let before = (one.counts, two.counts)
    try await a.write { tx in
      try tx.update(Counter.collection, Counter.id(0), ["count": .integer(Int64(number))])
    }
    try await waitUntilShown(a, b, showing: number)
    figures.append(
      (one.counts - before.0).all + (two.counts - before.1).all)
  }
  for engine in engines { await engine.stop() }
  func median(_ index: Int) -> Int { figures.map { $0[index] }.sorted()[figures.count / 2] }
  var line = JSONLine()
  line.add("daybook", "edit_bytes")
  line.add("pushed", median(0))
  line.add("answered", median(1))
  line.add("told_to_editor", median(2))
  line.add("other_asked", median(3))
  line.add("other_answered", median(4))
  line.add("told_to_other", median(5))
  line.add("both_ways", figures.map { $0[0] + $0[1] + $0[2] }.sorted()[figures.count / 2])
  line.write()
  try await a.close()
  try await b.close()
  hub.stop()
}

/// Waits until both stores show an edit with its stamp, and a little longer.
private func waitUntilShown(_ a: Store, _ b: Store, showing number: Int) async throws {
  let end = ContinuousClock.now.advanced(by: .seconds(30))
  while ContinuousClock.now < end {
    let shown = try? await b.read { db in try Int.fetchOne(db, sql: "SELECT count FROM counters") }
    if shown == number, try await a.digest() == b.digest() {
      return try await Task.sleep(for: .milliseconds(50))
    }
    try await Task.sleep(for: .milliseconds(1))
  }
  throw BenchError("edit \(number) has not arrived in 30 s")
}

/// A hub whose messages are counted.
private final class WatchedHub: LiveSyncPeer {
  struct Counts {
    var sent = 0
    var answered = 0
    var told = 0

    var all: [Int] { [sent, answered, told] }

    static func - (a: Counts, b: Counts) -> Counts {
      Counts(sent: a.sent - b.sent, answered: a.answered - b.answered, told: a.told - b.told)
    }
  }

  private let client: HubClient
  private let exchanged = Locked((sent: 0, answered: 0))

  init(_ client: HubClient) { self.client = client }

  var address: String { client.address }

  /// The bytes that the client has sent and received, of which responses are counted apart.
  var counts: Counts {
    let (sent, answered) = exchanged.value
    let bytes = client.bytes
    precondition(bytes.sent == sent, "the client counts other bytes than it was handed")
    return Counts(sent: sent, answered: answered, told: bytes.received - answered)
  }

  func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    let response = try await client.exchange(request)
    exchanged.change { exchanged in
      exchanged.sent += request.encoded().count
      exchanged.answered += response.encoded().count
    }
    return response
  }

  func changes() -> AsyncThrowingStream<PeerChange, any Error> { client.changes() }
}

/// A value that tasks share.
final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var held: Value

  init(_ value: Value) { held = value }

  var value: Value { lock.withLock { held } }
  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&held) } }
}

// MARK: - Many origins

/// Measures syncs of a store whose identity was renewed so often that its log has many origins.
private func measureHello(_ folder: URL, origins: Int) async throws {
  let (one, two) = (folder.appending(path: "hello-a"), folder.appending(path: "hello-b"))
  try await Store.create(at: one).close()
  for number in 0..<max(origins - 1, 1) {
    let store = try await Store.open(at: one)
    try await store.write { tx in
      if number == 0 { try tx.define(Counter.definition) }
      try tx.insert(Counter.collection, Counter.id(number), Counter.values(0))
    }
    try await store.close()
    _ = try await Store.renewIdentity(at: one)
  }
  let zone = try benchZone(folder, "hello-zone")
  let hub = WirePeer(zone)
  let a = try await Store.open(at: one)
  let b = try await Store.create(at: two)
  for store in [a, b] { try await store.syncOnce(with: hub) }
  // A replica's first event lists all that it has seen, so it is not small.
  for number in 1...2 {
    try await b.write {
      try $0.update(Counter.collection, Counter.id(1), Counter.values(number))
    }
    try await b.syncOnce(with: hub)
    if number == 1 { for store in [a, b, a] { try await store.syncOnce(with: hub) } }
    if number == 1 { try await measure("hello_equal", origins, a, hub) }
  }
  // A new responder does not remember what the store holds.
  try await measure("hello_different", origins, a, WirePeer(zone))
  try await a.close()
  try await b.close()
  try zone.close()
}

private func measure(_ name: String, _ origins: Int, _ store: Store, _ hub: WirePeer) async throws {
  hub.reset()
  let start = ContinuousClock.now
  let report = try await store.syncOnce(with: hub)
  let elapsed = ContinuousClock.now - start
  var line = JSONLine()
  line.add("daybook", name)
  line.add("origins", origins)
  line.add("exchanges", report.exchanges)
  line.add("events", Int64(report.eventsReceived))
  line.add("bytes", hub.bytes)
  line.add("peer_ns", hub.nanoseconds)
  line.add("us", nanoseconds(elapsed) / 1000)
  line.write()
}
