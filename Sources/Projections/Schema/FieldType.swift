package import EventCore

/// The declared type of a field, and how its values stand in SQLite.
public enum FieldType: String, CaseIterable, Sendable {
  case text, integer, real, boolean, blob, timestamp, json

  /// What the column is declared as. JSON and timestamps are TEXT: any other affinity would change
  /// what they say.
  var declaration: String {
    switch self {
    case .text, .timestamp, .json: "TEXT"
    case .integer: "INTEGER"
    case .real: "REAL"
    case .boolean: "BOOLEAN"
    case .blob: "BLOB"
    }
  }

  /// How a value stands in a column of this type; nil for a *misfit*, which reads NULL.
  ///
  /// `isExact` says whether ``value(of:)`` gives the very same value back.
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

  /// The value that an exact cell stands for; nil where no value of this type looks like that.
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
