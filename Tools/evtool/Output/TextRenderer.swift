/// Shows reports to people: as rows of a table if there are columns, else as lines.
struct TextRenderer: ReportRenderer {
  private let columns: [String]
  private var table: Table
  private var isEmpty = true

  init(columns: [String] = []) {
    self.columns = columns
    table = Table(columns.map(Text.oneLine))
  }

  mutating func add(_ record: Report) throws {
    isEmpty = false
    guard columns.isEmpty else { return table.add(cells(of: record)) }
    for line in record.lines { try Self.show(line) }
  }

  mutating func add(_ row: [any ReportValue]) {
    isEmpty = false
    if !columns.isEmpty { table.add(row.map(\.cell)) }
  }

  mutating func end(none: String?, last: String?) {
    if isEmpty, let none { return StandardOutput.line(none) }
    if !columns.isEmpty { table.end() }
    if let last { StandardOutput.line(last) }
  }

  private static func show(_ line: Report.Line) throws {
    switch line {
    case .text(let text): if let text = try text() { StandardOutput.line(text) }
    case .note(let text): StandardError.line(text)
    case .table(let columns, let records):
      var table = TextRenderer(columns: columns)
      for record in records { try table.add(record) }
      table.end(none: nil, last: nil)
    }
  }

  /// Returns a row: each fact in its column, and a dash where there is none.
  private func cells(of record: Report) -> [String] {
    columns.map { column in
      guard let fact = record.facts.first(where: { $0.column == column }) else { return "–" }
      return fact.words?() ?? fact.value.cell
    }
  }
}
