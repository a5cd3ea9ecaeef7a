import Daybook
import DaybookInterchange
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

  func state(in report: inout Report) {
    report.fact("collections", tables.map(Self.report))
    report.fact(
      "leftOut",
      database.leftOut.map { table in
        Report {
          $0.fact("table", table.table)
          $0.fact("reason", table.reason.rawValue)
          $0.fact("rows", table.rows)
        }
      })
    report.fact("notes", database.notes)
  }

  private static func report(_ table: SQLiteImport.Table) -> Report {
    Report {
      $0.fact("table", table.name)
      $0.fact("collection", table.collection)
      $0.fact("relationship", table.isRelationship)
      $0.fact("rows", table.rowCount)
      $0.fact("id", table.idColumns)
      $0.fact("columns", table.fields.map(report))
    }
  }

  private static func report(_ field: SQLiteImport.Field) -> Report {
    Report {
      $0.fact("column", field.column)
      $0.fact("field", field.name)
      $0.fact("type", field.type.rawValue)
      $0.fact("search", field.isSearched)
      $0.fact("references", field.references)
      if let remark = field.remark { $0.fact("remark", remark) }
    }
  }
}
