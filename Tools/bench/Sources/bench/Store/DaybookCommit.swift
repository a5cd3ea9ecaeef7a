import Daybook
import Foundation

/// `daybook commit FOLDER`: measures a commit of the baselines' note as an event, until
/// acknowledged.
///
/// The event is in the log and fsynced; its row, two indexes, search index, history and checkpoint
/// are written. As in the baselines, a blocking call uses one thread, which itself waits.
func daybookCommit(_ words: inout BenchArguments) async throws {
  let folder = try words.next("FOLDER")
  let count = try words.number("count", default: 2000)
  let writers = try words.number("writers", default: 1)
  let calls = try words.choice("calls", of: Calls.all, default: .async)
  try words.finish()

  let url = URL(fileURLWithPath: folder + "/daybook-commit-\(writers)")
  try? FileManager.default.removeItem(at: url)
  let store = try await Store.create(at: url)
  try await store.write { try $0.define(Note.definition) }
  let start = ContinuousClock.now
  let latencies = try await withThrowingTaskGroup(of: Latencies.self) { group in
    for writer in 0..<writers {
      group.addTask {
        switch calls {
        case .async: try await commit(writer, of: writers, count: count, to: store)
        case .blocking:
          try await blocking {
            try commitNow(writer, of: writers, count: count, to: store.blocking)
          }
        }
      }
    }
    var all = Latencies(reserving: count)
    for try await some in group { all.append(contentsOf: some) }
    return all
  }
  let elapsed = nanoseconds(ContinuousClock.now - start)
  try await store.close()
  try FileManager.default.removeItem(at: url)
  var line = JSONLine()
  line.add("daybook", "commit")
  line.add("calls", calls.rawValue)
  line.add("writers", writers)
  line.add("per_second", Int64(Double(latencies.count) / (Double(elapsed) / 1e9)))
  line.add(latencies)
  line.write()
}

private func commit(_ writer: Int, of writers: Int, count: Int, to store: Store) async throws
  -> Latencies
{
  var latencies = Latencies(reserving: count / writers)
  for number in stride(from: writer, to: count, by: writers) {
    let note = Note(number: number)
    let fields = note.values
    let start = ContinuousClock.now
    try await store.write { try $0.insert("notes", note.id, fields) }
    latencies.append(nanoseconds(ContinuousClock.now - start))
  }
  return latencies
}

private func commitNow(_ writer: Int, of writers: Int, count: Int, to store: BlockingStore)
  throws -> Latencies
{
  var latencies = Latencies(reserving: count / writers)
  for number in stride(from: writer, to: count, by: writers) {
    let note = Note(number: number)
    let fields = note.values
    let start = ContinuousClock.now
    try store.write { try $0.insert("notes", note.id, fields) }
    latencies.append(nanoseconds(ContinuousClock.now - start))
  }
  return latencies
}

/// The kind of calls to a store: asynchronous or blocking.
enum Calls: String {
  case async
  case blocking

  static let all: KeyValuePairs = ["async": Calls.async, "blocking": Calls.blocking]
}

/// Runs `body` on a thread of its own.
func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}

func nanoseconds(_ duration: Duration) -> Int64 {
  duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
}

extension Note {
  /// A collection with the columns, indexes and search index of the baseline's table.
  static let definition = Definition(
    "notes",
    [
      .text("title").searchable(),
      .text("body").searchable(),
      .text("project").indexed(),
      .integer("priority").indexed(),
    ])

  var values: [String: Value] {
    [
      "title": .text(title), "body": .text(body), "project": .text(project),
      "priority": .integer(priority),
    ]
  }
}
