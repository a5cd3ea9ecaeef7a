/// Rows under headings, aligned: numbers to the right, all else to the left. On a terminal the
/// widest columns are cut until a row fits its line; elsewhere nothing is.
struct Table {
  private let headings: [String]
  private var rows: [[String]] = []
  private var isNumeric: [Bool]

  init(_ headings: [String]) {
    self.headings = headings
    isNumeric = headings.map { _ in true }
  }

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ cells: [String]) {
    for (column, cell) in cells.enumerated() where cell != "–" && Double(Self.plain(cell)) == nil {
      isNumeric[column] = false
    }
    rows.append(cells)
  }

  private static func plain(_ cell: String) -> String { cell.replacing(",", with: "") }

  func print() {
    let widths = fitted(Terminal.width)
    StandardOutput.line(Terminal.bold(line(headings, widths)))
    for row in rows { StandardOutput.line(line(row, widths)) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      if column > 0 { line += "  " }
      let isRight = isNumeric[column] && !rows.isEmpty
      let isLast = column == cells.count - 1
      let cut = Text.cut(cell, widths[column])
      line += isLast && !isRight ? cut : Text.padded(cut, widths[column], right: isRight)
    }
    return line
  }

  private func fitted(_ limit: Int?) -> [Int] {
    var widths = headings.indices.map { column in
      rows.reduce(Text.width(headings[column])) { max($0, Text.width($1[column])) }
    }
    guard let limit else { return widths }
    while widths.reduce(2 * (widths.count - 1), +) > limit,
      let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 8
    {
      widths[widest] -= 1
    }
    return widths
  }
}
