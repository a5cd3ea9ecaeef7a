import DaybookEngine
import DaybookProjections
import GRDB

/// Reads the parts of one list of a store, one after the other.
///
/// It does so for a task or on a thread that may block. What is read is the same code, which runs
/// on one thread in both cases.
struct ListReader<Element: Sendable>: Sendable {
  /// Some elements in order, and whether these are all that are left.
  typealias Part = (found: [Listed<Element>], isAll: Bool)

  /// What the elements are read from.
  ///
  /// Each closure gets the key behind which to begin, nil for the beginning, and the most elements
  /// to return. It may remember something from one part to the next.
  enum Source: Sendable {
    /// A snapshot of the read model.
    case readModel(
      @Sendable (ReadModelView, Database, _ key: [Cell]?, _ limit: Int) throws -> Part)
    /// The log; the closure may also read snapshots of the read model, with
    /// ``Reads/blocking(_:)``.
    case log(@Sendable (_ key: [Cell]?, _ limit: Int) throws -> Part)
  }

  let store: Store
  let source: Source

  /// Reads a part, and suspends the task meanwhile.
  func part(after key: [Cell]?, limit: Int) async throws -> Part {
    try Task.checkCancellation()
    switch source {
    case .readModel(let read):
      return try await store.core.reads.asynchronously {
        try read($0.view, $0.database, key, limit)
      }
    case .log(let read):
      try await store.core.reads.buildDeferred()
      return try await Blocking.surfacing { try read(key, limit) }
    }
  }

  /// Reads a part on the calling thread, which may block.
  /// - Throws: ``StoreError`` `reentrant` within a transaction of the store.
  func partNow(after key: [Cell]?, limit: Int) throws -> Part {
    switch source {
    case .readModel(let read):
      return try store.core.reads.blocking { try read($0.view, $0.database, key, limit) }
    case .log(let read):
      return try StoreError.surfacing { try read(key, limit) }
    }
  }
}

/// How far a list has been read, and how much is to be read next.
struct ListProgress: Sendable {
  /// The key of the last element that was read.
  private(set) var key: [Cell]?
  private var left: Int
  private var isAll = false
  private let partMax: Int

  /// - Parameters:
  ///   - key: the key behind which to begin; nil for the beginning of the list.
  ///   - count: the most elements to read.
  ///   - partMax: the most elements to read at once.
  init(after key: [Cell]? = nil, count: Int, partMax: Int = .max) {
    self.key = key
    left = count
    self.partMax = partMax
  }

  /// The most elements that the next part may have; nil if the list has been read.
  var wanted: Int? { isAll || left <= 0 ? nil : min(left, partMax) }

  mutating func add<Element>(_ part: ListReader<Element>.Part) {
    isAll = part.isAll
    left -= part.found.count
    key = part.found.last?.key ?? key
  }

  /// Reads no more.
  mutating func end() { isAll = true }
}
