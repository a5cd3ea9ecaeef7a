import EventCore

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

  /// Holds the operations.
  let buffer: BulkBuffer
  var inserts: [Insert] = []
  var folded: [Folded] = []
  var states = ByteWriter()

  init(_ buffer: BulkBuffer) { self.buffer = buffer }

  var count: Int { inserts.count + folded.reduce(0) { $0 + $1.operations.count } }
}

/// The third pass of a rebuild: writes rows, on a thread of its own, while the next are folded.
///
/// Between its making and ``finish()`` only the writer's thread touches the database and what the
/// projector keeps of it; the fold reads nothing but schemas and origins.
final class BulkWriter: @unchecked Sendable {
  private let projector: Projector
  private let search: BulkSearch?
  private let fold: BulkEntityFold
  private let states: Statement
  /// Of the collection that is being written, which stays the same for many entities.
  private var current: (number: Int, table: CollectionTable, insert: Statement)?
  private var stage: BulkStage<BulkBatch>?

  init(projector: Projector, search: BulkSearch?) throws(ProjectionError) {
    self.projector = projector
    self.search = search
    fold = BulkEntityFold(projector.index)
    states = try projector.sql("INSERT INTO _daybook_entities VALUES (?, NULL, NULL, ?)")
    stage = BulkStage { [unowned self] in try write($0) }
  }

  /// Hands over a batch; waits while the writer is too far behind.
  /// - Throws: what the writer failed with.
  func put(_ batch: BulkBatch) throws { try stage?.put(batch) }

  /// Waits until everything is written.
  func finish() throws { try stage?.finish() }

  /// Ends the thread, whatever still waits.
  func cancel() { stage?.cancel() }

  // MARK: On the stage's thread

  private func write(_ batch: BulkBatch) throws {
    for insert in batch.inserts { try write(insert, batch) }
    var rows = BulkRows(buffer: batch.buffer, inserts: batch.inserts)
    for entity in batch.folded {
      if let row = try write(entity, batch.buffer) { rows.rows.append(row) }
    }
    try search?.put(rows)
  }

  private func write(_ insert: BulkBatch.Insert, _ batch: BulkBatch) throws {
    let operation = BulkOperation(bytes: batch.buffer.bytes, offset: insert.operation)
    guard let (table, row) = try begin(operation.collection) else { return }
    row.clearBindings()
    try row.bind(1, insert.number)
    try row.bindBorrowedText(2, operation.id)
    var reader = ByteReader(operation.fields)
    for _ in 0..<operation.fieldCount {
      let field = try reader.index()
      let value = try ValueView(checked: &reader)
      guard let column = table.column(ofField: field) else { continue }
      try row.bind(Int32(column + 3), value)
    }
    try row.run()
    try batch.states.bytes.withRawBytes { bytes throws(ProjectionError) in
      try states.bind(1, insert.number)
      try states.bindBorrowedBlob(2, UnsafeRawBufferPointer(rebasing: bytes[insert.state]))
      try states.run()
    }
  }

  private func begin(_ collection: Int) throws(ProjectionError) -> (CollectionTable, Statement)? {
    if let current, current.number == collection { return (current.table, current.insert) }
    guard let table = projector.table(number: collection) else { return nil }
    let insert = try projector.sql(table.insertSQL)
    current = (collection, table, insert)
    return (table, insert)
  }

  /// - Returns: the row, where it is to be searched.
  private func write(_ entity: BulkBatch.Folded, _ buffer: BulkBuffer) throws -> BulkRows.Row? {
    let operations = entity.operations.map { BulkOperation(bytes: buffer.bytes, offset: $0) }
    guard let first = operations.first, let table = projector.table(number: first.collection)
    else { return nil }
    let (record, chunks) = try fold.fold(
      operations, table, id: first.id.text, number: entity.number)
    let row = try projector.writeBulkEntity(record, chunks)
    guard let row, search?.isSearched(table.number) ?? false else { return nil }
    return .init(number: entity.number, collection: table.number, cells: row)
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
