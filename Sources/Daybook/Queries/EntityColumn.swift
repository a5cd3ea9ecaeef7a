import EventCore
import Foundation
import GRDB
import JSON
import Projections

/// The fields of a type in a condition: `Note.where { $0.pinned && $0.title.hasPrefix("A") }`.
@dynamicMemberLookup
public struct EntityColumns<Model: Entity>: Sendable {
  private let table: EntityTable<Model>

  init(_ table: EntityTable<Model>) { self.table = table }

  /// The id of the entity.
  public var id: EntityColumn<Model, Model.ID> { table.idColumn }

  /// The field of a property.
  ///
  /// A property that is not stored, such as a computed one, makes the query fail with
  /// ``StoreError`` `invalidQuery`.
  public subscript<V>(dynamicMember keyPath: KeyPath<Model, V>) -> EntityColumn<Model, V> {
    table.column(keyPath)
  }
}

/// A field of a type in a condition.
///
/// A field that refers to an entity of another type has the fields of that type, too:
/// `Note.where { $0.folder.name == "Inbox" }`.
@dynamicMemberLookup
public struct EntityColumn<Model: Entity, V>: Sendable {
  var fragment: SQLFragment
  let type: FieldType
  /// Where the column stands; nil for what is computed.
  var place: ColumnPlace?
  /// Whether the column is one of an entity that is referred to, and NULL if there is none.
  var isFollowed = false
  /// Whether texts are compared without case and across Unicode's forms.
  var isFolded = false
  /// What the property shows, if it is an enumeration that lists its cases.
  private let cases: ShownCases?

  init(
    _ fragment: SQLFragment, _ type: FieldType, _ cases: ShownCases? = nil,
    place: ColumnPlace? = nil
  ) {
    self.fragment = fragment
    self.type = type
    self.cases = cases
    self.place = place
  }

  /// Makes a column of another table in a condition on this type.
  init<Other: Entity, W>(_ other: EntityColumn<Other, W>) {
    fragment = other.fragment
    type = other.type
    place = other.place
    isFollowed = other.isFollowed
    isFolded = other.isFolded
    cases = other.cases
  }

  /// A value that the column is compared with.
  func bound(_ value: Value) -> SQLFragment {
    guard isFolded, case .text(let text) = value else {
      return SQLFragment(value, of: type, fragment)
    }
    return SQLFragment(.text(CaseFolding.folded(text)), of: type, fragment)
  }

  private func compared(_ comparison: String, _ value: Value) -> EntityCondition<Model> {
    EntityCondition(fragment + " \(comparison) " + bound(value))
  }

  /// Whether the column holds a value; NULL equals NULL, as nil equals nil.
  fileprivate func equals(_ value: Value) -> EntityCondition<Model> {
    let isIt =
      value == .null ? EntityCondition(fragment + " IS NULL") : compared("=", value)
    guard let unknown = unknownCases(shownAs: [value]) else { return isIt }
    return EntityCondition("(" + isIt.fragment + " OR " + unknown + ")")
  }

  fileprivate func differs(_ value: Value) -> EntityCondition<Model> {
    guard unknownCases(shownAs: [value]) == nil else { return !equals(value) }
    return value == .null
      ? EntityCondition(fragment + " IS NOT NULL") : compared("IS NOT", value)
  }

  fileprivate func ordered(
    _ comparison: String, _ value: some FieldValue
  ) -> EntityCondition<Model> {
    let stored = value.storedValue
    guard stored != .null else { return EntityCondition(SQLFragment("0")) }
    guard let date = value as? Date, case .timestamp(let milliseconds) = stored,
      milliseconds > .min, date != .distantPast
    else { return compared(comparison, stored) }
    // A date may lie between two that a field can hold, and no field holds it.
    let nearest = Date(milliseconds: milliseconds)
    if nearest < date { return compared(comparison.hasPrefix("<") ? "<=" : ">", stored) }
    if nearest > date { return compared(comparison.hasPrefix("<") ? "<" : ">=", stored) }
    return compared(comparison, stored)
  }

  fileprivate func isIn(_ values: [Value]) -> EntityCondition<Model> {
    let bound = values.filter { $0 != .null }.map(bound)
    var condition = isOne(of: bound)
    if values.contains(.null) { condition = "(" + condition + " OR " + fragment + " IS NULL)" }
    if let unknown = unknownCases(shownAs: values) {
      condition = "(" + condition + " OR " + unknown + ")"
    }
    return EntityCondition(condition)
  }

  private func isOne(of values: [SQLFragment]) -> SQLFragment {
    guard values.count > listMax else { return fragment + " IN (" + values.joined(", ") + ")" }
    // SQLite binds a limited number of values, but one text can list any number. Numbers with a
    // fraction, bytes, and texts with NUL are not what JSON gives back on every platform.
    var list = JSONWriter()
    var others: [SQLFragment] = []
    list.array { list in
      for value in values {
        switch value.text == "?" ? value.values.first?.storage : nil {
        case .int64(let integer): list.integer(integer)
        case .string(let text): list.text(text)
        default: others.append(value)
        }
      }
    }
    let listed = SQLFragment("?", [list.string.databaseValue])
    let condition = fragment + " IN (SELECT value FROM json_each(" + listed + "))"
    guard !others.isEmpty else { return condition }
    return "(" + condition + " OR " + fragment + " IN (" + others.joined(", ") + "))"
  }

