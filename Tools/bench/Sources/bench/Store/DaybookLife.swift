import Daybook
import Foundation

/// `daybook life FOLDER`: measures a store with many events of one operation each.
///
/// It measures the writes, and then opening, history, and states of the past. The store stays, for
/// `daybook rebuild`.
///
/// Every thousandth event changes one entity; the others change all entities in turn.
func daybookLife(_ words: inout BenchArguments) async throws {
  let folder = try words.next("FOLDER")
  let events = try words.number("events", default: 1_000_000)
  let entities = try words.number("entities", default: 20_000)
  try words.finish()
  let url = URL(fileURLWithPath: folder)
  let store = try await Store.create(at: url)
  try await store.write { try $0.define(Counter.definition) }
  for first in stride(from: 0, to: entities, by: 1000) {
    try await store.write { tx in
      for number in first..<min(first + 1000, entities) {
        try tx.insert(Counter.collection, Counter.id(number), Counter.values(0))
      }
    }
  }
  let start = ContinuousClock.now
  try await inTurns(of: 256, count: events) { number in
    let entity = number % 1000 == 0 ? 0 : number % entities
    try await store.write {
      try $0.update(Counter.collection, Counter.id(entity), Counter.values(number))
    }
  }
  let elapsed = ContinuousClock.now - start
  var line = JSONLine()
  line.add("daybook", "single_operation_events")
  line.add("events", events)
  line.add("per_second", Int64(Double(events) / (Double(nanoseconds(elapsed)) / 1e9)))
  line.write()

  try await measureHistory(store, events: events)
  // Nothing is being written, so the copy is what `kill -9` would leave.
  let killed = URL(fileURLWithPath: folder + "-killed")
  try FileManager.default.copyItem(at: url, to: killed)
  try await store.close()
  try await measureOpening("open_after_kill", killed)
  try await measureOpening("open_after_close", url)
  try FileManager.default.removeItem(at: killed)
}

/// `daybook log-size FOLDER`: compares the log of single operations with that of batches.
func daybookLogSize(_ words: inout BenchArguments) async throws {
  let folder = try words.next("FOLDER")
  let operations = try words.number("operations", default: 100_000)
  try words.finish()
  var sizes: [Int] = []
  for batch in [1, 1000] {
    let url = URL(fileURLWithPath: "\(folder)/log-size-\(batch)")
    let store = try await Store.create(at: url)
    try await store.write { try $0.define(Note.definition) }
    try await inTurns(of: 256, count: operations / batch) { number in
      try await store.write { tx in
        for index in number * batch..<(number + 1) * batch {
          let note = Note(number: index)
          try tx.insert("notes", note.id, note.values)
        }
      }
    }
    try await store.close()
    sizes.append(try logBytes(url))
    try FileManager.default.removeItem(at: url)
  }
  var line = JSONLine()
  line.add("daybook", "single_operation_log")
  line.add("operations", operations)
  line.add("single_bytes", sizes[0])
  line.add("batched_bytes", sizes[1])
  line.write()
}

private func measureHistory(_ store: Store, events: Int) async throws {
  let id = Counter.id(0)
  var history = Latencies()
  var past = Latencies()
  var items: [HistoryItem] = []
  for _ in 0..<20 {
    let start = ContinuousClock.now
    items = try await store.history(of: Counter.collection, id)
    history.append(nanoseconds(ContinuousClock.now - start))
  }
  for item in items.indices where item % max(items.count / 20, 1) == 0 {
    let event = items[item].event
    let start = ContinuousClock.now
    _ = try await store.at(.event(event)).fetch(Counter.collection, id)
    past.append(nanoseconds(ContinuousClock.now - start))
  }
  for (name, latencies) in [("history_of_entity", history), ("state_at_position", past)] {
    var line = JSONLine()
    line.add("daybook", name)
    line.add("events_of_entity", items.count)
    line.add("events", events)
    line.add(latencies)
    line.write()
  }
}

private func measureOpening(_ name: String, _ url: URL) async throws {
  let start = ContinuousClock.now
  let store = try await Store.open(at: url)
  let elapsed = ContinuousClock.now - start
  try await store.close()
  var line = JSONLine()
  line.add("daybook", name)
  line.add("ms", Int64(nanoseconds(elapsed) / 1_000_000))
  line.add("us", Int64(nanoseconds(elapsed) / 1000))
  line.write()
}

/// Runs `body` for every number below `count`, `width` at a time.
func inTurns(
  of width: Int, count: Int, _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for first in 0..<min(width, count) {
      group.addTask {
        for number in stride(from: first, to: count, by: width) { try await body(number) }
      }
    }
    try await group.waitForAll()
  }
}

private func logBytes(_ store: URL) throws -> Int {
  try FileManager.default.contentsOfDirectory(
    at: store.appending(path: "log"), includingPropertiesForKeys: [.fileSizeKey]
  ).filter { $0.pathExtension == "segment" }
    .reduce(0) { try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
}

enum Counter {
  static let collection = "counters"

  static let definition = Definition(
    collection,
    [
      .text("name"),
      .integer("count").indexed(),
    ])

  static func id(_ number: Int) -> String { "counter-\(number)" }

  static func values(_ number: Int) -> [String: Value] {
    ["name": .text("state \(number % 97)"), "count": .integer(Int64(number))]
  }
}
