import DaybookEventCore

/// A table of rows under headings, with numbers aligned to the right and other cells to the left.
///
/// The first rows are held until they determine the widths of the columns. Later rows are written
/// at once, so a table of any length takes the same memory. On a terminal, cells are cut so that a
/// row fits a line. Elsewhere nothing is cut, and a cell that is too wide extends beyond its
/// column.
struct Table {
  private let headings: [String]
  /// The rows held until the layout.
  private var held: [[String]] = []
  private var heldBytes = 0
  private var layout: [Column]?

  private struct Column {
    var width: Int
    var isNumeric: Bool
  }

  /// The number of rows, or of their bytes, that determine the widths of the columns.
  private static let heldRowsMax = 500
  private static let heldBytesMax = 1 << 20
  /// The most that a column is padded to, and the least that a terminal's column is cut to.
  private static let paddingMax = 80
  private static let cutMin = 8

  init(_ headings: [String]) { self.headings = headings }

  mutating func add(_ cells: [String]) {
    if let layout { return write(cells, layout) }
    held.append(cells)
    heldBytes += cells.reduce(0) { $0 + $1.utf8.count }
    if held.count >= Self.heldRowsMax || heldBytes >= Self.heldBytesMax { layOut() }
  }

  /// Writes the rows that are still held, and the headings even if there is no row.
  mutating func end() {
    if layout == nil { layOut() }
  }

  private mutating func layOut() {
    let columns = headings.indices.map { column in
      Column(
        width: held.reduce(Text.width(headings[column])) { max($0, Text.width($1[column])) },
        isNumeric: !held.isEmpty && held.allSatisfy { Self.isNumber($0[column]) })
    }
    let layout = Self.fitted(columns, Terminal.width)
    write(headings, layout, isHeading: true)
    for row in held { write(row, layout) }
    self.layout = layout
    held = []
  }

  private static func isNumber(_ cell: String) -> Bool {
    cell == "–" || Double(cell.replacing(",", by: "")) != nil
  }

  private func write(_ cells: [String], _ layout: [Column], isHeading: Bool = false) {
    var line = ""
    for (number, (cell, column)) in zip(cells, layout).enumerated() {
      if number > 0 { line += "  " }
      let shown = Terminal.outputIsTerminal ? Text.cut(cell, column.width) : cell
      let needsPadding = column.isNumeric || number < layout.count - 1
      line +=
        needsPadding ? Text.padded(shown, column.width, right: column.isNumeric) : shown
    }
    StandardOutput.line(isHeading ? Terminal.bold(line) : line)
  }

  private static func fitted(_ columns: [Column], _ limit: Int?) -> [Column] {
    var columns = columns
    guard let limit else {
      for index in columns.indices { columns[index].width = min(columns[index].width, paddingMax) }
      return columns
    }
    // No cell may be wider than a line.
    for index in columns.indices { columns[index].width = min(columns[index].width, limit) }
    var excess = columns.reduce(2 * (columns.count - 1)) { $0 + $1.width } - limit
    while excess > 0,
      let widest = columns.indices.max(by: { columns[$0].width < columns[$1].width }),
      columns[widest].width > cutMin
    {
      columns[widest].width -= 1
      excess -= 1
    }
    return columns
  }
}
