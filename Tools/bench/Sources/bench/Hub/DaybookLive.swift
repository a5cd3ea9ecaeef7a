import Daybook
import DaybookHubClient
import Foundation
import GRDB

/// `daybook live EVTOOL FOLDER`: measures live sync of two stores through a hub of another process.
///
/// The time is from the acknowledgment of an edit in one store until a read of the other shows it.
/// Reads are tried every 0.1 ms. With `--pages N`, that many pages of the hub's inspector are open.
func daybookLive(_ words: inout BenchArguments) async throws {
  let evtool = try words.next("EVTOOL")
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let count = try words.number("count", default: 500)
  let pageCount = try words.number("pages", default: 0)
  try words.finish()
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let place = folder.appending(path: "live-hub")
  let token = pageCount > 0 ? try MeasuredHub.token(evtool, place, zone: "live") : nil
  let hub = try MeasuredHub(evtool, place, token == nil ? ["--insecure-local"] : ["--inspect"])
  let a = try await Store.create(at: folder.appending(path: "live-a"))
  let b = try await Store.create(at: folder.appending(path: "live-b"))
  try await a.write { tx in
    try tx.define(Counter.definition)
    try tx.insert(Counter.collection, Counter.id(0), Counter.values(0))
  }
  let engines = [SyncEngine(a), SyncEngine(b)]
  for engine in engines { engine.add(try HubClient(url: hub.url, zone: "live") { token }) }
  try await wait(for: 0, in: b)
  let pages = try token.map {
    try InspectorPages(pageCount, port: hub.port, token: $0, collection: Counter.collection)
  }
  try await Task.sleep(for: .milliseconds(500))
  var latencies = Latencies(reserving: count)
  var commits = Latencies(reserving: count)
  for number in 1...max(count, 1) {
    let start = ContinuousClock.now
    try await a.write {
      try $0.update(Counter.collection, Counter.id(0), Counter.values(number))
    }
    let acknowledged = ContinuousClock.now
    try await wait(for: number, in: b)
    latencies.append(nanoseconds(ContinuousClock.now - acknowledged))
    commits.append(nanoseconds(acknowledged - start))
    // The stamp is exchanged meanwhile.
    try await Task.sleep(for: .milliseconds(5))
  }
  pages?.end()
  for engine in engines { await engine.stop() }
  for (name, latencies) in [("live_edit", latencies), ("live_commit", commits)] {
    var line = JSONLine()
    line.add("daybook", name)
    line.add("pages", pageCount)
    line.add("page_reads", pages?.readCount ?? 0)
    line.add(latencies)
    line.write()
  }
  try await a.close()
  try await b.close()
  hub.stop()
}

private func wait(for number: Int, in store: Store) async throws {
  let end = ContinuousClock.now.advanced(by: .seconds(30))
  while ContinuousClock.now < end {
    let shown = try? await store.read { db in
      try Int.fetchOne(db, sql: "SELECT count FROM counters")
    }
    if shown == number { return }
    try await Task.sleep(for: .microseconds(100))
  }
  throw BenchError("edit \(number) has not arrived in 30 s")
}
