import DaybookEventCore

extension ReadModelView {
  /// Returns every conflict, sorted by collection, id, field and attribute.
  package func conflicts() throws -> [Conflict] {
    try conflicts(ConflictFilter()).map(\.item)
  }

  /// Returns conflicts, sorted by collection, id, field and attribute, a shared collection before a
  /// local one of its name. Conflicts about a definition come before those about entities.
  ///
  /// Cost: reads each event that is part of a returned conflict once, and the state of each entity;
  /// with an actor, those of the conflicts that are passed over too.
  /// - Parameters:
  ///   - filter: the conflicts to return.
  ///   - after: the key of the conflict behind which to begin; nil for the beginning.
  ///   - limit: the most conflicts to return.
  /// - Throws: ``ProjectionError`` `unknownName` if no event has named the collection; what reading
  ///   the log throws.
  package func conflicts(
    _ filter: ConflictFilter, after key: [Cell]? = nil, limit: Int = .max
  ) throws -> [Listed<Conflict>] {
    var found: [Listed<Conflict>] = []
    let start = key.flatMap(ConflictPlace.init)
    for identity in try conflictingCollections(filter, from: start?.collection) {
      var place = start?.collection.isSame(as: identity) == true ? start : nil
      while found.count < limit {
        let missing = limit - found.count
        let count = min(Self.pageRows, filter.actor == nil ? missing : max(missing, Self.actorRows))
        let rows = try conflictRows(identity, filter, after: place, count: count)
        for (row, conflict) in zip(rows, try explained(rows)) where found.count < limit {
          if let actor = filter.actor {
            guard conflict.writes.contains(where: { $0.author.actor.isSame(as: actor) }) else {
              continue
            }
          }
          found.append(Listed(key: ConflictPlace(row).key, item: conflict))
        }
        guard rows.count == count, let last = rows.last else { break }
        place = ConflictPlace(last)
      }
    }
    return found
  }

  /// The most conflicts that are explained at once.
  private static let pageRows = 8192
  /// The conflicts that are looked at together in search of an actor's.
  private static let actorRows = 512

  /// Returns rows of one collection's conflicts in the order of the index.
  private func conflictRows(
    _ identity: String, _ filter: ConflictFilter, after place: ConflictPlace?, count: Int
  ) throws -> [ConflictRow] {
    var rows: [ConflictRow] = []
    if filter.id == nil, place?.id == nil {
      rows += try conflictRows(identity, filter, after: place, count: count, ofDefinitions: true)
    }
    guard rows.count < count else { return rows }
    let later = place?.id == nil ? nil : place
    rows += try conflictRows(
      identity, filter, after: later, count: count - rows.count, ofDefinitions: false)
    return rows
  }

  private func conflictRows(
    _ identity: String, _ filter: ConflictFilter, after place: ConflictPlace?, count: Int,
    ofDefinitions: Bool
  ) throws -> [ConflictRow] {
    // NULL is no part of a comparison of rows, so definitions have a query of their own.
    let subject =
      ofDefinitions
      ? "id IS NULL" + (place == nil ? "" : " AND (field, attribute) > (?4, ?5)")
      : filter.id == nil
        ? "id >= ''" + (place == nil ? "" : " AND (id, field, attribute) > (?3, ?4, ?5)")
        : "id = ?6" + (place == nil ? "" : " AND (id, field, attribute) > (?3, ?4, ?5)")
    let query = try sql(
      """
      SELECT collection, id, field, attribute, writes FROM _daybook_conflicts
      WHERE collection = ?1 AND \(subject)\(filter.field == nil ? "" : " AND field = ?7")
      ORDER BY id, field, attribute LIMIT ?2
      """)
    defer { query.reset() }
    try query.bind(1, identity)
    try query.bind(2, count)
    if let place {
      if !ofDefinitions, let id = place.id { try query.bind(3, id) }
      try query.bind(4, place.field)
      try query.bind(5, place.attribute)
    }
    if !ofDefinitions, let id = filter.id { try query.bind(6, id) }
    if let field = filter.field {
      try query.bind(7, schema[identity: identity]?[field: field]?.identity ?? field)
    }
    var rows: [ConflictRow] = []
    while try query.step() { rows.append(try conflictRow(query)) }
    return rows
  }

