import EventCore
import Projections
import Synchronization

/// A table of a type in a statement.
///
/// A statement can read one collection in several places. Each place is a table of its own, whose
/// columns are never taken for those of another place.
struct EntityTable<Model: Entity>: Sendable {
  private let mark = TableMark(EntityLayout<Model>.shared.table)

  /// The table as a part of `FROM`.
  var source: SQLFragment { SQLFragment(from: mark, EntityLayout<Model>.shared.shape) }

  var id: SQLFragment { column(quoted: "\"id\"") }

  /// Returns the column of a field.
  func column(named name: String) -> SQLFragment { column(quoted: Names.quoted(name)) }

  private func column(quoted name: String) -> SQLFragment {
    SQLFragment("\(mark.reference).\(name)", reading: [Model.collection])
  }

  /// Returns the column of a property, or one with an error if the property is not stored.
  func column<V>(_ keyPath: PartialKeyPath<Model>, as type: V.Type = V.self)
    -> EntityColumn<Model, V>
  {
    let layout = EntityLayout<Model>.shared
    guard let place = layout.place(of: keyPath) else {
      if layout.isID(keyPath) { return EntityColumn(id, .text) }
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
        isIndexed: layout.fields[place].definition.attributes["index"] == .boolean(true))
    }
    var column = self.column(quoted: layout.columns[place])
    if let preset = layout.unshownDefault(place) {
      let bound = SQLFragment(preset, of: layout.types[place], column)
      column = "ifnull(" + column + ", " + bound + ")"
    }
    return EntityColumn(column, layout.types[place], shown)
  }

  /// Returns a statement, or a part of one, in which this table has its own name.
  func named(_ fragment: SQLFragment) -> SQLFragment { fragment.named(first: mark) }
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
  private static let latest = Atomic(0)

  fileprivate let number: Int
  /// The name of the table, as SQL has it.
  fileprivate let table: String
  fileprivate let isSource: Bool

  /// Makes a mark that differs from all others.
  init(_ table: String) {
    self.table = table
    isSource = false
    number = Self.latest.wrappingAdd(1, ordering: .relaxed).newValue
  }

  private init?(_ text: Substring) {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let number = Int(parts[1]) else { return nil }
    (self.number, table, isSource) = (number, String(parts[2]), parts[0] == "from")
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
    var result = named(first, [:])
    result.adapted = { db in named(first, try replacements(db)) }
    return result
  }

  private func named(_ first: TableMark, _ replacements: [Int: SQLFragment]) -> SQLFragment {
    var names = [first.number: first.table]
    var counts = [first.table: 1]
    var read: Set<Int> = [first.number]
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
