import DaybookEventCore

/// Entities on their way from the fold to the writer.
struct RebuildBatch: Sendable {
  /// An entity that was inserted and never touched again.
  struct Insert: Sendable {
    var number: Int64
    /// Offset of the operation in the partition.
    var operation: Int
    /// The range of its packed state in `states`.
    var state: Range<Int>
  }

  /// An entity that has to be folded from its operations.
  struct Folded: Sendable {
    var number: Int64
    var operations: [Int]
  }

  /// The buffer that holds the operations.
  let buffer: RebuildBuffer
  var inserts: [Insert] = []
  var folded: [Folded] = []
  var states = ByteWriter()

  init(_ buffer: RebuildBuffer) { self.buffer = buffer }

  func operation(_ insert: Insert) -> RebuildOperation {
    RebuildOperation(bytes: buffer.bytes, offset: insert.operation)
  }

  var count: Int { inserts.count + folded.reduce(0) { $0 + $1.operations.count } }
}

/// The third pass of a rebuild: writes rows on a thread of its own, while the next ones are folded.
///
/// From initialization until ``finish()`` only the writer's thread touches the database and the
/// projector's data about it; the fold reads only schemas and origins.
final class RebuildWriter: @unchecked Sendable {
  private let projector: Projector
  private let search: RebuildSearch?
  private let keys: RebuildKeys?
  private let fold: RebuildEntityFold
  private let states: Statement
  private let feed: RowFeed
  private var stage: RebuildStage<RebuildBatch>?

  init(projector: Projector, feed: RowFeed, search: RebuildSearch?, keys: RebuildKeys?)
    throws(ProjectionError)
  {
    self.projector = projector
    self.search = search
    self.keys = keys
    self.feed = feed
    fold = RebuildEntityFold(projector.index)
    states = try projector.sql(
      "INSERT INTO _daybook_entities SELECT c0, NULL, NULL, c1 FROM \(RowFeed.name)")
    stage = RebuildStage { [unowned self] in try write($0) }
  }

  /// Hands over a batch; waits while the writer's queue is full.
  /// - Throws: the error that ended the writer.
  func put(_ batch: RebuildBatch) throws { try stage?.put(batch) }

  /// Waits until all batches are written.
  /// - Throws: the error that ended the writer.
  func finish() throws { try stage?.finish() }

  /// Drops all waiting batches and ends the thread.
  func cancel() { stage?.cancel() }

  // MARK: - The stage's thread

  private func write(_ batch: RebuildBatch) throws {
    try writeInserts(batch)
    var rows = RebuildRows(buffer: batch.buffer, inserts: batch.inserts)
    for entity in batch.folded {
      if let row = try write(entity, batch.buffer) { rows.rows.append(row) }
    }
    try search?.put(rows)
    try keys?.put(rows)
  }

  /// Writes entities that were inserted and never touched again: for each run of one collection its
  /// rows, then all states.
  private func writeInserts(_ batch: RebuildBatch) throws {
    var rest = batch.inserts[...]
    while let first = rest.first {
      let collection = batch.operation(first).collection
      let run = rest.prefix { batch.operation($0).collection == collection }
      rest = rest.dropFirst(run.count)
      guard let table = projector.table(number: collection) else { continue }
      do {
        try feed.run(try projector.sql(table.statements.feed), InsertedRows(batch, run, table))
      } catch let error as ProjectionError { throw error.about(table) }
    }
    try batch.states.bytes.withUnsafeBytes { bytes in
      try feed.run(states, InsertedStates(batch, bytes))
    }
  }

  /// Folds and writes one entity.
  /// - Returns: its row if the collection is searched or its keys are sorted; nil otherwise.
  private func write(_ entity: RebuildBatch.Folded, _ buffer: RebuildBuffer) throws -> RebuildRows
    .Row?
  {
    let operations = RebuildOperations(bytes: buffer.bytes, offsets: entity.operations)
    guard let first = operations.first, let table = projector.table(number: first.collection)
    else { return nil }
    let folded = try fold.fold(operations, table, id: first.id.text, number: entity.number)
    let record = folded.record
    let row = try projector.writeRebuiltEntity(folded) { try fold.chunk($0, of: operations) }
    let isWanted = search?.isSearched(table.number) == true || keys?.sorts(table.number) == true
    guard let row, isWanted else { return nil }
    return .init(number: entity.number, collection: table.number, id: record.id, cells: row)
  }
}

