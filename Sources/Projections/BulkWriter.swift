import EventCore
import Foundation

/// Entities on their way from the fold to the writer.
struct BulkBatch: Sendable {
  /// An entity that was inserted and never touched again.
  struct Insert: Sendable {
    var number: Int64
    /// Offset of the operation in the partition.
    var operation: Int
    /// Where its packed state lies in `states`.
    var state: Range<Int>
  }

  /// An entity with a history to fold.
  struct Folded: Sendable {
    var number: Int64
    var operations: [Int]
  }

  var inserts: [Insert] = []
  var folded: [Folded] = []
  var states = ByteWriter()

  var count: Int { inserts.count + folded.reduce(0) { $0 + $1.operations.count } }
}

/// The third pass of a rebuild: writes rows, on a thread of its own, while the next are folded.
///
/// Between ``start()`` and ``finish()`` only the writer's thread touches the database and what the
/// projector keeps of it; the fold reads nothing but schemas and origins.
final class BulkWriter: @unchecked Sendable {
  private let projector: Projector
  private let buffer: BulkBuffer
  private let condition = NSCondition()
  private var queue: [BulkBatch] = []
  private var isFinishing = false
  private var isDone = false
  private var failure: (any Error)?

  private static let queueMax = 16

  init(projector: Projector, buffer: BulkBuffer) {
    self.projector = projector
    self.buffer = buffer
  }

  func start() {
    let thread = Thread { [self] in
      do { try drain() } catch { fail(error) }
      condition.lock()
      isDone = true
      condition.broadcast()
      condition.unlock()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Hands over a batch; waits while the writer is too far behind.
  /// - Throws: what the writer failed with.
  func put(_ batch: BulkBatch) throws {
    condition.lock()
    defer { condition.unlock() }
    while queue.count >= Self.queueMax, !isDone { condition.wait() }
    queue.append(batch)
    condition.broadcast()
    if let failure {
      isFinishing = true
      throw failure
    }
  }

  /// Waits until everything is written.
  func finish() throws {
    condition.lock()
    defer { condition.unlock() }
    isFinishing = true
    condition.broadcast()
    while !isDone { condition.wait() }
    if let failure { throw failure }
  }

  private func fail(_ error: any Error) {
    condition.lock()
    failure = error
    condition.unlock()
  }

  private func next() -> BulkBatch? {
    condition.lock()
    defer { condition.unlock() }
    while queue.isEmpty, !isFinishing { condition.wait() }
    guard !queue.isEmpty else { return nil }
    condition.broadcast()
    return queue.removeFirst()
  }

  private func drain() throws {
    let states = try projector.sql("INSERT INTO _daybook_entities VALUES (?, NULL, NULL, ?)")
    while let batch = next() {
      for insert in batch.inserts { try write(insert, batch, states) }
      for entity in batch.folded { try write(entity) }
    }
  }

  private func write(_ insert: BulkBatch.Insert, _ batch: BulkBatch, _ states: Statement) throws {
    let operation = BulkOperation(bytes: buffer.bytes, offset: insert.operation)
    guard let table = projector.table(number: operation.collection) else { return }
    let row = try projector.sql(table.insertSQL)
    row.clearBindings()
    try row.bind(1, insert.number)
    try row.bindBorrowedText(2, operation.id)
    var reader = ByteReader(operation.fields)
    for _ in 0..<operation.fieldCount {
      let field = try reader.index()
      let view = try ValueView(from: &reader)
      guard let column = table.column(ofField: field) else { continue }
      try bind(view, to: Int32(column + 3), of: row)
    }
    try row.run()
    try batch.states.bytes.withRawBytes { bytes throws(ProjectionError) in
      try states.bind(1, insert.number)
      try states.bindBorrowedBlob(2, UnsafeRawBufferPointer(rebasing: bytes[insert.state]))
      try states.run()
    }
  }

  private func bind(_ view: ValueView, to parameter: Int32, of row: Statement)
    throws(ProjectionError)
  {
    switch view {
    case .null: try row.bindNull(parameter)
    case .boolean(let value): try row.bind(parameter, value ? 1 : 0)
    case .integer(let value): try row.bind(parameter, value)
    case .real(let value): try row.bind(parameter, value)
    case .text(let utf8), .json(let utf8): try row.bindBorrowedText(parameter, utf8)
    case .uuid(let packed): try row.bind(parameter, packed.text)
    case .blob(let bytes): try row.bindBorrowedBlob(parameter, bytes)
    case .timestamp(let value): try row.bind(parameter, Timestamp.text(value) ?? "")
    }
  }

  private func write(_ entity: BulkBatch.Folded) throws {
    let operations = entity.operations.map { BulkOperation(bytes: buffer.bytes, offset: $0) }
    guard let first = operations.first, let table = projector.table(number: first.collection)
    else { return }
    let writes = try operations.map {
      EntityWrite(ref: $0.ref, kind: $0.kind, values: try $0.values())
    }
    try projector.writeBulkEntity(writes, table, id: first.id.text, number: entity.number)
  }
}

extension FieldType {
  /// Whether ``cell(for:)`` would hold the value exactly.
  func holdsExactly(_ view: ValueView) -> Bool {
    switch (self, view) {
    case (_, .null), (.text, .text), (.text, .uuid), (.integer, .integer), (.real, .real),
      (.boolean, .boolean), (.blob, .blob), (.json, .json):
      true
    case (.timestamp, .timestamp(let value)): Timestamp.text(value) != nil
    default: false
    }
  }
}
