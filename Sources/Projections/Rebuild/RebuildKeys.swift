import DaybookEventCore

/// Sorts the keys of a rebuild's largest indexes on a thread of its own: the ids of each
/// collection, and the ends of each relationship by target.
///
/// SQLite sorts on the one thread of its connection, and the order of the log suits neither index.
/// SQLite writes keys that come in order in a third of the time.
final class RebuildKeys: @unchecked Sendable {
  private final class Table {
    let table: CollectionTable
    let ids: RebuildKeySort
    /// Nil if the collection is no relationship, or if an end of a row is not a text.
    var incoming: RebuildKeySort?
    let source: Int
    let target: Int

    init(
      _ table: CollectionTable, _ schema: CollectionSchema, _ memoryBytes: Int, _ path: String
    ) {
      self.table = table
      let source = table.columns.firstIndex { $0.schema.name == "source" }
      let target = table.columns.firstIndex { $0.schema.name == "target" }
      let path = "\(path)-\(table.number)"
      ids = RebuildKeySort(memoryBytes: memoryBytes, path: path)
      if schema.isRelationship, source != nil, target != nil {
        incoming = RebuildKeySort(memoryBytes: memoryBytes, path: path + "-incoming")
      }
      self.source = source ?? 0
      self.target = target ?? 0
    }

    /// Adds the ends of a relationship's row; stops sorting the ends if one of them is nil.
    /// - Parameters:
    ///   - source: the source, UTF-8; nil if it is not a text.
    ///   - target: the target, UTF-8; nil if it is not a text.
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

  /// By the collection's number. From initialization until ``finish()``, the contents belong to the
  /// stage's thread.
  private let tables: [Int: Table]
  private var stage: RebuildStage<RebuildRows>?

  /// Starts the thread; rows wait until ``begin()`` or ``close()``.
  /// - Parameters:
  ///   - all: the declared collections' tables.
  ///   - memoryBytes: bytes of texts that each sort keeps in memory.
  ///   - path: the prefix of the scratch files' paths.
  init(tables all: [CollectionTable], memoryBytes: Int, path: String) {
    var tables: [Int: Table] = [:]
    for table in all {
      // Rows of a collection with rules are looked up by id before the file is complete.
      guard let schema = table.schema,
        !schema.hasRules
      else { continue }
      tables[table.number] = Table(table, schema, memoryBytes, path)
    }
    self.tables = tables
    stage = RebuildStage(isHeld: true, weight: \.weight) { [unowned self] in
      try add($0)
    } end: { [unowned self] _ in
      try sort()
    }
  }

  /// Returns whether the ids of a collection are sorted here.
  func sorts(_ collection: Int) -> Bool { tables[collection] != nil }

  /// Hands over rows.
  /// - Throws: the error that ended the sorting thread.
  func put(_ rows: RebuildRows) throws { try stage?.put(rows) }

  /// Starts sorting the rows handed over so far.
  func begin() { stage?.release() }

  /// Declares that no more rows will come.
  func close() { stage?.close() }

  /// Cancels the sort and ends the thread.
  func cancel() {
    stage?.cancel()
    stage = nil
  }

  // MARK: - The stage's thread

  private func add(_ rows: RebuildRows) throws {
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

  private func add(_ insert: RebuildBatch.Insert, _ buffer: RebuildBuffer) throws {
    let operation = RebuildOperation(bytes: buffer.bytes, offset: insert.operation)
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

  /// Calls `body` with the text that the column holds for a value; nil if it holds no text.
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

  // MARK: - Results

  /// Waits until all keys are sorted.
  /// - Throws: the error that ended the sorting thread.
  func finish() throws {
    try stage?.finish()
    stage = nil
  }

  /// Returns the sorted ids of a collection; nil if they were not sorted here.
  func ids(of collection: Int) -> RebuildKeySort? { tables[collection]?.ids }

  /// Returns the sorted pairs of target and source of a relationship; nil if they
  /// were not sorted here.
  func incoming(of collection: Int) -> RebuildKeySort? { tables[collection]?.incoming }
}
