import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import Foundation
import GRDB

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
  func equals(_ value: Value) -> EntityCondition<Model> {
    let isIt =
      value == .null ? EntityCondition(fragment + " IS NULL") : compared("=", value)
    guard let unknown = unknownCases(shownAs: [value]) else { return isIt }
    return EntityCondition("(" + isIt.fragment + " OR " + unknown + ")")
  }

  func differs(_ value: Value) -> EntityCondition<Model> {
    guard unknownCases(shownAs: [value]) == nil else { return !equals(value) }
    return value == .null
      ? EntityCondition(fragment + " IS NOT NULL") : compared("IS NOT", value)
  }

  func ordered(
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

  /// Whether the column holds one of these values.
  /// - Parameter isListed: whether the statement is the same for any number of values.
  func isIn(_ values: [Value], isListed: Bool = false) -> EntityCondition<Model> {
    let bound = values.filter { $0 != .null }.map(bound)
    var condition = isOne(of: bound, isListed: isListed || bound.count > listMax)
    if values.contains(.null) { condition = "(" + condition + " OR " + fragment + " IS NULL)" }
    if let unknown = unknownCases(shownAs: values) {
      condition = "(" + condition + " OR " + unknown + ")"
    }
    return EntityCondition(condition)
  }

  private func isOne(of values: [SQLFragment], isListed: Bool) -> SQLFragment {
    guard isListed else { return fragment + " IN (" + values.joined(", ") + ")" }
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
    let bound = cases.cases.map { self.bound($0) }
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
    let bound = cases.cases.map { self.bound($0) }
    let other = cases.other == .null ? SQLFragment("NULL") : self.bound(cases.other)
    let known = fragment + " IN (" + bound.joined(", ") + ")"
    // An entity that is not there has no case.
    let isShown = isFollowed ? known + " OR " + fragment + " IS NULL" : known
    return "CASE WHEN " + isShown + " THEN " + fragment + " ELSE " + other + " END"
  }
}

extension EntityColumn {
  /// What rows are sorted by: the column as it is shown or, of an enumeration whose cases have
  /// another order than their raw values, the place of the case.
  var sorting: SQLFragment {
    guard let ranked = cases?.ranked else { return shown }
    let places = ranked.indices.map { " WHEN " + bound(ranked[$0]) + " THEN \($0)" }
    return "CASE " + shown + places.joined("") + " END"
  }

  /// Returns what a value of the property is sorted by.
  func sorting(_ value: Value) -> Value {
    guard let ranked = cases?.ranked else { return value }
    return ranked.firstIndex(of: value).map { .integer(Int64($0)) } ?? .null
  }

  /// The type of what rows are sorted by.
  var sortingType: FieldType { cases?.ranked == nil ? type : .integer }
}

/// The most values that a condition lists one by one.
private let listMax = 1000