  /// Returns the conflicts about one entity, or about a collection's definition, sorted by field
  /// and attribute. Cost: each event that is part of one is read once.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - isLocal: whether the local collection of that name is meant.
  ///   - id: the entity's id; nil for the definition.
  package func conflicts(_ collection: String, isLocal: Bool, id: String?) throws -> [Conflict] {
    let query = try sql(
      """
      SELECT collection, id, field, attribute, writes FROM _daybook_conflicts
      WHERE collection = ?1 AND id IS ?2 ORDER BY field, attribute
      """)
    defer { query.reset() }
    try query.bind(1, CollectionIdentity.of(collection, isLocal: isLocal))
    if let id { try query.bind(2, id) } else { try query.bindNull(2) }
    var rows: [ConflictRow] = []
    while try query.step() { rows.append(try conflictRow(query)) }
    return try explained(rows)
  }

  /// Returns the identities of collections with conflicts, by name, a shared one before a local
  /// one.
  ///
  /// Cost: a look-up for each.
  /// - Parameter first: the identity of the collection to begin with; nil for all.
  private func conflictingCollections(_ filter: ConflictFilter, from first: String?) throws
    -> [String]
  {
    let query = try sql(
      """
      SELECT collection FROM _daybook_conflicts WHERE collection > ?1 ORDER BY collection LIMIT 1
      """)
    defer { query.reset() }
    var all: [String] = []
    try query.bind(1, "")
    while try query.step() {
      all.append(query.text(0))
      query.reset()
      try query.bind(1, all[all.count - 1])
    }
    var wanted = all
    if let name = filter.collection {
      wanted.removeAll { !CollectionIdentity.name($0).isSame(as: name) }
      if wanted.isEmpty, projector.knownTable(named: name) == nil { throw unknown(name) }
    }
    if let first { wanted.removeAll { Self.precedes($0, first) } }
    return wanted.sorted(by: Self.precedes)
  }

  private static func precedes(_ a: String, _ b: String) -> Bool {
    let names = (CollectionIdentity.name(a), CollectionIdentity.name(b))
    return names.0.isSame(as: names.1)
      ? !CollectionIdentity.isLocal(a) && CollectionIdentity.isLocal(b)
      : utf8Less(names.0, names.1)
  }

  private func explained(_ rows: [ConflictRow]) throws -> [Conflict] {
    let winners = try rows.map(winner(of:))
    var explained = rows.map { row in
      Conflict(
        collection: CollectionIdentity.name(row.collection), id: row.id, field: row.field,
        attribute: row.attribute, writes: [],
        isLocal: CollectionIdentity.isLocal(row.collection))
    }
    var writes = rows.indices.flatMap { number in
      rows[number].writes.map { (row: number, ref: $0) }
    }
    // In the order of events, so that each is read once. An event that has changed much is part of
    // many conflicts: reading it for each of them would be quadratic.
    writes.sort { ($0.ref.origin, $0.ref.sequence) < ($1.ref.origin, $1.ref.sequence) }
    var latest: (event: EventID, body: EarlierEvent, author: Conflict.Author)?
    for (number, ref) in writes {
      let event = EventID(index.origin(ref.origin).id, ref.sequence)
      if latest?.event != event {
        let body = try self.body(of: event)
        let times = try times(of: event) ?? .unknown
        latest = (event, body, .init(actor: body.actor, label: body.label, times: times))
      }
      guard let (_, body, author) = latest else { continue }
      let operation = try body.operation(ref.operation)
      explained[number].writes.append(
        Conflict.Write(
          event: event, operation: ref.operation, value: Self.value(operation, ref, rows[number]),
          isDeletion: Self.isDeletion(operation), wins: winners[number] == ref, author: author))
      if case .edit? = operation {
        let last = explained[number].writes.count - 1
        let line = try editedText(ref, rows[number])
        explained[number].writes[last].value = line.text
        explained[number].writes[last].wins = line.isShown
      }
    }
    for number in explained.indices {
      explained[number].writes.sort { $0.event < $1.event }
    }
    return explained
  }

  /// Returns the writes that are part of conflicts about an entity.
  /// - Parameters:
  ///   - collection: the collection's identity.
  ///   - id: the entity's id.
  func conflictingWrites(_ collection: String, _ id: String) throws -> Set<ConflictWrite> {
    let query = try sql(
      """
      SELECT collection, id, field, attribute, writes FROM _daybook_conflicts
      WHERE collection = ?1 AND id = ?2
      """)
    try query.bind(1, collection)
    try query.bind(2, id)
    defer { query.reset() }
    var found: Set<ConflictWrite> = []
    while try query.step() {
      let row = try conflictRow(query)
      for ref in row.writes { found.insert(ConflictWrite(field: row.field, ref: ref)) }
    }
    return found
  }

