import Daybook
import DaybookInterchange
import DaybookJSON
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
