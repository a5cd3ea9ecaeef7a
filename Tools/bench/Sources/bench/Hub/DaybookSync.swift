import Daybook
import DaybookEventCore
import DaybookHubZone
import Foundation

/// `daybook sync STORE FOLDER`: measures syncing without the network.
///
/// The hub's zone is in this process. Messages are encoded and decoded as for transport.
///
/// The store adopts the benchmark's zone, so work on a copy.
func daybookSync(_ words: inout BenchArguments) async throws {
  let path = try words.next("STORE")
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let count = try words.number("count", default: 100_000)
  try words.finish()
  let source = try await Store.open(at: URL(fileURLWithPath: path))
  try await firstSync(source, folder)
  try await source.close()
  try await pushOffline(folder, count: count)
  try await smallEdit(folder)
  try await oldEntity(folder, events: count)
}

/// Measures an edit and its stamp, of a new entity and of one with `events` events before.
private func oldEntity(_ folder: URL, events: Int) async throws {
  let store = try await Store.create(at: folder.appending(path: "old-entity"))
  try await store.write { tx in
    try tx.define(Counter.definition)
    for number in 0..<2 {
      try tx.insert(Counter.collection, Counter.id(number), Counter.values(0))
    }
  }
  try await inTurns(of: 256, count: events) { number in
    try await store.write {
      try $0.update(Counter.collection, Counter.id(0), Counter.values(number))
    }
  }
  let zone = try benchZone(folder, "old-entity-zone")
  let hub = WirePeer(zone)
  let engine = SyncEngine(store)
  engine.add(hub)
  await waitUntilSynced(engine)
  for (name, entity) in [("new_entity", 1), ("old_entity", 0)] {
    var (edits, stamps, both) = (Latencies(), Latencies(), Latencies())
    for number in 0..<200 {
      let start = ContinuousClock.now
      try await store.write {
        try $0.update(Counter.collection, Counter.id(entity), Counter.values(number))
      }
      let written = ContinuousClock.now
      await waitUntilSynced(engine)
      // The request and the hub do not count for the store: its work begins with the response that
      // brings the stamp.
      let (edit, stamp) = (
        nanoseconds(written - start), nanoseconds(ContinuousClock.now - hub.answered)
      )
      edits.append(edit)
      stamps.append(stamp)
      both.append(edit + stamp)
    }
    for (what, latencies) in [("edit", edits), ("stamp", stamps), ("edit_and_stamp", both)] {
      var line = JSONLine()
      line.add("daybook", "\(what)_of_\(name)")
      line.add(latencies)
      line.write()
    }
  }
  await engine.stop()
  try await store.close()
  try zone.close()
}

/// Waits until everything that was written is stamped and projected.
private func waitUntilSynced(_ engine: SyncEngine) async {
  for await states in engine.updates() {
    if let state = states.first, state.phase == .idle, state.unacknowledged == 0 { return }
  }
}

/// Measures a first sync from a hub to an empty store, ready to query, and a rebuild of the same
/// log.
private func firstSync(_ source: Store, _ folder: URL) async throws {
  let zone = try benchZone(folder, "zone")
  let hub = WirePeer(zone)
  let push = ContinuousClock.now
  try await source.syncOnce(with: hub)
  let pushed = ContinuousClock.now - push
  let store = try await Store.create(at: folder.appending(path: "first"))
  hub.reset()
  let start = ContinuousClock.now
  let report = try await store.syncOnce(with: hub)
  let elapsed = ContinuousClock.now - start
  let bytes = hub.bytes
  let rebuild = ContinuousClock.now
  try await store.rebuild()
  let rebuilt = ContinuousClock.now - rebuild
  guard try await store.digest() == source.digest() else { throw BenchError("digests differ") }
  var line = JSONLine()
  line.add("daybook", "first_sync")
  line.add("events", Int64(report.eventsReceived))
  line.add("push_s", seconds: UInt64(nanoseconds(pushed)))
  line.add("total_s", seconds: UInt64(nanoseconds(elapsed)))
  line.add("rebuild_s", seconds: UInt64(nanoseconds(rebuilt)))
  line.add("wire_bytes", bytes)
  line.add("log_bytes", Int64(try zone.bytes))
  line.write()
  try await store.close()
  try zone.close()
}

