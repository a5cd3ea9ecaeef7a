package import DaybookEventCore
package import DaybookProjections

/// A CSV file as a collection, with a field for each column and an entity for each row.
///
/// ```swift
/// var table = try CSVTable(header: header, collection: "books", id: "isbn")
/// for record in records { try table.observe(record) }     // infers the types
/// try tx.define(table.definition)
/// for record in records {
///   try tx.insert(table.collection, try table.id(of: record) ?? …, try table.fields(of: record))
/// }
/// ```
package struct CSVTable: Sendable {
  package struct Column: Hashable, Sendable {
    /// The heading of the column in the file.
    package var heading: String
    /// The name of the field; nil for the column of the ids.
    package var field: String?
    /// The type declared in the store or by the caller; nil if it is inferred from the values.
    package var declared: FieldType?
    package var inference: ColumnInference

    package var type: FieldType { declared ?? inference.type }
  }

  package let collection: String
  package let isRelationship: Bool
  /// Whether the collection is local, that is, never synced.
  package let isLocal: Bool
  package private(set) var columns: [Column]
  /// The index of the column whose cells are the ids; nil if there is none.
  package let idColumn: Int?
  /// Whether the ids are derived from a key that the store defines for the collection.
  package let isKeyed: Bool
  package private(set) var rowCount = 0
  /// The number of timestamps, in columns declared as such, that lose a part below the millisecond.
  package private(set) var finerTimestamps = 0
  /// The line of the header, counted from 1.
  package let line: Int
  private let search: SearchableFields
  private let hasDecimalComma: Bool
  /// Whether the store already has the collection.
  private let isKnown: Bool

  /// Creates a table from a header.
  /// - Parameters:
  ///   - header: the first record of the file.
  ///   - collection: the name of the collection.
  ///   - isRelationship: whether a new collection is a relationship.
  ///   - isLocal: whether a new collection is local.
  ///   - id: the heading of the column whose cells are the ids. If it is nil, the column `id` is
  ///     used, if there is one.
  ///   - types: the types of columns or fields whose types are not to be inferred.
  ///   - search: which fields become searchable.
  ///   - hasDecimalComma: whether numbers have a comma before their decimals, and no point.
  ///   - declared: the collection in the store, if it exists; its types apply.
  /// - Throws: ``CSVError`` `unknownColumn` if `id`, a key of `types` or a field in `search`
  ///   matches no column.
  package init(
    header: CSVRecord, collection: String, isRelationship: Bool = false,
    isLocal: Bool = false, id: String? = nil,
    types: [String: FieldType] = [:], search: SearchableFields = .automatic,
    hasDecimalComma: Bool = false, declared: CollectionSchema? = nil
  ) throws(CSVError) {
    let headings = header.cells.map(\.text)
    let idColumn =
      id.map { name in headings.firstIndex { $0 == name } }
      ?? headings.firstIndex { Names.folded($0) == "id" }
    if let id, idColumn == nil { throw Self.unknown(id, headings, header) }
    self.collection = collection
    self.search = search
    self.hasDecimalComma = hasDecimalComma
    isKnown = declared != nil
    self.isRelationship = declared?.isRelationship ?? isRelationship
    self.isLocal = declared?.isLocal ?? isLocal
    self.idColumn = idColumn
    isKeyed = declared?.key.isEmpty == false
    line = header.line
    // A heading that differs only in case from a field of the store means that field.
    let known = declared?.fields.map(\.name) ?? []
    let spelled = headings.map { heading in
      known.first { Names.folded($0) == Names.folded(heading) } ?? heading
    }
    let names = NameMapping.fields(spelled, id: idColumn)
    columns = headings.indices.map { index in
      Column(
        heading: headings[index], field: index == idColumn ? nil : names[index],
        inference: ColumnInference(hasDecimalComma: hasDecimalComma))
    }
    for index in columns.indices {
      columns[index].declared = columns[index].field.flatMap { declared?[field: $0]?.type }
    }
    try override(types, header)
    if case .named(let names) = search {
      for name in names where !columns.contains(where: { $0.isCalled(name) }) {
        throw Self.unknown(name, headings, header)
      }
    }
  }

  private mutating func override(_ types: [String: FieldType], _ header: CSVRecord)
    throws(CSVError)
  {
    for (name, type) in types.sorted(by: { utf8Less($0.key, $1.key) }) {
      guard
        let index = columns.firstIndex(where: { $0.field == name })
          ?? columns.firstIndex(where: { $0.heading == name })
      else { throw Self.unknown(name, header.cells.map(\.text), header) }
      guard index != idColumn else {
        throw CSVError(
          .wrongType, line: line,
          "the column \(name.quotedForMessage) holds the ids, which are text; give no type for it")
      }
      if let declared = columns[index].declared, declared != type {
        throw CSVError(
          .wrongType, line: line,
          "the store has \(collection).\(columns[index].field ?? name) as \(declared.rawValue), "
            + "and "
            + "a type never changes; import into another collection, or leave the type out")
      }
      columns[index].declared = type
    }
  }

  private static func unknown(_ name: String, _ headings: [String], _ header: CSVRecord)
    -> CSVError
  {
    let question =
      NameSuggestion.nearest(to: name, among: headings).map {
        "; did you mean \($0.quotedForMessage)?"
      } ?? ""
    return CSVError(
      .unknownColumn, line: header.line,
      "the header has no column \(name.quotedForMessage); it has "
        + NameSuggestion.list(headings.map(\.quotedForMessage)) + question)
  }

  /// Checks a row and its id, and uses its values to infer the types.
  /// - Throws: ``CSVError`` `ragged`, `invalidID`, or `wrongType` if a cell does not fit its
  ///   declared type.
  package mutating func observe(_ record: CSVRecord) throws(CSVError) {
    try requireWidth(record)
    _ = try id(of: record)
    for index in columns.indices where index != idColumn {
      columns[index].inference.observe(record.cells[index].text)
      guard let type = columns[index].declared, type != .text else { continue }
      _ = try value(record, index, type)
      if type == .timestamp, Timestamp.isFiner(record.cells[index].text) { finerTimestamps += 1 }
    }
    rowCount += 1
  }

  /// The definition that the store needs before the rows. It is final once all rows have been
  /// observed.
  package var definition: Definition {
    var definition = Definition(collection: collection)
    if isRelationship { definition.attributes["relationship"] = .boolean(true) }
    if isLocal { definition = definition.local() }
    for column in columns {
      guard let field = column.field else { continue }
      var attributes: [String: Value] = ["type": .text(column.type.rawValue)]
      if isSearched(column) { attributes["search"] = .boolean(true) }
      definition.fields.append(.init(field, attributes))
    }
    return definition
  }

  /// Returns whether the import makes a column's field searchable. The result is final once all
  /// rows have been observed.
  package func isSearched(_ column: Column) -> Bool {
    switch search {
    case .none: return false
    case .named(let names): return names.contains(where: column.isCalled)
    case .automatic:
      let texts = columns.filter { $0.isText && !(isRelationship && $0.isEnd) }
      let worded = texts.filter(\.inference.hasWords)
      return !isKnown && (worded.isEmpty ? Array(texts.prefix(1)) : worded).contains(column)
    }
  }

  /// Returns the id of a row; nil if no column holds ids.
  /// - Throws: ``CSVError`` `invalidID`, `ragged`.
  package func id(of record: CSVRecord) throws(CSVError) -> String? {
    guard let idColumn else { return nil }
    try requireWidth(record)
    let cell = record.cells[idColumn]
    let count = cell.text.utf8.count
    guard (1...EntityIDCodec.bytesMax).contains(count) else {
      throw CSVError(
        .invalidID, line: cell.line,
        "the id in the column \(columns[idColumn].heading.quotedForMessage) "
          + (count == 0 ? "is missing" : "has \(count) bytes")
          + "; an id has 1 to \(EntityIDCodec.bytesMax) bytes")
    }
    return cell.text
  }

  /// Returns the values of a row by field name, without empty cells.
  /// - Throws: ``CSVError`` `ragged`, `wrongType`.
  package func fields(of record: CSVRecord) throws(CSVError) -> [String: Value] {
    try requireWidth(record)
    var fields: [String: Value] = [:]
    fields.reserveCapacity(columns.count)
    for index in columns.indices {
      guard let field = columns[index].field else { continue }
      let value = try value(record, index, columns[index].type)
      if value != .null { fields[field] = value }
    }
    return fields
  }

  private func value(_ record: CSVRecord, _ index: Int, _ type: FieldType) throws(CSVError)
    -> Value
  {
    do throws(ValueTypingError) {
      return try ValueTyping.value(
        cell: record.cells[index], as: type, hasDecimalComma: hasDecimalComma)
    } catch {
      throw CSVError(
        .wrongType, line: record.cells[index].line,
        "the column \(columns[index].heading.quotedForMessage) is declared as \(type.rawValue), "
          + "and \(record.cells[index].text.quotedForMessage) is none; \(error.remedy)")
    }
  }

  private func requireWidth(_ record: CSVRecord) throws(CSVError) {
    guard record.cells.count != columns.count else { return }
    throw CSVError(
      .ragged, line: record.line,
      "the row has \(record.cells.count) cell\(record.cells.count == 1 ? "" : "s"), and the header "
        + "has \(columns.count); put cells that contain the delimiter or a line end in double "
        + "quotes, and leave empty ones in place")
  }
}

extension CSVTable.Column {
  fileprivate var isText: Bool { field != nil && type == .text && inference.valueCount > 0 }
  fileprivate var isEnd: Bool { field == "source" || field == "target" }
  fileprivate func isCalled(_ name: String) -> Bool { field == name || heading == name }
}
