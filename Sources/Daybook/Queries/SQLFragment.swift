import EventCore
import Foundation
import GRDB
import Projections

/// A part of a statement, with the values that are bound to its question marks.
struct SQLFragment: Sendable {
  var text: String
  var values: [DatabaseValue]
  /// Why the statement cannot be run; nil if it can.
  var error: StoreError?
  /// The collections that the statement reads.
  var collections: Set<String>

  init(
    _ text: String, _ values: [DatabaseValue] = [], error: StoreError? = nil,
    reading collections: Set<String> = []
  ) {
    self.text = text
    self.values = values
    self.error = error
    self.collections = collections
  }

  /// A statement with one text, as a column holds it.
  init(_ text: String, _ value: Value, reading collection: String) {
    self.init(value, of: .text, SQLFragment(""))
    self.text = text.replacing("?", with: self.text)
    collections = [collection]
  }

  /// A value that a column of a type is compared with.
  init(_ value: Value, of type: FieldType, _ column: SQLFragment) {
    self.init("?")
    if case .text(let text) = value, type == .text, text.utf8.contains(0) {
      // GRDB binds a text up to its first NUL.
      (self.text, values) = ("CAST(? AS TEXT)", [Data(text.utf8).databaseValue])
    } else if let cell = type.cell(for: value)?.cell, let bound = Self.bound(cell) {
      values = [bound]
    } else {
      error = StoreError(
        .invalidQuery, "\(column.shown) cannot be compared with \(value.shown)",
        hint: "Give a value that the field could hold")
    }
  }

  private static func bound(_ cell: Cell) -> DatabaseValue? {
    switch cell {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.isFinite ? Optional(value.databaseValue) : nil
    case .text(let text): text.databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    }
  }

  /// Whether the other one is the same statement with the same values.
  func isSame(as other: SQLFragment) -> Bool { text == other.text && values == other.values }

  func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    hasher.combine(values)
  }

  static func + (a: SQLFragment, b: SQLFragment) -> SQLFragment {
    SQLFragment(
      a.text + b.text, a.values + b.values, error: a.error ?? b.error,
      reading: a.collections.union(b.collections))
  }

  static func + (a: SQLFragment, b: String) -> SQLFragment {
    var sum = a
    sum.text += b
    return sum
  }

  static func + (a: String, b: SQLFragment) -> SQLFragment {
    var sum = b
    sum.text = a + b.text
    return sum
  }

  mutating func append(_ other: SQLFragment) {
    text += other.text
    values += other.values
    error = error ?? other.error
    collections.formUnion(other.collections)
  }
}

extension [SQLFragment] {
  func joined(_ separator: String) -> SQLFragment {
    var sum = SQLFragment("")
    for (index, part) in enumerated() {
      if index > 0 { sum.text += separator }
      sum.append(part)
    }
    return sum
  }
}
