import DaybookCBaseline

/// `baseline load FILE DB`: measures the fastest bulk load in C of an interchange file's rows.
func baselineLoad(_ words: inout BenchArguments) throws {
  let file = try words.next("FILE")
  let database = try words.next("DB")
  let repetitions = try words.number("repeat", default: 1)
  var options = baseline_load_defaults()
  func number(_ name: String, _ value: inout Int32) throws {
    value = Int32(try words.number(name, default: Int(value)))
  }
  try number("page-size", &options.page_size)
  try number("cache", &options.cache_mebibytes)
  try number("fts-page", &options.search_page_size)
  try number("fts-hash", &options.search_hash_mebibytes)
  try number("fts-automerge", &options.search_automerge)
  try number("sorter-threads", &options.sorter_threads)
  options.primary_key_after = try words.choice(
    "primary-key", of: ["with": false, "after": true], default: options.primary_key_after)
  options.order = try words.choice(
    "order",
    of: [
      "file": baseline_order_file, "id": baseline_order_id, "edges": baseline_order_edges,
    ], default: options.order)
  options.search_fill = try words.choice(
    "search",
    of: [
      "rebuild": baseline_search_rebuild, "rows": baseline_search_rows,
      "beside": baseline_search_beside,
    ], default: options.search_fill)
  try words.finish()

  guard baseline_tune_process() == 0 else { throw BenchError.baseline() }
  guard let rows = baseline_rows_read(file) else { throw BenchError.baseline() }
  defer { baseline_rows_free(rows) }
  for _ in 0..<repetitions {
    var result = baseline_load_result()
    guard baseline_load(rows, database, &options, &result) == 0 else {
      throw BenchError.baseline()
    }
    report(options, result)
  }
}

private func report(_ options: baseline_load_options, _ result: baseline_load_result) {
  var line = JSONLine()
  line.add("baseline", "bulk_load")
  line.add("total_s", seconds: result.total)
  line.add("rows", result.row_count)
  line.add("rows_per_s", result.row_count * 1_000_000_000 / max(result.total, 1))
  line.add("create_s", seconds: result.create)
  line.add("order_s", seconds: result.order)
  line.add("rows_s", seconds: result.rows)
  line.add("primary_keys_s", seconds: result.primary_keys)
  line.add("field_indexes_s", seconds: result.field_indexes)
  line.add("edge_indexes_s", seconds: result.edge_indexes)
  line.add("search_s", seconds: result.search)
  line.add("search_beside_s", seconds: result.search_beside)
  line.add("commit_s", seconds: result.commit)
  line.add("close_s", seconds: result.close)
  line.add("sync_s", seconds: result.sync)
  line.add("file_bytes", result.file_bytes)
  line.add("page_size", options.page_size)
  line.add("cache_mebibytes", options.cache_mebibytes)
  line.add("primary_key_after", options.primary_key_after)
  line.add("order", ["file", "id", "edges"][Int(options.order.rawValue)])
  line.add("search_fill", ["rebuild", "rows", "beside"][Int(options.search_fill.rawValue)])
  line.add("fts_page", options.search_page_size)
  line.add("fts_hash_mebibytes", options.search_hash_mebibytes)
  line.add("fts_automerge", options.search_automerge)
  line.add("sorter_threads", options.sorter_threads)
  line.add("sqlite", String(cString: baseline_sqlite_version()))
  line.write()
}
