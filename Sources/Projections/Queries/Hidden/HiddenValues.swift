import DaybookEventCore

extension ReadModelView {
  /// Returns every hidden value, in the order of ``hidden(in:id:after:limit:)``.
  package func hidden() throws -> [HiddenValue] { try hidden(after: nil).map(\.item) }

  /// Returns hidden values, by collection. In a collection, misfits come first, by id; then what is
  /// parked, by field and value; then cut references, by field and id; then edits that change
  /// nothing, by id, field and event.
  ///
  /// Cost: a look-up for each misfit and cut reference, and for each value of a unique field that
  /// is passed, parked or not.
  /// - Parameters:
  ///   - collection: the only collection; nil for all.
  ///   - id: the only entity; nil for all.
  ///   - key: the key of the value behind which to begin; nil for the beginning.
  ///   - limit: the most values to return.
  /// - Throws: ``ProjectionError`` `unknownName` if the collection is not declared;
  ///   `damagedReadModel`.
  package func hidden(
    in collection: String? = nil, id: String? = nil, after key: [Cell]?, limit: Int = .max
  ) throws -> [Listed<HiddenValue>] {
    if let collection, schema[collection] == nil { throw unknown(collection) }
    var found: [Listed<HiddenValue>] = []
    let start = key.flatMap(HiddenPlace.init)
    for schema in schema.sorted where collection.map(schema.name.isSame) ?? true {
      if let start, utf8Less(schema.name, start.collection) { continue }
      guard let table = projector.knownTable(schema.identity) else { continue }
      let place = start.flatMap { $0.collection.isSame(as: schema.name) ? $0 : nil }
      for kind in HiddenPlace.Kind.allCases {
        if let place, kind.rawValue < place.kind.rawValue { continue }
        let within = place.flatMap { $0.kind == kind ? $0 : nil }
        let list = HiddenList(view: self, table: table, id: id, place: within)
        found += try list.values(kind, limit: limit - found.count)
        guard found.count < limit else { return found }
      }
    }
    return found
  }
}

/// The hidden values of one collection, from a place on.
private struct HiddenList {
  let view: ReadModelView
  let table: CollectionTable
  /// The only entity; nil for all.
  let id: String?
  /// The place behind which to begin; nil for the beginning.
  let place: HiddenPlace?

  func values(_ kind: HiddenPlace.Kind, limit: Int) throws -> [Listed<HiddenValue>] {
    switch kind {
    case .misfit: return try misfits(limit: limit)
    case .parked:
      let rules = table.uniqueRules.map { (table.fieldNames[$0.number], $0) }
      return try byField(rules, limit: limit, parked)
    case .unfit: return try unfitEdits(limit: limit)
    case .cycle:
      let columns = table.treeColumns.map { table.columns[$0] }
      return try byField(columns.map { ($0.schema.identity, $0) }, limit: limit, cutReferences)
    }
  }

  private func listed(
    _ kind: HiddenPlace.Kind, _ rest: [Cell], _ id: String, _ field: String, _ value: Value,
    _ reason: HiddenValue.Reason, ownersValue: Value? = nil
  ) -> Listed<HiddenValue> {
    Listed(
      key: HiddenPlace(collection: table.name, kind: kind, rest: rest).key,
      item: HiddenValue(
        collection: table.name, id: id, field: field, value: value, reason: reason,
        ownersValue: ownersValue))
  }

  private func misfits(limit: Int) throws -> [Listed<HiddenValue>] {
    let query = try view.sql(
      """
      SELECT id, field, value FROM _daybook_misfits
      WHERE collection = ?1\(id == nil ? "" : " AND id = ?5")\
      \(place == nil ? "" : " AND (id, field) > (?3, ?4)")
      ORDER BY id, field LIMIT ?2
      """)
    defer { query.reset() }
    try query.bind(1, table.identity)
    try query.bind(2, limit)
    try bind(place?.rest, to: query)
    if let id { try query.bind(5, id) }
    var found: [Listed<HiddenValue>] = []
    while try query.step() {
      let value = try? query.blob(2).withUnsafeBytes { try Value(canonicalBytes: $0) }
      guard let value, let field = table.schema?[field: query.text(1)] else {
        throw ProjectionError.damaged("a misfit")
      }
      let reason: HiddenValue.Reason =
        field.type.cell(for: value) == nil
        ? .misfit(declared: field.type) : .tooLarge(rowBytes: view.projector.limits.rowBytes)
      found.append(
        listed(.misfit, [query.cell(0), query.cell(1)], query.text(0), field.name, value, reason))
    }
    return found
  }

