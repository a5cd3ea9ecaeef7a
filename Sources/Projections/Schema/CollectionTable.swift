import DaybookEventCore

/// The numbers of the collections that have fields whose numbers are not yet saved in the database.
final class UnsavedFields {
  var tables: Set<Int> = []
}

/// One collection as the read model holds it: its number, its fields' numbers and, if it is
/// declared, its table.
final class CollectionTable {
  struct Column {
    /// The field's number.
    let field: Int
    let schema: FieldSchema
  }

  /// A rule that no two live entities show the same values in some columns.
  struct UniqueRule {
    /// The number under which claims are kept: that of the field or, for several columns, of a
    /// field that has the names of all, between commas.
    let number: Int
    /// Indexes into the table's columns.
    let columns: [Int]
    let uniqueness: Uniqueness
    /// Of each of these columns, whether its texts are compared by their keys.
    let isFolded: [Bool]
  }

  let number: Int
  /// The collection's name in internal tables: see ``CollectionIdentity``.
  let identity: String
  /// The name by which users know the collection.
  let name: String
  let isLocal: Bool
  /// The table's name in the database.
  private(set) var tableName: String
  private(set) var schema: CollectionSchema?
  /// The SQL that reads and writes the table.
  private(set) var statements = TableStatements()
  /// The table's columns after `id`.
  private(set) var columns: [Column] = []
  private(set) var fieldNames: [String] = []
  private var fieldNumbers: [String: Int] = [:]
  /// By field number, the index of the field's column; fields beyond the end have none.
  private var columnIndexes: [Int?] = []
  var columnNames: Set<String> = []
  /// Fields whose numbers are not yet saved in the database.
  private(set) var unsavedFields: [Int] = []
  private let unsaved: UnsavedFields

  init(number: Int, identity: String, fieldNames: [String], _ unsaved: UnsavedFields) {
    self.unsaved = unsaved
    self.number = number
    self.identity = identity
    name = CollectionIdentity.name(identity)
    isLocal = CollectionIdentity.isLocal(identity)
    tableName = name
    for field in fieldNames { add(field: field) }
    unsavedFields = []
  }

  var isDeclared: Bool { schema != nil }

  /// Returns a copy with the same fields and their numbers, without a schema.
  func copy() -> CollectionTable {
    CollectionTable(
      number: number, identity: identity, fieldNames: fieldNames, UnsavedFields())
  }

  /// Returns the number of a field, from 0; assigns the next number to a new field.
  func number(ofField name: String) -> Int {
    if let number = fieldNumbers[name] { return number }
    add(field: name)
    return fieldNames.count - 1
  }

  func knownNumber(ofField name: String) -> Int? { fieldNumbers[name] }

  private func add(field name: String) {
    let number = fieldNames.count
    fieldNames.append(name)
    fieldNumbers[name] = number
    unsavedFields.append(number)
    unsaved.tables.insert(self.number)
  }

  func markFieldsSaved() { unsavedFields = [] }

  /// Sets the schema, and derives columns and SQL from it.
  /// - Parameters:
  ///   - schema: nil if the collection is not declared.
  ///   - table: the table's name if it is not the collection's. Such a table has no search index,
  ///     and nothing in it is parked or cut.
  func setSchema(_ schema: CollectionSchema?, table: String? = nil) {
    self.schema = schema
    tableName = table ?? name
    columns = (schema?.fields ?? []).map {
      Column(field: number(ofField: $0.identity), schema: $0)
    }
    columnNames = Set(columns.map(\.schema.name))
    columnIndexes = Array(repeating: nil, count: fieldNames.count)
    for (index, column) in columns.enumerated() { columnIndexes[column.field] = index }
    searchColumns =
      table == nil ? columns.indices.filter { columns[$0].schema.searchWeight != nil } : []
    presets = columns.map(\.schema.defaultCell)
    canFeedInserts = !columns.contains {
      $0.schema.searchWeight != nil && $0.schema.defaultValue != nil
    }
    keptColumns = columns.indices.filter { columns[$0].schema.kept != nil }
    uniqueRules = table == nil ? rules(schema) : []
    treeColumns = table == nil ? columns.indices.filter { columns[$0].schema.isTree } : []
    statements = TableStatements(self)
  }

