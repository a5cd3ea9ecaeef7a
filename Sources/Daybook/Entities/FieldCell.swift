import EventCore
public import Foundation
import GRDBSQLite
import Projections

/// What a row of the read model, or an entity of the log, holds in one field.
///
/// Each property is nil if the cell holds NULL or something else.
public struct FieldCell: @unchecked Sendable {
  enum Source {
    /// A column of a statement that stands on a row; it is read before the next step.
    case column(OpaquePointer, Int32)
    case value(Value)
  }

  let source: Source

  init(_ value: Value) { source = .value(value) }

  init(_ statement: OpaquePointer, _ column: Int32) { source = .column(statement, column) }

  public var isNull: Bool {
    switch source {
    case .column(let statement, let column): sqlite3_column_type(statement, column) == SQLITE_NULL
    case .value(let value): value == .null
    }
  }

  public var text: String? {
    switch source {
    case .column(let statement, let column):
      guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return nil }
      return Self.text(statement, column)
    case .value(.text(let text)): return text
    default: return nil
    }
  }

  public var integer: Int64? {
    switch source {
    case .column(let statement, let column):
      guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
      return sqlite3_column_int64(statement, column)
    case .value(.integer(let value)): return value
    default: return nil
    }
  }

  public var boolean: Bool? {
    switch source {
    case .column: integer.map { $0 != 0 }
    case .value(.boolean(let value)): value
    default: nil
    }
  }

  /// A number; an integer counts as one.
  public var real: Double? {
    switch source {
    case .column(let statement, let column):
      let type = sqlite3_column_type(statement, column)
      guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { return nil }
      return sqlite3_column_double(statement, column)
    case .value(.real(let value)): return value
    case .value(.integer(let value)): return Double(value)
    default: return nil
    }
  }

  public var data: Data? {
    switch source {
    case .column(let statement, let column):
      guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
      guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
      return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    case .value(.blob(let bytes)): return Data(bytes)
    default: return nil
    }
  }

  /// A moment, in milliseconds since 1970.
  public var milliseconds: Int64? {
    switch source {
    case .column(let statement, let column):
      guard sqlite3_column_type(statement, column) == SQLITE_TEXT,
        let bytes = sqlite3_column_text(statement, column)
      else { return nil }
      let count = Int(sqlite3_column_bytes(statement, column))
      let text = UnsafeBufferPointer(start: bytes, count: count)
      return Timestamp.milliseconds(stored: text)
        ?? Timestamp.milliseconds(String(decoding: text, as: UTF8.self))
    case .value(.timestamp(let milliseconds)): return milliseconds
    default: return nil
    }
  }

  /// The bytes of a JSON value.
  public var json: Data? {
    switch source {
    case .column(let statement, let column):
      guard sqlite3_column_type(statement, column) == SQLITE_TEXT,
        let bytes = sqlite3_column_text(statement, column)
      else { return nil }
      return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    case .value(.json(let bytes)): return Data(bytes)
    default: return nil
    }
  }

  private static func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
