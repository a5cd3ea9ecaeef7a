import EventCore

/// Sorts, on a thread of its own, what the largest indexes of a rebuild hold: the ids of each collection,
/// and the targets of each relationship.
///
/// SQLite sorts on the one thread of its connection, and the order of the log helps it with neither. What
/// comes in order it writes in a third of the time.
final class BulkKeys: @unchecked Sendable {
  private final class Table {
    let table: CollectionTable
    let ids: KeySort
    /// Nil where it is no relationship, or where the ends of one cannot be sorted here.
    var incoming: KeySort?
    let source: Int
    let target: Int

    init(
      _ table: CollectionTable, _ schema: CollectionSchema, _ memoryBytes: Int, _ path: String
    ) {
      self.table = table
      let source = table.columns.firstIndex { $0.schema.name == "source" }
      let target = table.columns.firstIndex { $0.schema.name == "target" }
      let path = "\(path)-\(table.number)"
      ids = KeySort(memoryBytes: memoryBytes, path: path)
      if schema.isRelationship, source != nil, target != nil {
        incoming = KeySort(memoryBytes: memoryBytes, path: path + "-incoming")
      }
      self.source = source ?? 0
      self.target = target ?? 0
    }

    /// - Parameters: nil where that is no text.
    func add(
      source: UnsafeRawBufferPointer?, target: UnsafeRawBufferPointer?, _ number: Int64
    ) throws(ProjectionError) {
      guard let source, let target else {
        incoming = nil
        return
      }
      try incoming?.add(target, source, number: number)
    }
  }

  /// By the collection's number. Between the making and ``finish()`` what is in them belongs to the
  /// stage's thread.
  private let tables: [Int: Table]
  private var stage: BulkStage<BulkRows>?

  /// - Parameters:
  ///   - memoryBytes: of texts, for each index.
  ///   - path: the beginning of scratch files' paths.
  init(tables all: [CollectionTable], memoryBytes: Int, path: String) {
    var tables: [Int: Table] = [:]
    for table in all {
      // Rows of such a collection are looked up by their ids before the file is complete.
      guard let schema = table.schema,
        !schema.fields.contains(where: { $0.isUnique || $0.isTree })
      else { continue }
      tables[table.number] = Table(table, schema, memoryBytes, path)
    }
    self.tables = tables
    stage = BulkStage(isHeld: true, weight: \.weight) { [unowned self] in
      try add($0)
    } end: { [unowned self] _ in
      try sort()
    }
  }

  /// Whether it wants the rows of a collection.
  func sorts(_ collection: Int) -> Bool { tables[collection] != nil }

  /// Hands over rows.
  /// - Throws: what sorting failed with.
  func put(_ rows: BulkRows) throws { try stage?.put(rows) }

  /// Begins with the rows that have come.
  func begin() { stage?.release() }

  /// All rows have come.
  func close() { stage?.close() }

  /// Ends the thread.
  func cancel() {
    stage?.cancel()
    stage = nil
  }

  // MARK: On the stage's thread

  private func add(_ rows: BulkRows) throws {
    for insert in rows.inserts { try add(insert, rows.buffer) }
    for row in rows.rows {
      guard let table = tables[row.collection] else { continue }
      var id = row.id
      try id.withUTF8 { utf8 in
        try table.ids.add(UnsafeRawBufferPointer(utf8), Self.none, number: row.number)
      }
      guard table.incoming != nil else { continue }
      guard case .text(var source) = row.cells[table.source],
        case .text(var target) = row.cells[table.target]
      else {
        try table.add(source: nil, target: nil, row.number)
        continue
      }
      try source.withUTF8 { source in
        try target.withUTF8 { target in
          try table.add(
            source: UnsafeRawBufferPointer(source), target: UnsafeRawBufferPointer(target),
            row.number)
        }
      }
    }
  }

  private func add(_ insert: BulkBatch.Insert, _ buffer: BulkBuffer) throws {
    let operation = BulkOperation(bytes: buffer.bytes, offset: insert.operation)
    guard let table = tables[operation.collection] else { return }
    try table.ids.add(operation.id, Self.none, number: insert.number)
    guard table.incoming != nil else { return }
    var ends: (source: ValueView, target: ValueView) = (.null, .null)
    var reader = ByteReader(operation.fields)
    for _ in 0..<operation.fieldCount {
      let field = try reader.index()
      let value = try ValueView(checked: &reader)
      guard let column = table.table.column(ofField: field) else { continue }
      if column == table.source { ends.source = value }
      if column == table.target { ends.target = value }
    }
    try Self.withText(ends.target) { target in
      try Self.withText(ends.source) { source in
        try table.add(source: source, target: target, insert.number)
      }
    }
  }

  private func sort() throws {
    for table in tables.values {
      try table.ids.finish()
      try table.incoming?.finish()
    }
  }

  private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// What the column holds of a value; nil where that is no text.
  private static func withText(
    _ value: ValueView, _ body: (UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    switch value {
    case .text(let utf8): try body(utf8)
    case .uuid(let packed):
      var text = packed.text
      try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    default: try body(nil)
    }
  }

  // MARK: The end

  /// Waits until all is sorted.
  /// - Throws: what sorting failed with.
  func finish() throws {
    try stage?.finish()
    stage = nil
  }

  /// The ids of a collection, in order; nil where they were not sorted.
  func ids(of collection: Int) -> KeySort? { tables[collection]?.ids }

  /// The targets and sources of a relationship, in order; nil where they were not sorted.
  func incoming(of collection: Int) -> KeySort? { tables[collection]?.incoming }
}