  func column(ofField field: Int) -> Int? {
    columnIndexes.indices.contains(field) ? columnIndexes[field] : nil
  }

  /// Indexes into `columns` of the searched fields.
  private(set) var searchColumns: [Int] = []
  /// Whether a column with a value shows its default.
  func showsPreset(_ value: Value?, _ column: Column) -> Bool {
    value == nil || value == .null && !column.schema.isNullable
  }

  /// What each column holds if the entity has no value for it.
  private(set) var presets: [Cell] = []
  /// Whether a rebuild can write an entity that was inserted and never touched again without
  /// folding it. If the search index would have a default, it cannot, because that index reads the
  /// operations.
  private(set) var canFeedInserts = true
  /// Whether every column shows what authors have written to it, and nothing else.
  var isPlain: Bool { keptColumns.isEmpty && presets.allSatisfy { $0 == .null } }
  /// Indexes into `columns` of the fields that the store keeps.
  private(set) var keptColumns: [Int] = []
  private(set) var uniqueRules: [UniqueRule] = []
  private(set) var treeColumns: [Int] = []
  /// Whether an entity can be part of a tree without a row to be found by.
  var canParkMembers: Bool { !uniqueRules.isEmpty && !treeColumns.isEmpty }
  /// Returns whether other entities depend on what the column shows.
  func hasRule(_ index: Int) -> Bool {
    let field = columns[index].schema
    if field.isUnique || field.isTree { return true }
    let sets = schema?.uniqueSets ?? []
    if sets.contains(where: { $0.fields.contains(field.identity) }) { return true }
    return schema?.isRelationship == true
      && (field.identity == "source" || field.identity == "target")
  }

  private func rules(_ schema: CollectionSchema?) -> [UniqueRule] {
    var rules = columns.indices.compactMap { index in
      columns[index].schema.uniqueness.map { rule(columns[index].field, [index], $0) }
    }
    for set in schema?.uniqueSets ?? [] {
      let indexes = set.fields.compactMap { identity in
        columns.firstIndex { $0.schema.identity == identity }
      }
      let number = number(ofField: set.fields.joined(separator: ","))
      // A field that is unique by itself and as a set of one has one rule. The rule without case
      // includes the other one.
      let same = rules.firstIndex { $0.number == number }
      let made = rule(number, indexes, set.uniqueness)
      if let same {
        if set.uniqueness == .folded { rules[same] = made }
      } else {
        rules.append(made)
      }
    }
    return rules
  }

  private func rule(_ number: Int, _ columns: [Int], _ uniqueness: Uniqueness) -> UniqueRule {
    UniqueRule(
      number: number, columns: columns, uniqueness: uniqueness,
      isFolded: columns.map {
        uniqueness == .folded && self.columns[$0].schema.type == .text
      })
  }

  /// Returns what a column shows of these values, if no other entity has a part in it.
  /// - Parameter values: by field number.
  func shownCell(_ index: Int, _ values: [Int: Value]) -> Cell {
    let column = columns[index]
    let value = values[column.field]
    guard !showsPreset(value, column), let value,
      let cell = column.schema.type.cell(for: value)?.cell
    else { return presets[index] }
    return cell
  }

  /// Whether what an entity shows can depend on other entities.
  var hasRules: Bool { !uniqueRules.isEmpty || !treeColumns.isEmpty }

  // MARK: - Names in SQL

  var quotedName: String { Names.quoted(tableName) }
  /// The name of the FTS5 table. It does not contain a name that users choose: FTS5 makes tables
  /// named after this one with a suffix, which might be another collection's.
  var searchName: String { Self.searchName(number) }
  static func searchName(_ collection: Int) -> String { "_daybook_search_\(collection)" }
  /// The view from which FTS5 reads texts; FTS5 refuses some column names that fields may have.
  var searchedName: String { Self.searchedName(number) }
  static func searchedName(_ collection: Int) -> String { "_daybook_searched_\(collection)" }

  /// Returns FTS5's name of a searched column.
  /// - Parameter place: the column's index among the searched ones.
  static func searchColumn(_ place: Int) -> String { "c\(place)" }
}
