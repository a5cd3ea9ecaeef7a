package import DaybookEventCore

/// The declared type of a field, and its representation in SQLite.
public enum FieldType: String, CaseIterable, Sendable {
  /// A type of values; ``Value`` has a case of the same name for each.
  case text, integer, real, boolean, blob, timestamp, json

  /// The column's declared type. JSON and timestamps are TEXT: any other affinity would change
  /// their values.
  var declaration: String {
    switch self {
    case .text, .timestamp, .json: "TEXT"
    case .integer: "INTEGER"
    case .real: "REAL"
    case .boolean: "BOOLEAN"
    case .blob: "BLOB"
    }
  }

  /// Returns the cell of a value in a column of this type; nil for a *misfit*, which reads NULL.
  /// - Returns: the cell; `isExact` is true if ``value(of:)`` returns the very same value.
  package func cell(for value: Value) -> (cell: Cell, isExact: Bool)? {
    switch (self, value) {
    case (_, .null): (.null, true)
    case (.text, .text(let text)): (.text(text), true)
    case (.integer, .integer(let value)): (.integer(value), true)
    case (.real, .real(let value)): (.real(value), true)
    case (.real, .integer(let value)) where value.magnitude <= 1 << 53:
      (.real(Double(value)), false)
    case (.boolean, .boolean(let value)): (.integer(value ? 1 : 0), true)
    case (.blob, .blob(let bytes)): (.blob(bytes), true)
    case (.timestamp, .timestamp(let milliseconds)):
      Timestamp.text(milliseconds).map { (.text($0), true) }
    case (.json, .json(let bytes)) where JSONText.isValid(bytes):
      (.text(String(decoding: bytes, as: UTF8.self)), true)
    default: nil
    }
  }

  /// Returns the value that an exact cell stands for; nil if no value of this type has such a cell.
  package func value(of cell: Cell) -> Value? {
    switch (self, cell) {
    case (_, .null): .null
    case (.text, .text(let text)): .text(text)
    case (.integer, .integer(let value)): .integer(value)
    case (.real, .real(let value)): .real(value)
    case (.boolean, .integer(let value)): .boolean(value != 0)
    case (.blob, .blob(let bytes)): .blob(bytes)
    case (.timestamp, .text(let text)): Timestamp.milliseconds(text).map { .timestamp($0) }
    case (.json, .text(let text)): .json(Array(text.utf8))
    default: nil
    }
  }
}