  private func unfitEdits(limit: Int) throws -> [Listed<HiddenValue>] {
    let order = "u.id, u.field, o.origin, u.sequence, u.operation"
    let query = try view.sql(
      """
      SELECT u.id, u.field, o.origin, u.sequence, u.operation FROM _daybook_unfit u
      JOIN _daybook_origins o ON o.number = u.origin
      WHERE u.collection = ?1\(id == nil ? "" : " AND u.id = ?8")\
      \(place == nil ? "" : " AND (\(order)) > (?3, ?4, ?5, ?6, ?7)") ORDER BY \(order) LIMIT ?2
      """)
    defer { query.reset() }
    try query.bind(1, table.identity)
    try query.bind(2, limit)
    try bind(place?.rest, to: query)
    if let id { try query.bind(8, id) }
    var found: [Listed<HiddenValue>] = []
    while try query.step() {
      let origin = query.blob(2)
      guard origin.count == 16 else { throw ProjectionError.damaged("an origin's id") }
      let event = EventID(
        origin.withUnsafeBytes { ReplicaID(bytes: $0) }, UInt64(bitPattern: query.integer(3)))
      let operation = UInt32(truncatingIfNeeded: query.integer(4))
      let field = table.schema?[field: query.text(1)]?.name ?? query.text(1)
      found.append(
        listed(
          .unfit, (0..<5).map { query.cell(Int32($0)) }, query.text(0), field, .null,
          .unfitEdit(event: event, operation: operation)))
    }
    return found
  }

  /// Returns the values of several fields or rules, by the fields' first names.
  private func byField<Rule>(
    _ rules: [(name: String, rule: Rule)], limit: Int,
    _ values: (String, Rule, [Cell]?, Int) throws -> [Listed<HiddenValue>]
  ) throws -> [Listed<HiddenValue>] {
    var found: [Listed<HiddenValue>] = []
    for (name, rule) in rules.sorted(by: { utf8Less($0.name, $1.name) }) where found.count < limit {
      var rest: [Cell]?
      if let place, case .text(let first)? = place.rest.first {
        if utf8Less(name, first) { continue }
        if name.isSame(as: first) { rest = Array(place.rest.dropFirst()) }
      }
      found += try values(name, rule, rest, limit - found.count)
    }
    return found
  }

  private func parked(
    _ name: String, _ rule: CollectionTable.UniqueRule, _ rest: [Cell]?, _ limit: Int
  ) throws -> [Listed<HiddenValue>] {
    let query = try view.sql(
      """
      SELECT u.value, u.rank, u.id, u.entity, o.id, o.entity
      FROM _daybook_unique u CROSS JOIN _daybook_unique o
        ON o.collection = u.collection AND o.field = u.field AND o.value = u.value
          AND o.rank = (SELECT min(f.rank) FROM _daybook_unique f
            WHERE f.collection = u.collection AND f.field = u.field AND f.value = u.value)
      WHERE u.collection = ?1 AND u.field = ?5\(id == nil ? "" : " AND u.entity = ?6")\
      \(rest == nil ? "" : " AND (u.value, u.rank) > (?3, ?4)")
        AND o.rank < u.rank
      ORDER BY u.value, u.rank LIMIT ?2
      """)
    defer { query.reset() }
    try query.bind(1, table.number)
    try query.bind(2, limit)
    try bind(rest, to: query)
    try query.bind(5, rule.number)
    if let id {
      guard let record = try view.record(identity: table.identity, id) else { return [] }
      try query.bind(6, record.number)
    }
    var found: [Listed<HiddenValue>] = []
    while try query.step() {
      let claimed = query.cell(0)
      let value = try shown(claimed, by: query.integer(3), rule)
      let ownersValue = try shown(claimed, by: query.integer(5), rule)
      let names = rule.columns.map { table.columns[$0].schema.name }
      found.append(
        listed(
          .parked, [.text(name), claimed, query.cell(1)], query.text(2),
          names.joined(separator: ", "), value, .parked(owner: query.text(4)),
          ownersValue: ownersValue))
    }
    return found
  }

