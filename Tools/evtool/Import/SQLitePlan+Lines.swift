import Daybook
import DaybookInterchange
import DaybookJSON
import DaybookProjections

extension SQLitePlan: ShownPlan {
  func show() {
    let rows = tables.reduce(0) { $0 + $1.rowCount }
    StandardError.line(
      "\(Text.oneLine(source.name)): \(Text.count(tables.count, "table")), "
        + Text.count(rows, "row"))
    for table in tables {
      var line = "  \(table.collection): \(Text.count(table.rowCount, "row"))"
      if table.isRelationship { line += ", a relationship" }
      if table.name != table.collection { line += ", from the table \(Text.oneLine(table.name))" }
      line +=
        table.idColumns.isEmpty
        ? ", ids from the row numbers" : ", ids from \(table.idColumns.joined(separator: ", "))"
      StandardError.line(Text.oneLine(line))
      for field in table.fields { StandardError.line("    " + Text.oneLine(Self.text(field))) }
    }
    for table in database.leftOut {
      StandardError.line("  left out: \(Text.oneLine(Self.text(table)))")
    }
    for note in database.notes { StandardError.line("  note: \(Text.oneLine(note))") }
  }

  private static func text(_ table: SQLiteImport.LeftOut) -> String {
    let rows = table.rows.map { " with \(Text.count($0, "row"))" } ?? ""
    return switch table.reason {
    case .view: "\(table.table), a view: what it shows comes from tables"
    case .virtual: "\(table.table), a virtual table\(rows)"
    case .shadow: "\(table.table), which belongs to a virtual table"
    case .noKey: "\(table.table), which has neither a primary key nor row numbers with a name"
    case .unasked: "\(table.table)\(rows), as was asked"
    }
  }

  var leftOut: String? {
    let tables = database.leftOut.filter { $0.reason != .view && $0.reason != .shadow }
    guard !tables.isEmpty else { return nil }
    let rows = tables.compactMap(\.rows).reduce(0, +)
    return "left out: \(NameSuggestion.list(tables.map { Text.oneLine($0.table) })), "
      + Text.count(rows, "row")
  }

  private static func text(_ field: SQLiteImport.Field) -> String {
    var text = "\(field.name)  \(field.type.rawValue)"
    if let references = field.references { text += ", refers to \(references)" }
    if field.isSearched { text += ", searchable" }
    if field.name != field.column { text += ", from \(field.column)" }
    return field.remark.map { "\(text), because it \($0)" } ?? text
  }

  func write(to writer: inout JSONWriter) {
    writer.key("collections")
    writer.array { writer in
      for table in tables { Self.write(table, to: &writer) }
    }
    writer.key("leftOut")
    writer.array { writer in
      for table in database.leftOut {
        writer.object {
          $0.member("table", table.table)
          $0.member("reason", table.reason.rawValue)
          $0.key("rows")
          if let rows = table.rows { $0.integer(rows) } else { $0.null() }
        }
      }
    }
    writer.key("notes")
    writer.array { writer in
      for note in database.notes { writer.text(note) }
    }
  }

  private static func write(_ table: SQLiteImport.Table, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("table", table.name)
      writer.member("collection", table.collection)
      writer.member("relationship", table.isRelationship)
      writer.member("rows", table.rowCount)
      writer.key("id")
      writer.array { for column in table.idColumns { $0.text(column) } }
      writer.key("columns")
      writer.array { writer in
        for field in table.fields {
          writer.object {
            $0.member("column", field.column)
            $0.member("field", field.name)
            $0.member("type", field.type.rawValue)
            $0.member("search", field.isSearched)
            $0.key("references")
            if let references = field.references { $0.text(references) } else { $0.null() }
            if let remark = field.remark { $0.member("remark", remark) }
          }
        }
      }
    }
  }
}
