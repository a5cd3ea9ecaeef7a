import Daybook
import DaybookHubClient
import Foundation

/// `daybook crowd EVTOOL FOLDER`: measures how fast a hub tells many listening clients of edits.
///
/// The hub is another process, and a store edits 100 times a second by default. Every client must
/// be told of every edit. The measured time begins when the edit begins to be written.
///
/// The clients are plain connections, read by one thread that decodes what they receive. Both
/// processes share the machine.
func daybookCrowd(_ words: inout BenchArguments) async throws {
  let evtool = try words.next("EVTOOL")
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let clients = try words.number("clients", default: 1000)
  let count = try words.number("count", default: 1000)
  let rate = try words.number("rate", default: 100)
  try words.finish()
  guard rate > 0 else { throw BenchError("--rate takes a number above 0") }
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  try Connection.allowFiles(clients + 200)
  let hub = try MeasuredHub(evtool, folder.appending(path: "crowd-hub"))
  let store = try await Store.create(at: folder.appending(path: "crowd-editor"))
  let before = try await store.write { tx in
    try tx.define(Counter.definition)
    try tx.insert(Counter.collection, Counter.id(0), Counter.values(0))
    return tx.event.sequence
  }
  let engine = SyncEngine(store)
  engine.add(try HubClient(url: hub.url, zone: "crowd") { nil })
  try await idle(engine)
  let crowd = try Crowd(
    port: hub.port, zone: "crowd", count: clients, origin: store.replica, after: before,
    edits: count)
  try await crowd.waitUntilListening()
  let quiet = hub.peakMemory
  let start = ContinuousClock.now
  for number in 1...max(count, 1) {
    try await Task.sleep(until: start + .nanoseconds(1_000_000_000 / rate * number))
    crowd.begins(before + UInt64(number))
    try await store.write {
      try $0.update(Counter.collection, Counter.id(0), Counter.values(number))
    }
  }
  let written = ContinuousClock.now - start
  let outcome = await crowd.finish(within: .seconds(30))
  var line = JSONLine()
  line.add("daybook", "crowd")
  line.add("clients", clients)
  line.add("edits", count)
  line.add("per_second", Int64(Double(count) / (Double(nanoseconds(written)) / 1e9)))
  line.add("clients_with_all", outcome.complete)
  line.add("hub_idle_kib", quiet)
  line.add("hub_peak_kib", hub.peakMemory)
  line.add(outcome.latencies)
  line.write()
  await engine.stop()
  try await store.close()
  hub.stop()
  guard outcome.complete == clients else {
    throw BenchError("\(clients - outcome.complete) clients were not told every edit")
  }
}

/// Waits until an engine's peer holds all events of its store.
func idle(_ engine: SyncEngine) async throws {
  for await states in engine.updates() {
    guard let state = states.first else { continue }
    if let problem = state.problem { throw BenchError("the hub cannot be synced with: \(problem)") }
    if state.phase == .idle, state.unacknowledged == 0 { return }
  }
}

/// Many clients that listen to a zone.
private final class Crowd: @unchecked Sendable {
  struct Outcome {
    var complete: Int
    var latencies: Latencies
  }

  private struct Client {
    var connection: Connection
    var stream = EventLines()
    /// The last of the editor's events that it was told of.
    var through: UInt64
    var isListening = false
  }

  private let lock = NSLock()
  private var clients: [Client]
  private let origin: ReplicaID
  private let first: UInt64
  private let last: UInt64
  private var begun: [ContinuousClock.Instant?]
  private var latencies = Latencies()
  private var listening = 0
  private var complete = 0
  private var isStopping = false
  /// Decoded events by their bytes: all clients are sent the same bytes, so each is decoded once.
  private var known: [[UInt8]: ClosedRange<UInt64>?] = [:]

  init(
    port: Int, zone: String, count: Int, origin: ReplicaID, after sequence: UInt64, edits: Int
  ) throws {
    self.origin = origin
    (first, last) = (sequence + 1, sequence + UInt64(edits))
    begun = Array(repeating: nil, count: edits)
    clients = try (0..<count).map { _ in
      let connection = try Connection(port: port)
      try connection.send(
        "GET /v1/zones/\(zone)/changes?news=1 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
      return Client(connection: connection, through: sequence)
    }
    latencies = Latencies(reserving: count * edits)
    let thread = Thread { [self] in
      while !isOver { read() }
      for client in clients { client.connection.close() }
    }
    thread.start()
  }

  private var isOver: Bool { lock.withLock { isStopping } }

  /// Records that the write of an edit begins.
  func begins(_ sequence: UInt64) {
    lock.withLock { begun[Int(sequence - first)] = .now }
  }

  func waitUntilListening() async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while lock.withLock({ listening < clients.count }) {
      guard ContinuousClock.now < end else { throw BenchError("not all clients could listen") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  func finish(within limit: Duration) async -> Outcome {
    let end = ContinuousClock.now.advanced(by: limit)
    while ContinuousClock.now < end, lock.withLock({ complete < clients.count }) {
      try? await Task.sleep(for: .milliseconds(20))
    }
    return lock.withLock {
      isStopping = true
      return Outcome(complete: complete, latencies: latencies)
    }
  }

  private func read() {
    for index in Connection.readable(clients.map(\.connection)) {
      guard let bytes = clients[index].connection.read() else { continue }
      for event in clients[index].stream.take(bytes) { take(event, index) }
    }
  }

  private func take(_ event: [UInt8], _ index: Int) {
    let now = ContinuousClock.now
    if !clients[index].isListening {
      clients[index].isListening = true
      lock.withLock { listening += 1 }
    }
    guard let told = sequences(event), told.upperBound > clients[index].through,
      told.lowerBound <= clients[index].through + 1
    else { return }
    lock.withLock {
      for sequence in clients[index].through + 1...told.upperBound
      where (first...last).contains(sequence) {
        if let start = begun[Int(sequence - first)] { latencies.append(nanoseconds(now - start)) }
      }
      clients[index].through = told.upperBound
      if told.upperBound >= last { complete += 1 }
    }
  }

  /// Returns the range of the editor's events that a stream event brings; nil if none.
  private func sequences(_ event: [UInt8]) -> ClosedRange<UInt64>? {
    if let found = known[event] { return found }
    let prefix = Array("event: news\ndata: ".utf8)
    var found: ClosedRange<UInt64>?
    if event.starts(with: prefix), let message = Data(base64Encoded: Data(event[prefix.count...])) {
      let answer = message.withUnsafeBytes { try? SyncResponse(decoding: $0) }
      let own = answer?.ranges.filter { $0.origin == origin }.map(\.sequences) ?? []
      if let low = own.map(\.lowerBound).min(), let high = own.map(\.upperBound).max() {
        found = low...high
      }
    }
    if known.count > 1000 { known = [:] }
    known[event] = found
    return found
  }
}
