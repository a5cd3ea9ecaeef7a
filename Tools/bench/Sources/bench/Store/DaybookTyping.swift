import Daybook
import DaybookEventCore
import Foundation

/// A text that merges, as an app's type.
private struct Paper: Entity {
  static let collection = "papers"
  static let fields: [EntityField<Paper>] = [.field("body", \.body).merging()]
  var id = ID()
  var body = ""
}

/// A trace of edits by one author: `startContent`, `endContent`, and `txns` with `patches` of a
/// place in scalars, a number of deleted scalars and an inserted text.
private struct TypingTrace: Decodable {
  struct Transaction: Decodable { let patches: [Patch] }
  struct Patch: Decodable {
    let place: Int
    let deleted: Int
    let inserted: String

    init(from decoder: any Decoder) throws {
      var parts = try decoder.unkeyedContainer()
      place = try parts.decode(Int.self)
      deleted = try parts.decode(Int.self)
      inserted = try parts.decode(String.self)
    }
  }

  let startContent: String
  let endContent: String
  let txns: [Transaction]
}

/// `daybook typing TRACE FOLDER`: types a trace of edits, each by a call of its own, with
/// `--together N` calls in a transaction.
func daybookTyping(_ words: inout BenchArguments) async throws {
  let trace = try JSONDecoder().decode(
    TypingTrace.self,
    from: try Data(contentsOf: URL(fileURLWithPath: try words.next("TRACE"))))
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let together = try words.number("together", default: 1000)
  let rounds = try words.number("rounds", default: 3)
  try words.finish()
  let patches = trace.txns.flatMap(\.patches)
  var times = Latencies()
  for round in 0..<rounds {
    let store = try await Store.open(
      at: folder.appending(path: "typing-\(round)"), schema: [Paper.self])
    let paper = Paper(body: trace.startContent)
    try await store.write { try $0.insert(paper) }
    let start = ContinuousClock.now
    for first in stride(from: 0, to: patches.count, by: together) {
      let part = patches[first..<min(first + together, patches.count)]
      try await store.write { tx in
        for patch in part {
          try tx.edit(paper.id, \.body) { text in
            if patch.deleted > 0 { try text.delete(patch.place..<patch.place + patch.deleted) }
            if !patch.inserted.isEmpty { try text.insert(patch.inserted, at: patch.place) }
          }
        }
      }
    }
    times.append(nanoseconds(ContinuousClock.now - start))
    guard try await store.fetch(paper.id)?.body == trace.endContent else {
      throw BenchError("the text is not that of the trace")
    }
    try await store.close()
  }
  var line = JSONLine()
  line.add("daybook", "typing")
  line.add("edits", patches.count)
  line.add("together", together)
  line.add(times)
  line.write()
}
