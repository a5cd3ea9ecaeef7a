import DaybookEngine
import DaybookEventCore
import DaybookProjections
import Foundation
import GRDB

/// A part of a statement, with the values that are bound to its question marks.
struct SQLFragment: Sendable {
  var text: String
  var values: [DatabaseValue]
  /// Why the statement cannot be run; nil if it can.
  var error: StoreError?
  /// The collections that the statement reads.
  var collections: Set<String>
  /// What the types expect of the tables that the fragment reads, by the numbers of their marks.
  var tables: [String: TableShape] = [:]
  /// The tables that have to stand beside others, by the numbers of their marks.
  var joins: [String: TableJoin] = [:]
  /// Returns the same statement for a read model that lacks tables and columns of the types; nil if
  /// there is none.
  var adapted: (@Sendable (Database) throws -> SQLFragment)?

  init(
    _ text: String, _ values: [DatabaseValue] = [], error: StoreError? = nil,
    reading collections: Set<String> = []
  ) {
    self.text = text
    self.values = values
    self.error = error
    self.collections = collections
  }

  /// Returns the statement, which has one question mark, with a text that a column holds.
  func binding(_ text: String) -> SQLFragment {
    let bound = SQLFragment(.text(text), of: .text, SQLFragment(""))
    var copy = self
    if bound.text != "?" { copy.text = copy.text.replacing("?", with: bound.text) }
    copy.values = bound.values
    return copy
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
    var sum = a
    sum.append(b)
    return sum
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
    include(other)
  }

  /// Takes over what another part needs, without its text.
  mutating func include(_ other: SQLFragment) {
    error = error ?? other.error
    collections.formUnion(other.collections)
    tables.merge(other.tables) { table, _ in table }
    joins.merge(other.joins) { join, _ in join }
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
