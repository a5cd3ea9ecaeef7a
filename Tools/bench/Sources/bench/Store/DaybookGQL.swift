import Daybook
import DaybookGQL
import DaybookJSON
import Foundation

/// `daybook gql FILE FOLDER`: measures WordNet as an open graph.
///
/// FILE is WordNet as interchange. It is loaded by `UNWIND … CREATE`, 5,000 rows a statement, and
/// read by hops and closures. What a statement costs before it runs is measured by itself.
func daybookGQL(_ words: inout BenchArguments) async throws {
  let file = URL(fileURLWithPath: try words.next("FILE"))
  let folder = URL(fileURLWithPath: try words.next("FOLDER"))
  let count = try words.number("count", default: 2_000)
  try words.finish()
  let graph = try WordGraph(file)
  let store = try await Store.create(at: folder)
  let session = GQLSession(store)
  try measureLoad(graph, try await load(graph, session))
  try await measureReads(graph, session, count)
  measurePlans(session, count)
  try await store.close()
}

/// The synsets and pointers of WordNet.
private struct WordGraph {
  var nodes: [GQLValue] = []
  var relationships: [GQLValue] = []
  var keys: [String] = []

  init(_ file: URL) throws {
    for line in try Data(contentsOf: file).split(separator: 0x0A) {
      guard case .object(let members) = try JSONParser.parse(Array(line)) else { continue }
      let json = Dictionary(members.map { ($0.key, $0.value) }) { $1 }
      guard case .text("insert")? = json["op"], case .text(let id)? = json["id"],
        case .object(let fields)? = json["fields"]
      else { continue }
      var values = fields.map { ($0.key, GQLValue($0.value)) }
      if case .text(let source)? = json["source"], case .text(let target)? = json["target"] {
        values += [("source", .string(source)), ("target", .string(target))]
        relationships.append(.map(GQLMap(values)))
      } else {
        keys.append(id)
        nodes.append(.map(GQLMap([("key", .string(id))] + values)))
      }
    }
  }
}

private func load(_ graph: WordGraph, _ session: GQLSession) async throws -> Duration {
  let begin = ContinuousClock.now
  // The names come first, so that the index is there before the nodes.
  try await session.run("CREATE (n:Synset {key: ''}) DELETE n")
  try await session.run("CREATE INDEX FOR (n:Synset) ON (n.key)")
  for start in stride(from: 0, to: graph.nodes.count, by: 5_000) {
    let rows = Array(graph.nodes[start..<min(start + 5_000, graph.nodes.count)])
    try await session.run(
      "UNWIND $rows AS row CREATE (n:Synset) SET n = row", ["rows": .list(rows)])
  }
  for start in stride(from: 0, to: graph.relationships.count, by: 5_000) {
    let end = min(start + 5_000, graph.relationships.count)
    try await session.run(
      """
      UNWIND $rows AS row MATCH (a:Synset {key: row.source}) MATCH (b:Synset {key: row.target})
      CREATE (a)-[:POINTER {kind: row.kind}]->(b)
      """, ["rows": .list(Array(graph.relationships[start..<end]))])
  }
  return ContinuousClock.now - begin
}

private func measureLoad(_ graph: WordGraph, _ took: Duration) throws {
  var line = JSONLine()
  line.add("daybook", "gql_load")
  line.add("nodes", graph.nodes.count)
  line.add("relationships", graph.relationships.count)
  line.add("seconds", seconds: UInt64(clamping: nanoseconds(took)))
  line.write()
}

private func measureReads(_ graph: WordGraph, _ session: GQLSession, _ count: Int) async throws {
  let dog: GQLValue = "n02084071"
  let statements: [(name: String, text: String, key: (Int) -> GQLValue, count: Int)] = [
    (
      "gql_hop", "MATCH (n:Synset {key: $key})-[:POINTER]->(m) RETURN m.key AS key",
      { .string(graph.keys[$0 &* 7919 % graph.keys.count]) }, count
    ),
    (
      "gql_closure",
      "MATCH (n:Synset {key: $key})-[:POINTER* {kind: 'hyponym'}]->(m) "
        + "RETURN DISTINCT m.key AS key",
      { _ in dog }, 50
    ),
    (
      "gql_two_hops",
      "MATCH (n:Synset {key: $key})-[:POINTER]->()-[:POINTER]->(m) RETURN count(DISTINCT m) AS n",
      { .string(graph.keys[$0 &* 7919 % graph.keys.count]) }, count
    ),
  ]
  for (name, text, key, count) in statements {
    var (latencies, rows) = (Latencies(reserving: count), 0)
    for number in 0...count {
      let begin = ContinuousClock.now
      let result = try await session.run(text, ["key": key(number)])
      // The first one reads pages that later ones find in the cache.
      if number > 0 { latencies.append(nanoseconds(ContinuousClock.now - begin)) }
      rows += result.rows.count
    }
    var line = JSONLine()
    line.add("daybook", name)
    line.add("rows", rows)
    line.add(latencies)
    line.write()
  }
}

/// Three clauses: read and planned the first time, and again.
private func measurePlans(_ session: GQLSession, _ count: Int) {
  func text(_ number: Int) -> String {
    """
    MATCH (a:Person {name: $name})-[:KNOWS]->(b)-[:LIKES]->(t\(number):Topic) \
    WITH t\(number) AS topic, count(*) AS c WHERE c > 1 RETURN topic.name AS name, c ORDER BY c
    """
  }
  for (name, distinct) in [("gql_plan_first", count), ("gql_plan_again", 1)] {
    var latencies = Latencies(reserving: count)
    for number in 0..<count {
      let statement = text(1_000_000 * distinct + number % distinct)
      let begin = ContinuousClock.now
      try? session.prepare(statement)
      if distinct > 1 || number > 0 { latencies.append(nanoseconds(ContinuousClock.now - begin)) }
    }
    var line = JSONLine()
    line.add("daybook", name)
    line.add(latencies)
    line.write()
  }
}

/// `daybook gql-rows FOLDER`: the peak memory of a process that reads many rows one by one.
///
/// If the folder is not there, it is filled, and nothing is measured: the next call does that.
func daybookGQLRows(_ words: inout BenchArguments) async throws {
  let folder = URL(fileURLWithPath: try words.next("FOLDER"))
  let rows = try words.number("rows", default: 1_000_000)
  try words.finish()
  guard FileManager.default.fileExists(atPath: folder.path) else {
    return try await fill(folder, rows)
  }
  try await read(folder, rows)
}

private func fill(_ folder: URL, _ rows: Int) async throws {
  let store = try await Store.create(at: folder)
  let session = GQLSession(store)
  for start in stride(from: 0, to: rows, by: 10_000) {
    try await session.run(
      "UNWIND range($from, $to) AS x CREATE (:N {x: x, name: 'the name of ' + toString(x)})",
      ["from": .integer(Int64(start)), "to": .integer(Int64(min(start + 10_000, rows) - 1))])
  }
  try await store.close()
}

private func read(_ folder: URL, _ rows: Int) async throws {
  let reader = try await Store.open(at: folder)
  let before = peakMemory()
  let begin = ContinuousClock.now
  try await GQLSession(reader).forEachRow("MATCH (n:N) RETURN n.x AS x, n.name AS name") { _ in
    true
  }
  var line = JSONLine()
  line.add("daybook", "gql_rows")
  line.add("rows", rows)
  line.add("seconds", seconds: UInt64(clamping: nanoseconds(ContinuousClock.now - begin)))
  line.add("peak_kib_before", before)
  line.add("peak_kib", peakMemory())
  line.write()
  try await reader.close()
}
