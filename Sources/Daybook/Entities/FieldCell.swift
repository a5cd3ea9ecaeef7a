import DaybookEventCore
import DaybookProjections
public import Foundation
import GRDBSQLite

/// What a row of the read model, or an entity of the log, holds in one field.
///
/// Each property is nil if the cell holds NULL or something else.
public struct FieldCell: @unchecked Sendable {
  enum Source {
    /// A column of a row, which is read before the statement goes on.
    case column(Columns, Int32)
    case value(Value)
  }

  let source: Source

  init(_ value: Value) { source = .value(value) }

  init(_ row: Columns, _ column: Int32) { source = .column(row, column) }

  /// Whether the cell holds NULL.
  public var isNull: Bool {
    switch source {
    case .column(let row, let column): row.type(column) == SQLITE_NULL
    case .value(let value): value == .null
    }
  }

  /// A text.
  public var text: String? {
    switch source {
    case .column(let row, let column): row.type(column) == SQLITE_TEXT ? row.text(column) : nil
    case .value(.text(let text)): text
    default: nil
    }
  }

  /// An integer.
  public var integer: Int64? {
    switch source {
    case .column(let row, let column):
      row.type(column) == SQLITE_INTEGER ? row.integer(column) : nil
    case .value(.integer(let value)): value
    default: nil
    }
  }

  /// True or false.
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
    case .column(let row, let column):
      [SQLITE_FLOAT, SQLITE_INTEGER].contains(row.type(column)) ? row.real(column) : nil
    case .value(.real(let value)): value
    case .value(.integer(let value)): Double(value)
    default: nil
    }
  }

  /// Bytes.
  public var data: Data? {
    switch source {
    case .column(let row, let column):
      row.type(column) == SQLITE_BLOB ? row.withBytes(column) { Data($0) } : nil
    case .value(.blob(let bytes)): Data(bytes)
    default: nil
    }
  }

  /// A moment, in milliseconds since 1970.
  public var milliseconds: Int64? {
    switch source {
    case .column(let row, let column):
      guard row.type(column) == SQLITE_TEXT else { return nil }
      return row.withBytes(column) { Timestamp.milliseconds(stored: $0) }
        ?? Timestamp.milliseconds(row.text(column))
    case .value(.timestamp(let milliseconds)): return milliseconds
    default: return nil
    }
  }

  /// The bytes of a JSON value.
  public var json: Data? {
    switch source {
    case .column(let row, let column):
      row.type(column) == SQLITE_TEXT ? row.withBytes(column) { Data($0) } : nil
    case .value(.json(let bytes)): Data(bytes)
    default: nil
    }
  }
}
