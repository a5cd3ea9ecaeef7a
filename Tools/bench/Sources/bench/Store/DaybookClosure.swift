import Daybook
import Foundation
import GRDB

/// `daybook closure STORE COLLECTION/ID RELATIONSHIP FIELD=VALUE`: measures the vertices below
/// another one, over the relationships of one kind, in turns with SQLite's recursive query on the
/// same tables.
///
/// In WordNet, the hyponyms below *dog*: `closure STORE synsets/n02084071 pointers kind=hyponym`.
func daybookClosure(_ words: inout BenchArguments) async throws {
  let url = URL(fileURLWithPath: try words.next("STORE"))
  let start = try words.next("COLLECTION/ID").split(separator: "/", maxSplits: 1).map(String.init)
  let relationship = try words.next("RELATIONSHIP")
  let condition = try words.next("FIELD=VALUE").split(separator: "=", maxSplits: 1)
    .map(String.init)
  let rounds = try words.number("rounds", default: 20)
  try words.finish()
  guard start.count == 2, condition.count == 2 else {
    throw BenchError("a vertex is COLLECTION/ID, and a condition FIELD=VALUE")
  }
  let store = try await Store.open(at: url)
  let vertex = Graph.Vertex(start[0], start[1])
  let below = """
    WITH RECURSIVE below(id) AS (
      SELECT target FROM "\(relationship)" WHERE source = ?1 AND +"\(condition[0])" = ?2
      UNION SELECT r.target FROM below b JOIN "\(relationship)" r ON r.source = b.id
        WHERE +r."\(condition[0])" = ?2)
    SELECT count(*) FROM below WHERE id <> ?1
    """
  var (plain, measured) = (Latencies(), Latencies())
  var count = 0
  // The first round reads pages that later rounds find in the cache, so it is not counted.
  for round in 0...max(rounds, 1) {
    let begin = ContinuousClock.now
    let expected = try await store.read { db in
      try Int.fetchOne(db, sql: below, arguments: [start[1], condition[1]]) ?? 0
    }
    let middle = ContinuousClock.now
    let found = try await store.graph.reachable(
      from: vertex, via: [relationship], where: [condition[0]: .text(condition[1])])
    let end = ContinuousClock.now
    guard found.count == expected else {
      throw BenchError("the store finds \(found.count) vertices, and SQLite \(expected)")
    }
    count = expected
    guard round > 0 else { continue }
    plain.append(nanoseconds(middle - begin))
    measured.append(nanoseconds(end - middle))
  }
  try await store.close()
  for (name, latencies) in [("sqlite", plain), ("store", measured)] {
    var line = JSONLine()
    line.add("daybook", "closure")
    line.add("by", name)
    line.add("vertices", count)
    line.add(latencies)
    line.write()
  }
}
