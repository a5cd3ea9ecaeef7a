internal import Daybook
internal import Simulation
internal import Synchronization

/// A transaction with a number, by which it is found again in the log.
struct StoreWrite: Sendable {
  var number: Int
  var size: Int
  var noise: UInt64

  /// Every third one is about a local collection.
  static func isLocal(_ number: Int) -> Bool { number % 3 == 1 }

  static let collections = ["notes", "settings"]

  private static func definition(_ collection: String) -> Definition {
    Definition(
      collection: collection,
      fields: [
        .init("title", ["type": .text("text"), "search": .boolean(true)]),
        .init("weight", ["type": .text("integer"), "index": .boolean(true)]),
        .init("data", ["type": .text("blob")]),
      ])
  }

  /// Inserts an entity, and changes an older one.
  func run(in store: Store) async throws {
    try await store.write(label: "\(number)") { tx in
      let isLocal = Self.isLocal(number)
      let collection = Self.collections[isLocal ? 1 : 0]
      let definition = Self.definition(collection)
      try tx.define(isLocal ? definition.local() : definition)
      var random = SplitMix64(seed: noise)
      var bytes: [UInt8] = []
      while bytes.count < size {
        withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
      }
      try tx.insert(
        collection, "n\(number)",
        [
          "title": .text("note \(number) of \(size)"), "weight": .integer(Int64(size)),
          "data": .blob(bytes),
        ])
      let other = "n\(random.below(number + 1))"
      if try tx.fetch(collection, other) != nil {
        try tx.update(collection, other, ["weight": .integer(Int64(number))])
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
