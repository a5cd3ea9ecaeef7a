import Daybook
import DaybookCBaseline
import Foundation
import GRDB

/// `daybook hops STORE COLLECTION RELATIONSHIP`: measures how the relationships of a vertex are
/// found.
///
/// Three ways are measured in turn: SQLite with a prepared statement, the store at present, and the
/// store at a moment of its past. The results of SQLite have the name `sqlite`.
func daybookHops(_ words: inout BenchArguments) async throws {
  let url = URL(fileURLWithPath: try words.next("STORE"))
  let collection = try words.next("COLLECTION")
  let relationship = try words.next("RELATIONSHIP")
  let count = try words.number("count", default: 1000)
  let rounds = try words.number("rounds", default: 5)
  try words.finish()
  let store = try await Store.open(at: url)
  let past = try await store.at(.vector(try await store.digest().vector)).open()
  // Ordered by a hash: random enough, and the same in every run.
  let ids = try await store.read { db in
    try String.fetchAll(
      db,
      sql: """
        SELECT id FROM "\(collection)" ORDER BY (rowid * 2654435761) % 4294967296 LIMIT \(count)
        """)
  }
  let path = url.appending(path: "read-model.sqlite").path
  guard let hop = baseline_hop_open(path, relationship, collection) else {
    throw BenchError.baseline()
  }
  defer { baseline_hop_close(hop) }
  var measured = HopLatencies()
  // The first round reads pages that later rounds find in the cache, so it is not counted.
  for round in 0...max(rounds, 1) {
    for id in ids {
      let vertex = Graph.Vertex(collection, id)
      var turn = HopLatencies()
      var neighbors: UInt32 = 0
      turn.plain.append(baseline_hop_run(hop, id, &neighbors))
      let start = ContinuousClock.now
      let here = try await store.graph.neighbors(of: vertex, direction: .outgoing)
      let middle = ContinuousClock.now
      let there = try await past.graph.neighbors(of: vertex, direction: .outgoing)
      turn.live.append(nanoseconds(middle - start))
      turn.past.append(nanoseconds(ContinuousClock.now - middle))
      try turn.blocking(past.blocking, vertex)
      guard here.count == Int(neighbors), there.count == here.count else {
        throw BenchError("\(id) has \(neighbors) neighbours, and the store finds \(here.count)")
      }
      if round > 0 { measured.append(turn, neighbors: here.count) }
    }
  }
  try await past.close()
  try await store.close()
  measured.write()
}

private struct HopLatencies {
  var plain = Latencies()
  var live = Latencies()
  var past = Latencies()
  var waiting = Latencies()
  private var neighbors = 0

  /// Measures a query of `store` as a call that blocks this thread.
  mutating func blocking(_ store: BlockingStore, _ vertex: Graph.Vertex) throws {
    let start = ContinuousClock.now
    _ = try store.graph.neighbors(of: vertex, direction: .outgoing)
    waiting.append(nanoseconds(ContinuousClock.now - start))
  }

  mutating func append(_ turn: HopLatencies, neighbors count: Int) {
    plain.append(contentsOf: turn.plain)
    live.append(contentsOf: turn.live)
    past.append(contentsOf: turn.past)
    waiting.append(contentsOf: turn.waiting)
    neighbors += count
  }

  func write() {
    for (name, latencies) in [
      ("sqlite", plain), ("store", live), ("past", past), ("past_blocking", waiting),
    ] {
      var line = JSONLine()
      line.add("daybook", "hop")
      line.add("by", name)
      line.add("neighbors_mean", neighbors / max(1, latencies.count))
      line.add(latencies)
      line.write()
    }
  }
}
