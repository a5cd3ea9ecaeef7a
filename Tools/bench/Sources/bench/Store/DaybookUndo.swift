import Daybook
import DaybookEventCore
import DaybookLocks
import Foundation

/// A note with an index and a searched title, as an app's type.
private struct Memo: Entity {
  static let collection = "memos"
  static let fields: [EntityField<Memo>] = [
    .field("title", \.title).searchable(), .field("number", \.number).indexed(),
  ]
  var id = ID()
  var title = ""
  var number = 0
}

/// `daybook undo FOLDER`: measures the undo of an event that has inserted many entities, beside the
/// transaction that made them, and how long another write waits meanwhile.
func daybookUndo(_ words: inout BenchArguments) async throws {
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let count = try words.number("entities", default: 100_000)
  let rounds = try words.number("rounds", default: 3)
  try words.finish()
  var (inserts, undos, redos, waits) = (Latencies(), Latencies(), Latencies(), Latencies())
  for round in 0..<rounds {
    let store = try await Store.open(
      at: folder.appending(path: "undo-\(round)"), schema: [Memo.self])
    let memos = (0..<count).map { Memo(title: "memo \($0) of a list", number: $0) }
    var start = ContinuousClock.now
    let event = try await store.write { tx in
      try tx.insert(memos)
      return tx.event
    }
    inserts.append(nanoseconds(ContinuousClock.now - start))
    start = ContinuousClock.now
    guard try await store.undo(event) != nil, try await store.fetch(Memo.all.count()) == 0 else {
      throw BenchError("the undo has left memos")
    }
    undos.append(nanoseconds(ContinuousClock.now - start))
    start = ContinuousClock.now
    try await store.redo(event)
    redos.append(nanoseconds(ContinuousClock.now - start))
    // Once more, with writes beside it, of which one has to wait.
    let end = End()
    async let longest = longestWrite(store, until: end)
    try await store.undo(event)
    end.isThere.withLock { $0 = true }
    waits.append(try await longest)
    try await store.redo(event)
    guard try await store.fetch(Memo.all.count()) == count else {
      throw BenchError("the redo has not brought the memos back")
    }
    try await store.close()
  }
  for (name, latencies) in [
    ("insert", inserts), ("undo", undos), ("redo", redos), ("other_write", waits),
  ] {
    var line = JSONLine()
    line.add("daybook", name)
    line.add("entities", count)
    line.add(latencies)
    line.write()
  }
}

private final class End: Sendable {
  let isThere = Mutex(false)
}

/// Writes one memo after another, and returns what the slowest took, in nanoseconds.
private func longestWrite(_ store: Store, until end: End) async throws -> Int64 {
  var longest: Int64 = 0
  while !end.isThere.withLock { $0 } {
    let start = ContinuousClock.now
    try await store.write { tx in
      let memo = Memo(title: "another")
      try tx.insert(memo)
      try tx.delete(memo.id)
    }
    longest = max(longest, nanoseconds(ContinuousClock.now - start))
  }
  return longest
}
