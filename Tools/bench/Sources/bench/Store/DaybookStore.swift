import Daybook
import Foundation
import GRDB

/// `daybook rebuild STORE`: measures a rebuild of the read model in a store that is otherwise idle.
func daybookRebuild(_ words: inout BenchArguments) async throws {
  let url = URL(fileURLWithPath: try words.next("STORE"))
  let repeats = try words.number("repeat", default: 3)
  try words.finish()
  for _ in 0..<max(repeats, 1) {
    let start = ContinuousClock.now
    let store = try await Store.open(at: url, options: .init(rebuildsReadModel: true))
    let elapsed = ContinuousClock.now - start
    let status = try await store.status()
    try await store.close()
    var line = JSONLine()
    line.add("daybook", "rebuild")
    line.add("total_s", seconds: UInt64(nanoseconds(elapsed)))
    line.add("events", status.events)
    line.add("entities", status.collections.reduce(0) { $0 + $1.entities })
    line.add("log_bytes", status.logBytes)
    line.add("read_model_bytes", status.readModelBytes)
    line.add("peak_memory_kib", peakMemory())
    line.write()
  }
}

/// `daybook verify STORE`: measures a verification of the whole store, as `evtool verify` does it.
func daybookVerify(_ words: inout BenchArguments) async throws {
  let url = URL(fileURLWithPath: try words.next("STORE"))
  let repeats = try words.number("repeat", default: 3)
  try words.finish()
  for _ in 0..<max(repeats, 1) {
    let start = ContinuousClock.now
    let report = try await Store.verify(at: url)
    let elapsed = ContinuousClock.now - start
    guard report.isSound else { throw BenchError("the store is not sound: \(report)") }
    var line = JSONLine()
    line.add("daybook", "verify")
    line.add("total_s", seconds: UInt64(nanoseconds(elapsed)))
    line.add("peak_memory_kib", peakMemory())
    line.write()
  }
}

/// `daybook open STORE`: measures opening a store whose read model is up to date.
func daybookOpen(_ words: inout BenchArguments) async throws {
  let url = URL(fileURLWithPath: try words.next("STORE"))
  let repeats = try words.number("repeat", default: 20)
  try words.finish()
  var latencies = Latencies(reserving: repeats)
  for _ in 0..<max(repeats, 1) {
    let start = ContinuousClock.now
    let store = try await Store.open(at: url)
    latencies.append(nanoseconds(ContinuousClock.now - start))
    try await store.close()
  }
  var line = JSONLine()
  line.add("daybook", "open")
  line.add(latencies)
  line.write()
}

/// `daybook search STORE COLLECTION`: measures the baseline's queries through the store.
func daybookSearch(_ words: inout BenchArguments) async throws {
  let url = URL(fileURLWithPath: try words.next("STORE"))
  let collection = try words.next("COLLECTION")
  let repeats = try words.number("repeat", default: 50)
  let calls = try words.choice("calls", of: Calls.all, default: .async)
  try words.finish()
  let store = try await Store.open(at: url)
  let queries = try SearchQueries.of(collection)
  var all = Latencies()
  switch calls {
  case .async:
    for query in queries {
      for _ in 0..<repeats {
        let start = ContinuousClock.now
        _ = try await store.search(query, in: collection, limit: 20)
        all.append(nanoseconds(ContinuousClock.now - start))
      }
    }
  case .blocking:
    all = try await blocking {
      var all = Latencies()
      for query in queries {
        for _ in 0..<repeats {
          let start = ContinuousClock.now
          _ = try store.blocking.search(query, in: collection, limit: 20)
          all.append(nanoseconds(ContinuousClock.now - start))
        }
      }
      return all
    }
  }
  try await store.close()
  var line = JSONLine()
  line.add("daybook", "search")
  line.add("calls", calls.rawValue)
  line.add("collection", collection)
  line.add(all)
  line.write()
}

/// Returns the peak memory of this process, in KiB.
func peakMemory() -> Int {
  var usage = rusage()
  // Linux counts in KiB, Apple's systems in bytes.
  #if canImport(Darwin)
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss / 1024
  #else
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  #endif
}
