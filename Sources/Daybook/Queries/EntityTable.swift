import DaybookEngine
import DaybookEventCore
import DaybookLocks
import DaybookProjections

/// A table of a type in a statement.
///
/// A statement can read one collection in several places. Each place is a table of its own, whose
/// columns are never taken for those of another place.
struct EntityTable<Model: Entity>: Sendable {
  private let mark: TableMark
  /// Whether the table is joined to another one, and need not have a row for each of that.
  private let mayLackRow: Bool

  init() {
    mark = TableMark(EntityLayout<Model>.shared.table)
    mayLackRow = false
  }

  /// Makes the table of the entities that a column refers to.
  fileprivate init(of reference: ColumnPlace) {
    mark = reference.target(EntityLayout<Model>.shared.table)
    mayLackRow = true
  }

  /// The table as a part of `FROM`.
  var source: SQLFragment { SQLFragment(from: mark, EntityLayout<Model>.shared.shape) }

  var id: SQLFragment { column(quoted: "\"id\"") }

  /// The place of the id.
  private var idPlace: ColumnPlace { ColumnPlace(mark: mark, column: "\"id\"", field: nil) }

  /// The id as a column of a type.
  var idColumn: EntityColumn<Model, Model.ID> { EntityColumn(id, .text, place: idPlace) }

  /// Returns the column of a field.
  func column(named name: String) -> SQLFragment { column(quoted: Names.quoted(name)) }

  private func column(quoted name: String) -> SQLFragment {
    SQLFragment("\(mark.reference).\(name)", reading: [Model.collection])
  }

  /// Returns the column of a property, or one with an error if the property is not stored.
  func column<V>(of property: KeyPath<Model, V>) -> EntityColumn<Model, V> { column(property) }

  /// Returns the column of a property, or one with an error if the property is not stored.
  func column<V>(_ keyPath: PartialKeyPath<Model>, as type: V.Type = V.self)
    -> EntityColumn<Model, V>
  {
    let layout = EntityLayout<Model>.shared
    guard let place = layout.place(of: keyPath) else {
      if layout.isID(keyPath) { return EntityColumn(id, .text, place: idPlace) }
      var unknown = id
      unknown.error = StoreError(
        .invalidQuery, "\(Model.self) has no stored property \(keyPath)",
        hint: "Conditions know the properties in \(Model.self).fields, and id")
      return EntityColumn(unknown, .text)
    }
    let cases = layout.fields[place].cases
    var shown: ShownCases?
    if !cases.isEmpty, let value = layout.defaults[place] {
      shown = ShownCases(
        cases: cases, other: value,
        isIndexed: layout.fields[place].definition.attributes["index"] == .boolean(true),
        ranked: rankedCases(V.self).flatMap { $0 == cases ? nil : $0 })
    }
    return EntityColumn(
      shownColumn(place), layout.types[place], shown,
      place: ColumnPlace(mark: mark, column: layout.columns[place], field: place))
  }

  /// Returns the column of a field with the value that this version of the app gives to rows that
  /// have none.
  private func shownColumn(_ place: Int) -> SQLFragment {
    let layout = EntityLayout<Model>.shared
    let column = column(quoted: layout.columns[place])
    guard let preset = layout.unshownDefault(place) else { return column }
    let bound = SQLFragment(preset, of: layout.types[place], column)
    let shown = "ifnull(" + column + ", " + bound + ")"
    return mayLackRow ? "iif(" + id + " IS NULL, NULL, " + shown + ")" : shown
  }

  /// Returns the value that a column of this table's rows has for an entity, which need not be in
  /// the table.
  func value(of column: SQLFragment, for model: Model) throws -> SQLFragment {
    let layout = EntityLayout<Model>.shared
    let needed = column.text + column.joins.values.map(\.text).joined()
    func isNeeded(_ name: String) -> Bool { needed.contains("\(mark.reference).\(name)") }
    var cells = [SQLFragment(.text(model.id.rawValue), of: .text, id) + " AS \"id\""]
    for (place, name) in layout.columns.enumerated() where isNeeded(name) {
      let value = try layout.fields[place].value(model)
      let cell = SQLFragment(value, of: layout.types[place], self.column(quoted: name))
      cells.append(cell + " AS \(name)")
    }
    let row = "(SELECT " + cells.joined(", ") + ") AS \(mark.reference)"
    return "(SELECT " + column + " FROM " + row + column.joins(of: mark) + ")"
  }

  /// Whether a column is one of this table, as it stands there.
  func has(_ place: ColumnPlace) -> Bool { place.mark.number == mark.number }

  /// Returns a statement, or a part of one, in which this table has its own name.
  func named(_ fragment: SQLFragment) -> SQLFragment { fragment.named(first: mark) }
}

/// Where a column stands: which one of which table of a statement.
struct ColumnPlace: Sendable {
  fileprivate let mark: TableMark
  /// The column, as SQL has it.
  fileprivate let column: String
  /// The place of its field; nil for the id.
  let field: Int?

  /// The mark of the table of the entities that the column refers to. It is the same for each use
  /// of the column in a statement.
  fileprivate func target(_ table: String) -> TableMark {
    TableMark(table, number: "\(mark.number).\(field.map(String.init) ?? "id")")
  }

  /// Returns a column of the entity that this column refers to; NULL if there is none.
  /// - Parameter fragment: this column.
  func followed<Target: Entity, V>(_ keyPath: PartialKeyPath<Target>, from fragment: SQLFragment)
    -> EntityColumn<Target, V>
  {
    let table = EntityTable<Target>(of: self)
    var column: EntityColumn<Target, V> = table.column(keyPath)
    let target = target(EntityLayout<Target>.shared.table)
    column.fragment.joins[target.number] = TableJoin(
      owner: mark.number,
      text: " LEFT JOIN \(target.source) ON \(target.reference).\"id\" = "
        + "\(mark.reference).\(self.column)")
    column.fragment.tables.merge(table.source.tables) { table, _ in table }
    column.fragment.include(fragment)
    column.isFollowed = true
    return column
  }
}