  /// - Parameter query: a statement at a row of collection, id, field, attribute and writes.
  private func conflictRow(_ query: Statement) throws -> ConflictRow {
    let writes = try query.blob(4).withUnsafeBytes { raw in
      var reader = ByteReader(raw)
      var writes: [WriteRef] = []
      while !reader.isAtEnd {
        let ref = try WriteRef(from: &reader)
        guard index.isKnown(ref) else { throw ProjectionError.damaged("a conflict") }
        writes.append(ref)
      }
      return writes
    }
    return ConflictRow(
      collection: query.text(0), id: query.isNull(1) ? nil : query.text(1),
      field: query.text(2), attribute: query.text(3), writes: writes)
  }

  /// Returns the write that the register of a conflict shows.
  private func winner(of row: ConflictRow) throws -> WriteRef? {
    if let record = try row.id.flatMap({ try record(identity: row.collection, $0) }) {
      if row.field.isEmpty { return record.state.existence?.ref ?? record.state.floor }
      return record.table.knownNumber(ofField: row.field).flatMap { record.state[field: $0] }
    }
    let register = DefinitionRegisters.Register(
      collection: row.collection, field: row.field, attribute: row.attribute)
    return projector.definitions.winners[register]?.ref
  }

  /// Returns the text that an edit belongs to: its base, with all edits of it.
  private func editedText(_ ref: WriteRef, _ row: ConflictRow) throws
    -> (text: Value, isShown: Bool)
  {
    guard let record = try row.id.flatMap({ try record(identity: row.collection, $0) }),
      let field = record.table.knownNumber(ofField: row.field)
    else { return (.null, false) }
    let entries = try projector.entities.history.entries(of: record)
    guard let base = entries.first(where: { $0.ref == ref })?.base else { return (.null, false) }
    // An edit may name a base that is not known here, or that has nothing to do with it.
    guard
      let begin = entries.first(where: { $0.ref == base }),
      begin.fields.contains(field) || UInt64(begin.kind) == OperationKind.insert, !begin.isEdit
    else { return (.null, false) }
    let body = try body(of: EventID(index.origin(base.origin).id, base.sequence))
    let assigned = Self.value(try body.operation(base.operation), base, row)
    let refs = entries.filter { $0.isEdit && $0.base == base && $0.fields == [field] }.map(\.ref)
    let fold = TextFold(index: index, base: base, assigned: assigned)
    let undos = try projector.undoHistory(entries)
    let result = try EditReader(index: index, events: projector.earlier).scripts(of: refs)
      .withEdits { edits throws(ProjectionError) in try fold.merge(edits, undos: undos) }
    let text = result.text.map { Value.text(String(decoding: $0, as: UTF8.self)) } ?? assigned
    return (text, record.state.textBase(field) == base)
  }

  private static func isDeletion(_ operation: Operation?) -> Bool {
    switch operation {
    case .delete?, .erase?: true
    default: false
    }
  }

  private static func value(_ operation: Operation?, _ ref: WriteRef, _ row: ConflictRow) -> Value {
    guard let operation else { return .null }
    if row.id == nil {
      let register = DefinitionRegisters.Register(
        collection: row.collection, field: row.field, attribute: row.attribute)
      let writes = DefinitionRegisters.writes(
        of: operation, ref: ref, isLocal: CollectionIdentity.isLocal(row.collection))
      return writes.last { $0.register == register }?.value ?? .null
    }
    switch operation {
    case .insert(_, _, let fields):
      return row.field.isEmpty ? .boolean(true) : fields[row.field] ?? .null
    case .update(_, _, let fields): return fields[row.field] ?? .null
    case .restore: return .boolean(true)
    default: return .null
    }
  }
}

private struct ConflictRow {
  var collection: String
  var id: String?
  var field: String
  var attribute: String
  var writes: [WriteRef]
}

/// The place of a conflict among those of all collections.
private struct ConflictPlace {
  /// The collection's identity.
  var collection: String
  var id: String?
  var field: String
  var attribute: String

  init(_ row: ConflictRow) {
    (collection, id, field, attribute) = (row.collection, row.id, row.field, row.attribute)
  }

  init?(_ key: [Cell]) {
    guard key.count == 4, case .text(let collection) = key[0], case .text(let field) = key[2],
      case .text(let attribute) = key[3]
    else { return nil }
    (self.collection, self.field, self.attribute) = (collection, field, attribute)
    if case .text(let id) = key[1] { self.id = id }
  }

  var key: [Cell] {
    [.text(collection), id.map(Cell.text) ?? .null, .text(field), .text(attribute)]
  }
}