/// Measures pushing events of one operation, made offline, until they are stamped and durable.
private func pushOffline(_ folder: URL, count: Int) async throws {
  let store = try await Store.create(at: folder.appending(path: "offline"))
  try await store.write { try $0.define(Counter.definition) }
  try await store.write { tx in
    for number in 0..<1000 {
      try tx.insert(Counter.collection, Counter.id(number), Counter.values(0))
    }
  }
  try await inTurns(of: 256, count: count) { number in
    try await store.write {
      try $0.update(Counter.collection, Counter.id(number % 1000), Counter.values(number))
    }
  }
  let zone = try benchZone(folder, "offline-zone")
  let start = ContinuousClock.now
  try await store.syncOnce(with: WirePeer(zone))
  let elapsed = ContinuousClock.now - start
  guard zone.pendingCount == 0 else { throw BenchError("not all events are stamped") }
  var line = JSONLine()
  line.add("daybook", "push_offline_events")
  line.add("events", count)
  line.add("per_second", Int64(Double(count) / (Double(nanoseconds(elapsed)) / 1e9)))
  line.write()
  try await store.close()
  try zone.close()
}

/// Measures the bytes in both directions and the time of one edit, until its stamp is shown.
private func smallEdit(_ folder: URL) async throws {
  let zone = try benchZone(folder, "edit-zone")
  let hub = WirePeer(zone)
  let store = try await Store.create(at: folder.appending(path: "edit"))
  try await store.write { try $0.define(Counter.definition) }
  try await store.write { try $0.insert(Counter.collection, Counter.id(0), Counter.values(0)) }
  let engine = SyncEngine(store)
  engine.add(hub)
  await waitUntilSynced(engine)
  var latencies = Latencies()
  var bytes: [Int64] = []
  for number in 1...200 {
    hub.reset()
    let start = ContinuousClock.now
    try await store.write {
      try $0.update(Counter.collection, Counter.id(0), Counter.values(number))
    }
    await waitUntilSynced(engine)
    latencies.append(nanoseconds(ContinuousClock.now - start))
    bytes.append(hub.bytes)
  }
  var line = JSONLine()
  line.add("daybook", "edit_stamped")
  line.add("bytes", bytes.sorted()[bytes.count / 2])
  line.add(latencies)
  line.write()
  await engine.stop()
  try await store.close()
  try zone.close()
}

func benchZone(_ folder: URL, _ name: String) throws -> Zone {
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return try Zone.open(
    at: folder.appending(path: name), authority: Identity(seed: Array(repeating: 1, count: 32)))
}

/// A zone in this process whose messages are encoded and decoded as for transport.
final class WirePeer: SyncPeer, @unchecked Sendable {
  private let peer: ZonePeer
  private let lock = NSLock()
  private var count: Int64 = 0
  private var time = Duration.zero
  private var last = ContinuousClock.now

  init(_ zone: Zone) { peer = ZonePeer(zone) }

  let address = "bench"
  var bytes: Int64 { lock.withLock { count } }
  /// The total time in nanoseconds of all exchanges, encoding included, since the last reset.
  var nanoseconds: Int64 { bench.nanoseconds(lock.withLock { time }) }
  /// The time of the peer's latest response.
  var answered: ContinuousClock.Instant { lock.withLock { last } }
  func reset() { lock.withLock { (count, time) = (0, .zero) } }

  func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    let start = ContinuousClock.now
    let sent = request.encoded()
    let heard = try sent.withUnsafeBytes { try SyncRequest(decoding: $0) }
    let answer = try await peer.exchange(heard).encoded()
    lock.withLock {
      count += Int64(sent.count + answer.count)
      last = .now
      time += last - start
    }
    return try answer.withUnsafeBytes { try SyncResponse(decoding: $0) }
  }
}