/// A table that stands beside another one, because a column of that refers to its entities.
struct TableJoin: Sendable {
  /// The number of the other table's mark.
  let owner: String
  /// What follows the other table in `FROM`.
  let text: String
}

extension SQLFragment {
  /// A table as a part of `FROM`.
  init(from mark: TableMark, _ shape: TableShape) {
    self.init(mark.source, reading: [shape.collection])
    tables = [mark.number: shape]
  }
}

/// Stands for a table in the text of a fragment until the whole statement is known.
///
/// Only then it can be said which names are free. A name depends on the statement alone, so that
/// equal queries are equal statements.
struct TableMark: Sendable {
  /// What is before and behind a mark. As values are bound, no other part of a statement has it.
  private static let border = "\u{1}"
  private static let latest = Mutex(0)

  /// Tells the mark from others. That of a table beside another one begins with that one's.
  fileprivate let number: String
  /// The name of the table, as SQL has it.
  fileprivate let table: String
  fileprivate let isSource: Bool

  /// Makes a mark that differs from all others.
  init(_ table: String) {
    self.table = table
    isSource = false
    number = String(
      Self.latest.withLock { value in
        value += 1
        return value
      })
  }

  fileprivate init(_ table: String, number: String) {
    (self.table, self.number, isSource) = (table, number, false)
  }

  private init?(_ text: Substring) {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3 else { return nil }
    (number, table, isSource) = (String(parts[1]), String(parts[2]), parts[0] == "from")
  }

  /// Stands for the table in `FROM`, where it gets its name.
  var source: String { "\(Self.border)from \(number) \(table)\(Self.border)" }

  /// Stands for the table before the name of a column.
  var reference: String { "\(Self.border)of \(number) \(table)\(Self.border)" }

  /// Returns the name of the table where it is the `count`th one of its collection. Such a name
  /// has a blank, and so no collection has it.
  fileprivate func name(_ count: Int) -> String {
    count == 1 ? table : "\(table.dropLast()) \(count)\""
  }

  /// Returns the parts of a text: the odd ones are marks.
  fileprivate static func parts(_ text: String) -> [(text: Substring, mark: TableMark?)] {
    guard text.utf8.contains(1) else { return [(text[...], nil)] }
    return text.split(separator: border, omittingEmptySubsequences: false).enumerated().map {
      ($1, $0 % 2 == 1 ? TableMark($1) : nil)
    }
  }
}

extension SQLFragment {
  /// Returns the fragment with a name for each table: that of its collection, or a longer one where
  /// the collection is there already.
  /// - Parameter first: a table that has the name of its collection, even if only columns of it
  ///   occur.
  func named(first: TableMark) -> SQLFragment {
    let whole = withJoins
    var result = whole.named(first, [:])
    result.adapted = { db in whole.named(first, try whole.replacements(db)) }
    return result
  }

  /// The fragment with the tables beside each table.
  private var withJoins: SQLFragment {
    guard !joins.isEmpty else { return self }
    var copy = self
    copy.text = TableMark.parts(text).map { text, mark in
      guard let mark else { return String(text) }
      guard mark.isSource else { return mark.reference }
      // Tables beside others are there already, with those beside them.
      return joins[mark.number] == nil ? mark.source + joins(of: mark) : mark.source
    }.joined()
    return copy
  }

  /// Returns the tables beside a table, and those beside these, as they follow it in `FROM`.
  fileprivate func joins(of mark: TableMark) -> String { joins(of: mark.number) }

  private func joins(of number: String) -> String {
    // In an order that depends on the columns alone, so that equal queries are equal statements.
    joins.filter { $0.value.owner == number }.sorted { $0.key < $1.key }
      .map { $0.value.text + joins(of: $0.key) }.joined()
  }

  private func named(_ first: TableMark, _ replacements: [String: SQLFragment]) -> SQLFragment {
    var names = [first.number: first.table]
    var counts = [first.table: 1]
    var read: Set<String> = [first.number]
    var result = SQLFragment("", error: error, reading: collections)
    var values = values[...]
    let parts = TableMark.parts(text)
    for case (_, let mark?) in parts where mark.isSource { read.insert(mark.number) }
    for (text, mark) in parts {
      guard let mark else {
        result.text += text
        let count = text.utf8.count { $0 == UInt8(ascii: "?") }
        result.values += values.prefix(count)
        values = values.dropFirst(count)
        continue
      }
      if !read.contains(mark.number) {
        result.error = result.error ?? Self.foreign(mark.table)
      }
      if names[mark.number] == nil {
        counts[mark.table, default: 0] += 1
        names[mark.number] = mark.name(counts[mark.table] ?? 1)
      }
      let name = names[mark.number] ?? mark.table
      if mark.isSource, let replacement = replacements[mark.number] {
        result.append(replacement + " AS \(name)")
      } else {
        result.text += mark.isSource && name != mark.table ? "\(mark.table) AS \(name)" : name
      }
    }
    return result
  }

  private static func foreign(_ table: String) -> StoreError {
    StoreError(
      .invalidQuery, "a condition names a column of \(table) in another query",
      hint: "Use the columns that the closure of the condition is given")
  }

  /// The fragment as a message says it: each table has the name of its collection.
  var shown: String {
    TableMark.parts(text).map { $1.map(\.table) ?? String($0) }.joined()
  }
}
