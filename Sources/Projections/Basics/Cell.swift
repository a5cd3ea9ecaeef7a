import DaybookEventCore

/// What SQLite stores in one column of one row.
package enum Cell: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  package static func == (a: Cell, b: Cell) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    // Swift holds canonically equivalent texts to be equal; SQLite and Daybook do not.
    case (.text(let a), .text(let b)): a.isSame(as: b)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// The cell as a literal in SQL, which SQLite also takes as the default of a new column. A text
  /// must not contain NUL, at which SQL would end.
  var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): "'\(text.replacing("'", by: "''"))'"
    case .blob(let bytes):
      "x'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
    }
  }

  /// The length of a text in UTF-8 or of a blob, in bytes; 8 for a number, 0 for null.
  var byteCount: Int {
    switch self {
    case .null: 0
    case .integer, .real: 8
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }
}