  /// Returns the condition that the column holds a case that the property does not know, if the
  /// property shows one of these values then; nil if it shows another, or knows every case.
  private func unknownCases(shownAs values: [Value]) -> SQLFragment? {
    guard let cases, values.contains(cases.other) else { return nil }
    let bound = cases.cases.map { SQLFragment($0, of: type, fragment) }
    guard cases.isIndexed, bound.count <= ShownCases.rangesMax, let first = bound.first,
      let last = bound.last
    else { return fragment + " NOT IN (" + bound.joined(", ") + ")" }
    // What is between the cases, as ranges that an index serves. SQLite would rather read the whole
    // table if it did not know that hardly any row is there.
    func rare(_ comparison: String, _ value: SQLFragment) -> SQLFragment {
      "likelihood(" + fragment + " \(comparison) " + value + ", 0.0001)"
    }
    let between = zip(bound, bound.dropFirst()).map { rare(">", $0) + " AND " + rare("<", $1) }
    return ([rare("<", first)] + between + [rare(">", last)]).joined(" OR ")
  }

  /// The column as the property shows it: the default takes the place of an unknown case.
  var shown: SQLFragment {
    guard let cases else { return fragment }
    let bound = cases.cases.map { SQLFragment($0, of: type, fragment) }
    let other =
      cases.other == .null ? SQLFragment("NULL") : SQLFragment(cases.other, of: type, fragment)
    let known = fragment + " IN (" + bound.joined(", ") + ")"
    // An entity that is not there has no case.
    let isShown = isFollowed ? known + " OR " + fragment + " IS NULL" : known
    return "CASE WHEN " + isShown + " THEN " + fragment + " ELSE " + other + " END"
  }
}

/// The most values that a condition lists one by one.
private let listMax = 1000

/// What a property shows that is an enumeration and lists its cases.
struct ShownCases: Sendable {
  /// The most cases for which the rest is written as ranges.
  static let rangesMax = 16

  /// The values that the property can show, in the order of SQLite.
  let cases: [Value]
  /// The value that it shows for any other.
  let other: Value
  /// Whether the field has an index of its own.
  let isIndexed: Bool
}

// MARK: - Comparisons

extension EntityColumn where V: FieldValue {
  /// Whether the field holds a value. nil equals nil.
  public static func == (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.equals(value.storedValue)
  }

  /// Whether the field holds something else than a value. nil differs from every value.
  public static func != (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.differs(value.storedValue)
  }

  /// Whether the field holds the same as another one, of this type or of one around it.
  public static func == <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.shown + " IS " + other.shown) }

  /// Whether the field holds something else than another one, of this type or of one around it.
  public static func != <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.shown + " IS NOT " + other.shown) }

  /// Whether the field holds the same as an optional one; false if that holds nothing.
  public static func == <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V?>
  ) -> EntityCondition<Model> { EntityCondition(column.shown + " IS " + other.shown) }

  /// Whether the field holds something else than an optional one, or that holds nothing.
  public static func != <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V?>
  ) -> EntityCondition<Model> { EntityCondition(column.shown + " IS NOT " + other.shown) }

  /// Whether the field holds one of these values.
  public func `in`(_ values: some Sequence<V>) -> EntityCondition<Model> {
    isIn(values.map(\.storedValue))
  }
}

/// Comparisons sort texts by their bytes, and are false if a field holds nothing.
extension EntityColumn where V: FieldValue & Comparable {
  /// Whether the field holds less than a value.
  public static func < (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.ordered("<", value)
  }

  /// Whether the field holds a value or less.
  public static func <= (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.ordered("<=", value)
  }

  /// Whether the field holds more than a value.
  public static func > (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.ordered(">", value)
  }

  /// Whether the field holds a value or more.
  public static func >= (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.ordered(">=", value)
  }

  /// Whether the field holds less than another field.
  public static func < <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.fragment + " < " + other.fragment) }

  /// Whether the field holds no more than another field.
  public static func <= <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.fragment + " <= " + other.fragment) }

  /// Whether the field holds more than another field.
  public static func > <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.fragment + " > " + other.fragment) }

  /// Whether the field holds no less than another field.
  public static func >= <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.fragment + " >= " + other.fragment) }

  /// Whether the field's value lies in a range.
  public func `in`(_ range: ClosedRange<V>) -> EntityCondition<Model> {
    self >= range.lowerBound && self <= range.upperBound
  }

  /// Whether the field's value lies in a range.
  public func `in`(_ range: Range<V>) -> EntityCondition<Model> {
    self >= range.lowerBound && self < range.upperBound
  }
}

