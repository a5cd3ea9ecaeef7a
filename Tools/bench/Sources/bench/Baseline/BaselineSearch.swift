import DaybookCBaseline

/// `baseline search DB TABLE [QUERY…]`: measures FTS5's own query, ranked by bm25, on a loaded
/// file.
func baselineSearch(_ words: inout BenchArguments) throws {
  let database = try words.next("DB")
  let table = try words.next("TABLE")
  let limit = try words.number("limit", default: 20)
  let repetitions = try words.number("repeat", default: 50)
  let kinds: KeyValuePairs = [
    "ranks": baseline_read_ranks, "rows": baseline_read_rows, "snippets": baseline_read_snippets,
  ]
  let kind = try words.choice("read", of: kinds, default: baseline_read_ranks)
  var queries: [String] = []
  while !words.positional.isEmpty { queries.append(try words.next("QUERY")) }
  if queries.isEmpty { queries = try SearchQueries.of(table) }
  try words.finish()

  guard let search = baseline_search_open(database, table, Int32(limit), kind) else {
    throw BenchError.baseline()
  }
  defer { baseline_search_close(search) }
  var all = Latencies(reserving: queries.count * repetitions)
  for query in queries {
    var latencies = Latencies(reserving: repetitions)
    var hits: UInt32 = 0
    // The first run of a query reads pages that later runs find in the cache, so it is not counted.
    for repetition in 0...repetitions {
      let nanoseconds = baseline_search_run(search, query, &hits)
      guard nanoseconds >= 0 else { throw BenchError.baseline() }
      if repetition > 0 { latencies.append(nanoseconds) }
    }
    var line = JSONLine()
    line.add("baseline", "search")
    line.add("query", query)
    line.add("hits", hits)
    line.add(latencies)
    line.write()
    all.append(contentsOf: latencies)
  }
  var line = JSONLine()
  line.add("baseline", "search")
  line.add("read", kinds.first { $0.value == kind }?.key ?? "")
  line.add("queries", queries.count)
  line.add(all)
  line.add("sqlite", String(cString: baseline_sqlite_version()))
  line.write()
}