/// Rows that are read directly from their operations.
private final class InsertedRows: RowSource {
  private let batch: RebuildBatch
  private var rest: ArraySlice<RebuildBatch.Insert>
  private let table: CollectionTable
  private let isPlain: Bool
  private var row: Row

  private struct Row {
    var number: Int64 = 0
    var facts = EntityFacts(created: nil, modified: 0, version: 1)
    var id = UnsafeRawBufferPointer(start: nil, count: 0)
    /// By index in the table's columns; nil for a field that is not written.
    var values: [ValueView?]

    mutating func read(_ operation: RebuildOperation, _ table: CollectionTable) throws {
      id = operation.id
      if !table.keptColumns.isEmpty {
        facts.modified = EntityFacts.time(operation.authored)
        facts.created = facts.modified
      }
      for index in values.indices { values[index] = nil }
      var reader = ByteReader(operation.fields)
      for _ in 0..<operation.fieldCount {
        let field = try reader.index()
        let value = try ValueView(checked: &reader)
        if let column = table.column(ofField: field) { values[column] = value }
      }
    }
  }

  init(_ batch: RebuildBatch, _ inserts: ArraySlice<RebuildBatch.Insert>, _ table: CollectionTable)
  {
    self.batch = batch
    rest = inserts
    self.table = table
    isPlain = table.isPlain
    row = Row(values: Array(repeating: nil, count: table.columns.count))
  }

  override func next() throws -> Bool {
    guard let insert = rest.popFirst() else { return false }
    row.number = insert.number
    try row.read(batch.operation(insert), table)
    return true
  }

  override func column(_ index: Int, _ result: RowResult) {
    switch index {
    case 0: result.set(row.number)
    case 1: result.setBorrowed(text: row.id)
    default:
      guard !isPlain else { return result.set(row.values[index - 2] ?? .null) }
      if let kept = table.columns[index - 2].schema.kept {
        result.set(row.facts.cell(kept))
      } else if let value = row.values[index - 2], !value.isNull || table.isNullable(index - 2) {
        result.set(value)
      } else {
        result.set(table.presets[index - 2])
      }
    }
  }
}

/// The states of entities that were inserted and never touched again.
private final class InsertedStates: RowSource {
  private let batch: RebuildBatch
  private let bytes: UnsafeRawBufferPointer
  private var index = -1

  /// - Parameter bytes: all states of the batch; they must outlive the object.
  init(_ batch: RebuildBatch, _ bytes: UnsafeRawBufferPointer) {
    self.batch = batch
    self.bytes = bytes
  }

  override func next() -> Bool {
    index += 1
    return index < batch.inserts.count
  }

  override func column(_ column: Int, _ result: RowResult) {
    let insert = batch.inserts[index]
    guard column > 0 else { return result.set(insert.number) }
    result.setBorrowed(blob: UnsafeRawBufferPointer(rebasing: bytes[insert.state]))
  }
}

extension ValueView {
  fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}

extension CollectionTable {
  fileprivate func isNullable(_ column: Int) -> Bool { columns[column].schema.isNullable }

  /// Returns whether a row can hold the value in a column, and the value be read from it again.
  func holdsExactly(_ view: ValueView, in column: Int) -> Bool {
    if !keptColumns.isEmpty, columns[column].schema.kept != nil { return false }
    if view.isNull { return presets[column] == .null || isNullable(column) }
    return columns[column].schema.type.holdsExactly(view)
  }
}

extension FieldType {
  /// Returns whether ``cell(for:)`` would hold the value exactly.
  func holdsExactly(_ view: ValueView) -> Bool {
    switch (self, view) {
    case (_, .null), (.text, .text), (.text, .uuid), (.integer, .integer), (.real, .real),
      (.boolean, .boolean), (.blob, .blob):
      true
    case (.json, .json(let utf8)): JSONText.isValid(utf8)
    case (.timestamp, .timestamp(let value)): Timestamp.text(value) != nil
    default: false
    }
  }
}
