internal import Daybook
internal import Simulation
internal import Synchronization

/// A transaction with a number, by which it is found again in the log.
struct StoreWrite: Sendable {
  var number: Int
  var size: Int
  var noise: UInt64

  private static let notes = Definition(
    collection: "notes",
    fields: [
      .init("title", ["type": .text("text"), "search": .boolean(true)]),
      .init("weight", ["type": .text("integer"), "index": .boolean(true)]),
      .init("data", ["type": .text("blob")]),
    ])

  /// Inserts an entity, and changes an older one.
  func run(in store: Store) async throws {
    try await store.write(label: "\(number)") { tx in
      try tx.define(Self.notes)
      var random = SplitMix64(seed: noise)
      var bytes: [UInt8] = []
      while bytes.count < size {
        withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
      }
      try tx.insert(
        "notes", "n\(number)",
        [
          "title": .text("note \(number) of \(size)"), "weight": .integer(Int64(size)),
          "data": .blob(bytes),
        ])
      let other = "n\(random.below(number + 1))"
      if try tx.fetch("notes", other) != nil {
        try tx.update("notes", other, ["weight": .integer(Int64(number))])
      }
    }
  }
}

/// Numbers of writes as they are read, one by one.
final class StoreLabels: Sendable {
  private let numbers = Mutex<[Int]>([])

  var all: [Int] { numbers.withLock { $0 } }

  func append(_ number: Int) { numbers.withLock { $0.append(number) } }
}

/// What the store was asked to write and has acknowledged.
final class StoreLedger: Sendable {
  private let numbers = Mutex<Set<Int>>([])

  var acknowledged: Set<Int> { numbers.withLock { $0 } }

  func acknowledge(_ number: Int) { numbers.withLock { _ = $0.insert(number) } }
}
