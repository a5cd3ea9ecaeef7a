import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookLocks
import DaybookSimulation

/// A transaction whose number identifies it in the log.
struct StoreWrite: Sendable {
  var number: Int
  var size: Int
  var noise: UInt64
  /// What is typed in pages; nil for a write that types nothing.
  var texts: StoreTexts?

  /// The first number of writes by the other store at the hub.
  static let firstOfOther = 1_000_000

  private static func isOther(_ number: Int) -> Bool { number >= firstOfOther }

  /// Whether the write is about a local collection; every third one is.
  static func isLocal(_ number: Int) -> Bool { !isOther(number) && number % 3 == 1 }

  static let collections = ["notes", "settings"]

  /// Splits numbers by origin: sealing keeps the order within each origin, but not between them.
  static func byKind(_ numbers: [Int]) -> [[Int]] {
    [
      numbers.filter { !isLocal($0) && !isOther($0) }, numbers.filter { isLocal($0) },
      numbers.filter { isOther($0) },
    ]
  }

  /// Whether `numbers`, split by origin, are prefixes of `all`.
  static func isBeginning(_ numbers: [Int], of all: [Int]) -> Bool {
    zip(byKind(numbers), byKind(all)).allSatisfy { $0 == Array($1.prefix($0.count)) }
  }

  private var isLocal: Bool { Self.isLocal(number) }
  private var collection: String { Self.collections[isLocal ? 1 : 0] }

  private var definition: Definition {
    let definition = Definition(
      collection,
      [
        .text("title").searchable(),
        .integer("weight").indexed(),
        .blob("data"),
      ])
    return isLocal ? definition.local() : definition
  }

  var id: String { "n\(number)" }
  var title: String { "note \(number) of \(size)" }

  var data: [UInt8] {
    var random = SplitMix64(seed: noise)
    var bytes: [UInt8] = []
    while bytes.count < size {
      withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// Runs the transaction, in a third of the cases by a call that blocks its thread.
  func run(in store: Store) async throws {
    guard noise % 3 == 0 else { return try await store.write(label: "\(number)", write) }
    try await Blocking.run { try store.blocking.write(label: "\(number)", write) }
  }

  /// The transaction as one of a series.
  var inSeries: SeriesWrite<Void> { SeriesWrite(label: "\(number)", write) }

  /// Inserts an entity, and changes others.
  private func write(_ tx: WriteTransaction) throws {
    try tx.define(definition)
    try tx.insert(
      collection, id,
      [
        "title": .text(title), "weight": .integer(Int64(size)), "data": .blob(data),
      ])
    // A closure may catch any error; the store still throws one that has ended the transaction.
    guard noise % 4 != 0 else {
      return swallow {
        try touch(tx)
        try type(tx)
      }
    }
    try touch(tx)
    try type(tx)
  }

  /// Changes an older entity, and in a fifth of the cases the collection's definition.
  private func touch(_ tx: WriteTransaction) throws {
    if noise % 5 == 0 {
      let field = Definition.Field(
        "extra\(number % 7)", ["type": .text("text"), "index": .boolean(true)])
      let more = Definition(collection, [field])
      try tx.define(isLocal ? more.local() : more)
    }
    let other = "n\(noise % UInt64(number + 1))"
    if try tx.fetch(collection, other) != nil {
      try tx.update(collection, other, ["weight": .integer(Int64(number))])
    }
  }

  /// Types in a page that all writers share.
  private func type(_ tx: WriteTransaction) throws {
    try texts?.type(tx, StoreTexts.collection(isLocal: isLocal), label: "\(number)", noise)
  }

  private func swallow(_ body: () throws -> Void) {
    do { try body() } catch {}
  }

  /// Whether `body` holds what this transaction wrote.
  func isGenuine(_ body: Body) -> Bool {
    body.operations.contains { operation in
      guard case .insert(collection, id, let fields) = operation else { return false }
      return fields == [
        "title": .text(title), "weight": .integer(Int64(size)), "data": .blob(data),
      ]
    }
  }
}

/// The numbers of writes, collected one by one while the log is read.
final class StoreLabels: Sendable {
  private let numbers = Mutex<[Int]>([])

  var all: [Int] { numbers.withLock { $0 } }

  func append(_ number: Int) { numbers.withLock { $0.append(number) } }
}

/// What the store was asked to write, and what it answered.
final class StoreLedger: Sendable {
  private struct State {
    var attempts: [Int: StoreWrite] = [:]
    var acknowledged: Set<Int> = []
    var refused: Set<Int> = []
    /// The numbers of each series that was written in order.
    var series: [[Int]] = []
    var isFailing = false
  }

  private let state = Mutex(State())
  let texts = StoreTexts()

  var acknowledged: Set<Int> { state.withLock { $0.acknowledged } }

  /// Writes that were refused for lack of space, and so must never appear.
  var refused: Set<Int> { state.withLock { $0.refused } }

  /// Whether calls fail at present, so that readers may be behind what is durable.
  var isFailing: Bool { state.withLock { $0.isFailing } }

  func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

  var series: [[Int]] { state.withLock { $0.series } }

  func beginSeries(_ writes: [StoreWrite]) {
    for write in writes { begin(write) }
    state.withLock { $0.series.append(writes.map(\.number)) }
  }

  func begin(_ write: StoreWrite) { state.withLock { $0.attempts[write.number] = write } }

  func attempt(_ number: Int) -> StoreWrite? { state.withLock { $0.attempts[number] } }

  func acknowledge(_ number: Int) { state.withLock { _ = $0.acknowledged.insert(number) } }

  func refuse(_ number: Int, _ error: any Error) {
    guard let error = error as? StoreError, error.code == .noSpace else { return }
    state.withLock { _ = $0.refused.insert(number) }
  }
}