  /// Returns what an entity has in the columns of a rule, from what is kept of its claim. If claims
  /// are keys, that is in the entity.
  private func shown(
    _ claimed: Cell, by number: Int64, _ rule: CollectionTable.UniqueRule
  ) throws -> Value {
    let cells =
      rule.uniqueness == .exact
      ? try Self.cells(claimed, rule)
      : try view.projector.entities.load(table, number: number).cells(of: rule)
    guard cells.count == 1 else { return .text(cells.map(\.shown).joined(separator: ", ")) }
    guard let value = table.columns[rule.columns[0]].schema.type.value(of: cells[0]) else {
      throw ProjectionError.damaged("a value in a unique field")
    }
    return value
  }

  /// Returns the cell of each column of a rule, from what is kept of a claim.
  private static func cells(_ claimed: Cell, _ rule: CollectionTable.UniqueRule) throws -> [Cell] {
    if rule.columns.count == 1 { return [claimed] }
    guard case .blob(let bytes) = claimed, let cells = try? UniqueIndex.cells(of: bytes),
      cells.count == rule.columns.count
    else { throw ProjectionError.damaged("values in fields that are unique together") }
    return cells
  }

  private func cutReferences(
    _ name: String, _ column: CollectionTable.Column, _ rest: [Cell]?, _ limit: Int
  ) throws -> [Listed<HiddenValue>] {
    let query = try view.sql(
      """
      SELECT id, target FROM _daybook_cycles
      WHERE collection = ?1 AND field = ?5\(id == nil ? "" : " AND id = ?6")\
      \(rest == nil ? "" : " AND id > ?3")
      ORDER BY id LIMIT ?2
      """)
    defer { query.reset() }
    try query.bind(1, table.identity)
    try query.bind(2, limit)
    try bind(rest, to: query)
    try query.bind(5, name)
    if let id { try query.bind(6, id) }
    var found: [Listed<HiddenValue>] = []
    while try query.step() {
      found.append(
        listed(
          .cycle, [.text(name), query.cell(0)], query.text(0), column.schema.name,
          .text(query.text(1)), .cycle))
    }
    return found
  }

  /// Binds the cells of a place from the third parameter on.
  private func bind(_ cells: [Cell]?, to query: Statement) throws {
    for (number, cell) in zip(Int32(3)..., cells ?? []) { try query.bind(number, cell) }
  }
}

/// The place of a hidden value among those of all collections.
private struct HiddenPlace {
  enum Kind: Int64, CaseIterable {
    case misfit, parked, cycle, unfit

    /// The number of cells of a place.
    var cells: Int {
      switch self {
      case .misfit, .cycle: 2
      case .parked: 3
      case .unfit: 5
      }
    }
  }

  /// The collection's name.
  var collection: String
  var kind: Kind
  /// Of a misfit, the id and the field; of a parked value, the field, the value and the rank; of a
  /// cut reference, the field and the id; of an edit, the id, the field and the operation.
  /// Fields have their first names.
  var rest: [Cell]

  init(collection: String, kind: Kind, rest: [Cell]) {
    (self.collection, self.kind, self.rest) = (collection, kind, rest)
  }

  init?(_ key: [Cell]) {
    guard key.count >= 2, case .text(let collection) = key[0], case .integer(let number) = key[1],
      let kind = Kind(rawValue: number), key.count == kind.cells + 2
    else { return nil }
    self.init(collection: collection, kind: kind, rest: Array(key.dropFirst(2)))
  }

  var key: [Cell] { [.text(collection), .integer(kind.rawValue)] + rest }
}
