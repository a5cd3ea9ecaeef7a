import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookJSON
import DaybookProjections

/// The plan of a CSV import. It reads the whole file before anything is written, and so also finds
/// errors of form early.
struct CSVPlan: ImportPlan {
  let source: ImportSource
  let reading: TableReading?
  let dialect: CSVDialect
  let table: CSVTable
  let puts: Bool

  init(
    _ source: ImportSource, _ reading: TableReading, _ options: TableOptions,
    _ schema: StoreSchema
  ) throws {
    self.source = source
    self.reading = reading
    dialect = reading.dialect
    puts = options.put
    let progress = ProgressLine("reading \(source.name)", unit: "rows")
    defer { progress.clear() }
    var records = CSVRecords(source, dialect)
    guard let header = try records.next() else {
      throw Failure(
        .usage, "\(source.name) is empty, and a table begins with the names of its columns",
        hint: "Put a line with the names first")
    }
    let collection = reading.collection
    do {
      var table = try CSVTable(
        header: header, collection: collection, isRelationship: options.relationship,
        isLocal: options.local,
        id: options.id, types: options.types, search: options.searchable,
        hasDecimalComma: dialect.hasDecimalComma, declared: schema[collection])
      while let record = try records.next() {
        try table.observe(record)
        guard table.rowCount.isMultiple(of: 1024) else { continue }
        progress.update(
          table.rowCount, fraction: Double(records.offset) / Double(max(source.byteCount, 1)))
        if Interrupt.isRequested {
          throw Failure(.interrupted, "interrupted; nothing of \(source.name) has been imported")
        }
      }
      self.table = table
    } catch let error as CSVError {
      var refusal = ImportLineError(error)
      if error.code == .ragged {
        refusal.failure.hint =
          "or cells are not separated by \(reading.delimiterInWords), and need an option such as "
          + reading.otherOption
      }
      throw refusal
    }
  }

  let unit = "line"
  var finerTimestamps: Int { table.finerTimestamps }

  func feed(from firstLine: Int) throws -> any ImportFeed {
    try CSVFeed(source, dialect, table, from: firstLine, puts: puts)
  }

  func show() {
    let ids =
      table.idColumn.map { "ids from the column \(table.columns[$0].heading.quotedForMessage)" }
      ?? (table.isKeyed
        ? "ids from the collection's key" : "ids from the file's hash and the row's line")
    let kind = table.isRelationship ? "relationship" : "collection"
    StandardError.line(
      "\(Text.oneLine(source.name)): \(Text.count(table.rowCount, "row")) into the "
        + "\(table.isLocal ? "local " : "")\(kind) \(table.collection), \(ids)")
    let fields = table.columns.filter { $0.field != nil }
    let width = fields.reduce(0) { max($0, $1.field?.utf8.count ?? 0) }
    for column in fields {
      guard let field = column.field else { continue }
      var remarks: [String] = []
      if field != column.heading { remarks.append("from \(column.heading.quotedForMessage)") }
      if column.declared != nil { remarks.append("as declared") }
      if table.isSearched(column) { remarks.append("searchable") }
      if column.declared == nil { remarks += Self.numbers(column, field) }
      if column.inference.emptyCount > 0 {
        remarks.append("\(Text.grouped(column.inference.emptyCount)) empty")
      }
      let type = column.type.rawValue
      StandardError.line(
        "  \(Text.padded(field, width))  "
          + (remarks.isEmpty ? type : Text.padded(type, 9) + "  " + remarks.joined(separator: ", "))
      )
    }
    if table.finerTimestamps > 0 {
      StandardError.line("  note: " + ImportNotes.finer(table.finerTimestamps))
    }
    if let reading, reading.isDelimiterFound {
      StandardError.line(
        "  cells are separated by \(reading.delimiterInWords), as the file shows; if not, say "
          + reading.otherOption)
    }
    if table.columns.count == 1 { showDelimiterHint() }
  }

  /// Says what of a column's numbers made it a text, and how it becomes a number all the same.
  private static func numbers(_ column: CSVTable.Column, _ field: String) -> [String] {
    if let number = column.inference.numberOnlyTextKeeps {
      return ["numbers, but a real would change \(number.quotedForMessage) (--type \(field)=real)"]
    }
    guard let number = column.inference.numberWithComma else { return [] }
    return ["numbers with --decimal-comma, such as \(number.quotedForMessage)"]
  }

  /// Suggests another delimiter if the only column's heading contains one.
  private func showDelimiterHint() {
    let heading = table.columns[0].heading
    for delimiter in [";", "\t", "|", ","] where heading.utf8.contains(delimiter.utf8.first ?? 0) {
      let name = delimiter == "\t" ? "--format tsv" : "--delimiter '\(delimiter)'"
      return StandardError.line("  there is one column only; perhaps the file needs \(name)")
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.key("collections")
    writer.array { writer in
      writer.object { writer in
        writer.member("collection", table.collection)
        writer.member("relationship", table.isRelationship)
        writer.member("local", table.isLocal)
        writer.member("rows", table.rowCount)
        writer.member("delimiter", String(dialect.delimiter))
        writer.key("id")
        if let id = table.idColumn {
          writer.text(table.columns[id].heading)
        } else {
          writer.null()
        }
        writer.key("columns")
        writer.array { writer in
          for column in table.columns {
            guard let field = column.field else { continue }
            writer.object {
              $0.member("column", column.heading)
              $0.member("field", field)
              $0.member("type", column.type.rawValue)
              $0.member("declared", column.declared != nil)
              $0.member("search", table.isSearched(column))
              $0.member("empty", column.inference.emptyCount)
            }
          }
        }
      }
    }
  }
}