/// Comparisons sort texts by their bytes, and are false if a field holds nothing.
extension EntityColumn {
  /// Whether the field holds less than a value; false if it holds nothing.
  public static func < <W: FieldValue & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W? { column.ordered("<", value) }

  /// Whether the field holds a value or less; false if it holds nothing.
  public static func <= <W: FieldValue & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W? { column.ordered("<=", value) }

  /// Whether the field holds more than a value; false if it holds nothing.
  public static func > <W: FieldValue & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W? { column.ordered(">", value) }

  /// Whether the field holds a value or more; false if it holds nothing.
  public static func >= <W: FieldValue & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W? { column.ordered(">=", value) }
}

/// Enumerations, and other types with raw values.
extension EntityColumn {
  /// Whether the field holds this case of its enumeration.
  @_disfavoredOverload
  public static func == (column: EntityColumn, value: V) -> EntityCondition<Model>
  where V: RawRepresentable & Codable, V.RawValue: FieldValue {
    column.equals(value.rawValue.storedValue)
  }

  /// Whether the field does not hold this case of its enumeration.
  @_disfavoredOverload
  public static func != (column: EntityColumn, value: V) -> EntityCondition<Model>
  where V: RawRepresentable & Codable, V.RawValue: FieldValue {
    column.differs(value.rawValue.storedValue)
  }

  /// Whether the field holds a case, or nothing if the case is nil.
  @_disfavoredOverload
  public static func == <W: RawRepresentable & Codable>(
    column: EntityColumn, value: W?
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    column.equals(value?.rawValue.storedValue ?? .null)
  }

  /// Whether the field holds something else than a case, or something if the case is nil.
  @_disfavoredOverload
  public static func != <W: RawRepresentable & Codable>(
    column: EntityColumn, value: W?
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    column.differs(value?.rawValue.storedValue ?? .null)
  }

  /// Whether the field holds one of these values.
  @_disfavoredOverload
  public func `in`(_ values: some Sequence<V>) -> EntityCondition<Model>
  where V: RawRepresentable & Codable, V.RawValue: FieldValue {
    isIn(values.map(\.rawValue.storedValue))
  }
}

// MARK: - Arrays

extension EntityColumn {
  /// Whether the array, which is stored as JSON, contains an element.
  public func contains<Element: FieldValue>(_ element: Element) -> EntityCondition<Model>
  where V == [Element] {
    EntityCondition(containing(element))
  }

  /// Whether the array, which is stored as JSON, contains an element.
  public func contains<Element: FieldValue>(_ element: Element) -> EntityCondition<Model>
  where V == [Element]? {
    EntityCondition(containing(element))
  }

  /// Whether the array contains an element that is the same as JSON.
  private func containing(_ element: some FieldValue) -> SQLFragment {
    let condition: SQLFragment
    switch jsonElement(element) {
    case .null: condition = SQLFragment("element.type = 'null'")
    case .boolean(let value): condition = SQLFragment("element.type = '\(value)'")
    case .integer(let value): condition = same(.integer(value), .integer)
    case .real(let value): condition = same(.real(value), .real)
    case .text(let text): condition = same(text)
    default:
      condition = SQLFragment(
        "0",
        error: StoreError(
          .invalidQuery, "\(fragment.shown) cannot be searched for \(element.storedValue.shown)",
          hint: "Arrays of what JSON has as texts, numbers and booleans can be searched"))
    }
    return "EXISTS (SELECT 1 FROM json_each(" + fragment + ") AS element WHERE " + condition + ")"
  }

  private func same(_ number: Value, _ type: FieldType) -> SQLFragment {
    // true is 1 in SQL, but another type in JSON.
    "element.type IN ('integer', 'real') AND element.value = "
      + SQLFragment(number, of: type, fragment)
  }

  private func same(_ text: String) -> SQLFragment {
    // SQLite ends a text of JSON at its first NUL, so such texts are compared as JSON has them.
    let json = fragment + " -> element.fullkey"
    var writer = JSONWriter()
    writer.text(text)
    let quoted = SQLFragment(.text(writer.string), of: .text, fragment)
    guard !text.utf8.contains(0) else { return json + " = " + quoted }
    let bound = SQLFragment(.text(text), of: .text, fragment)
    let isWhole = "(instr(" + json + ", '\\u0000') = 0 OR " + json + " = " + quoted + ")"
    return "element.type = 'text' AND element.value = " + bound + " AND " + isWhole
  }
}

/// Returns an element of an array as JSON has it; nil if it cannot be encoded.
private func jsonElement(_ element: some FieldValue) -> JSONValue? {
  func encoded(_ element: some Encodable) -> Value? { try? Value(encoding: [element]) }
  guard let element = element as? any Encodable, case .json(let bytes)? = encoded(element),
    case .array(let elements)? = try? JSONParser.parse(bytes)
  else { return nil }
  return elements.first
}
