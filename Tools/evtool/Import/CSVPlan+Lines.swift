import Daybook
import DaybookInterchange
import DaybookProjections

extension CSVPlan: ShownPlan {
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
          + TableOptions.delimiter(reading.otherDelimiter))
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

  func state(in report: inout Report) {
    let fields = table.columns.filter { $0.field != nil }
    let collection = Report {
      $0.fact("collection", table.collection)
      $0.fact("relationship", table.isRelationship)
      $0.fact("local", table.isLocal)
      $0.fact("rows", table.rowCount)
      $0.fact("delimiter", String(dialect.delimiter))
      $0.fact("id", table.idColumn.map { table.columns[$0].heading })
      $0.fact("columns", fields.map(self.report))
    }
    report.fact("collections", [collection])
  }

  private func report(_ column: CSVTable.Column) -> Report {
    Report {
      $0.fact("column", column.heading)
      $0.fact("field", column.field)
      $0.fact("type", column.type.rawValue)
      $0.fact("declared", column.declared != nil)
      $0.fact("search", table.isSearched(column))
      $0.fact("empty", column.inference.emptyCount)
    }
  }
}
