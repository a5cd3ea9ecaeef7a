import Daybook
import Foundation
import GRDB

/// `daybook graph STORE COLLECTION`: measures neighborhoods and shortest paths of random entities.
func daybookGraph(_ words: inout BenchArguments) async throws {
  let url = URL(fileURLWithPath: try words.next("STORE"))
  let collection = try words.next("COLLECTION")
  let count = try words.number("count", default: 300)
  try words.finish()
  let store = try await Store.open(at: url)
  try await measureGraph(of: store, collection, count: count)
  try await store.close()
}

/// `daybook random-graph FOLDER`: measures the same in a new store in FOLDER, whose relationships
/// lead from random entities to random ones; each entity begins five of them on average.
func daybookRandomGraph(_ words: inout BenchArguments) async throws {
  let url = URL(fileURLWithPath: try words.next("FOLDER"))
  let relationships = try words.number("relationships", default: 1_000_000)
  let count = try words.number("count", default: 1000)
  try words.finish()
  let store = try await Store.create(at: url)
  try await store.write { tx in
    try tx.define(Definition("nodes", [.text("name")]))
    try tx.define(Definition("links").relationship())
  }
  let nodes = max(relationships / 5, 1)
  var random = Scatter(seed: 1)
  for numbers in stride(from: 0, to: nodes, by: 1000).map({ $0..<min($0 + 1000, nodes) }) {
    try await store.write { tx in
      for number in numbers { try tx.insert("nodes", "n\(number)", ["name": "node"]) }
    }
  }
  for first in stride(from: 0, to: relationships, by: 1000) {
    let links = (first..<min(first + 1000, relationships)).map {
      (
        $0, "n\(Int.random(in: 0..<nodes, using: &random))",
        "n\(Int.random(in: 0..<nodes, using: &random))"
      )
    }
    try await store.write { tx in
      for (number, source, target) in links {
        try tx.insert("links", "l\(number)", ["source": .text(source), "target": .text(target)])
      }
    }
  }
  try await measureGraph(of: store, "nodes", count: count)
  try await store.close()
}

private func measureGraph(of store: Store, _ collection: String, count: Int) async throws {
  // Ordered by a hash: random enough, and the same in every run.
  let ids = try await store.read { db in
    try String.fetchAll(
      db,
      sql: """
        SELECT id FROM "\(collection)" ORDER BY (rowid * 2654435761) % 4294967296
        LIMIT \(count * 2)
        """)
  }
  var near = Latencies()
  var paths = Latencies()
  var reached = 0
  var found = 0
  for (a, b) in zip(ids.prefix(count), ids.suffix(count)) {
    let (a, b) = (Graph.Vertex(collection, a), Graph.Vertex(collection, b))
    let start = ContinuousClock.now
    reached += try await store.graph.reachable(from: a, depth: 3).count
    let middle = ContinuousClock.now
    if try await store.graph.shortestPath(from: a, to: b) != nil { found += 1 }
    near.append(nanoseconds(middle - start))
    paths.append(nanoseconds(ContinuousClock.now - middle))
  }
  for (name, latencies, extra) in [
    ("three_hops", near, reached / max(count, 1)), ("shortest_path", paths, found),
  ] {
    var line = JSONLine()
    line.add("daybook", name)
    line.add(latencies)
    line.add(name == "three_hops" ? "vertices_mean" : "paths_found", extra)
    line.write()
  }
}
