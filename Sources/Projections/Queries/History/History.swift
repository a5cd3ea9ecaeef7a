import DaybookEventCore

extension ReadModelView {
  /// Returns every write to an entity, in the total order; empty if no write has reached it. Cost:
  /// reads each of its events from the log.
  /// - Parameters:
  ///   - id: the entity's id.
  ///   - collection: the collection's name.
  ///   - isLocal: whether the local collection of that name is meant; nil for the
  ///     one that users mean.
  /// - Throws: ``ProjectionError``; what reading the log throws.
  package func history(of id: String, in collection: String, isLocal: Bool? = nil) throws
    -> [HistoryItem]
  {
    guard let record = try record(collection, isLocal: isLocal, id) else { return [] }
    let conflicts = try conflictingWrites(record.table.identity, id)
    var items: [HistoryItem] = []
    let unfit = try unfitEdits(of: record)
    let keyed = try keyedHistory(record, .all)
    var replay = HistoryReplay(
      projector, record.table, try projector.undoHistory(keyed.map(\.entry)))
    for (_, entry) in keyed {
      let (event, operation, kind) = try read(entry.ref)
      guard let kind else { continue }
      let id = index.event(of: entry.ref)
      let isUndone = entry.canBeUndone && record.state.undone?.contains(id) ?? false
      let before = replay.shown
      let values = try replay.pass(entry, operation)
      let changes = values.keys.sorted(by: utf8Less).map { name in
        let field = record.table.knownNumber(ofField: name)
        return HistoryItem.Change(
          field: name, from: before[name] ?? .null, to: values[name] ?? .null,
          isCurrent: !unfit.contains(entry.ref) && !isUndone
            && field.map { record.state.shows(entry, in: $0) } ?? false,
          isConflict: conflicts.contains(ConflictWrite(field: name, ref: entry.ref)))
      }
      items.append(
        HistoryItem(
          event: id, operation: entry.ref.operation,
          times: try times(of: id) ?? EventTimes(authored: .zero), actor: event.actor,
          label: event.label, annotations: event.annotations, kind: kind, changes: changes,
          isUndone: isUndone))
    }
    return items
  }

  /// Returns the edits of texts that the entity shows which change nothing.
  private func unfitEdits(of record: EntityRecord) throws(ProjectionError) -> Set<WriteRef> {
    guard !record.state.texts.isEmpty else { return [] }
    let query = try sql(
      """
      SELECT origin, sequence, operation FROM _daybook_unfit WHERE collection = ? AND id = ?
      """)
    try query.bind(1, record.table.identity)
    try query.bind(2, record.id)
    defer { query.reset() }
    var unfit: Set<WriteRef> = []
    while try query.step() {
      unfit.insert(
        WriteRef(
          origin: query.int(0), sequence: UInt64(bitPattern: query.integer(1)),
          operation: UInt32(truncatingIfNeeded: query.integer(2))))
    }
    return unfit
  }

  /// Returns the writes to an entity that a selection holds, in the total
  /// order within the selection.
  func keyedHistory(_ record: EntityRecord, _ selection: Selection) throws
    -> [(key: OrderKey, entry: HistoryEntry)]
  {
    var keyed: [(key: OrderKey, entry: HistoryEntry)] = []
    for entry in try projector.entities.history.entries(of: record) {
      guard let order = try order(of: entry.ref, selection) else { continue }
      keyed.append((OrderKey(order, operation: entry.ref.operation), entry))
    }
    return keyed.sorted { $0.key < $1.key }
  }

  /// Returns the place of a write's event in the order within a selection; nil if
  /// it is not selected.
  private func order(of ref: WriteRef, _ selection: Selection) throws -> EventOrder? {
    switch selection {
    case .all: return try index.order(ref.origin, ref.sequence)
    case .vector(let vector):
      guard vector[index.origin(ref.origin).id] >= ref.sequence else { return nil }
      return try index.order(ref.origin, ref.sequence, within: vector)
    case .time(let moment):
      let order = try index.order(ref.origin, ref.sequence)
      let authored = try index.authored(ref.origin, ref.sequence)
      let first = order.isPending ? authored : min(authored, order.time)
      return first.milliseconds <= moment ? order : nil
    }
  }

  /// Reads a write's operation from the log.
  /// - Returns: the event's body, the operation, and its kind; the kind is nil if it
  ///   is about no entity.
  private func read(_ ref: WriteRef) throws -> (EarlierEvent, Operation, HistoryItem.Kind?) {
    let body = try body(of: EventID(index.origin(ref.origin).id, ref.sequence))
    guard let operation = try body.operation(ref.operation) else {
      throw ProjectionError.damaged("a history names an operation that its event lacks")
    }
    let kind: HistoryItem.Kind? =
      switch operation {
      case .insert: .insert
      case .update: .update
      case .delete: .delete
      case .restore: .restore
      case .erase: .erase
      case .edit: .edit
      case .undo(let undo): undo.isUndone ? .undo : .redo
      default: nil
      }
    return (body, operation, kind)
  }

  func body(of id: EventID) throws -> EarlierEvent { try projector.earlier.event(id) }

  // MARK: - The past

  /// Returns a live entity as a selection of events shows it; nil if it is not live then. Cost: its
  /// history without values, and one read of the log for each event that wrote a shown field.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - isLocal: whether the local collection of that name is meant; nil for the
  ///     one that users mean.
  ///   - id: the entity's id.
  ///   - selection: the events.
  package func entity(
    _ collection: String, isLocal: Bool? = nil, _ id: String, at selection: Selection
  ) throws -> StoredEntity? {
    guard let record = try record(collection, isLocal: isLocal, id) else { return nil }
    let keyed = try keyedHistory(record, selection)
    let all = keyed.map(\.entry)
    let undos = try projector.undoHistory(all)
    func isUndone(_ ref: WriteRef) -> Bool { undos?.isUndone(index.event(of: ref)) ?? false }
    var past = EntityState()
    past.fold(all, isUndone: isUndone)
    guard past.isLive else { return nil }
    var values: [Int: Value] = [:]
    // An operation may have written many of the fields.
    var read: (ref: WriteRef, written: [String: Value])?
    for winner in past.fields {
      if read?.ref != winner.ref { read = (winner.ref, try written(by: winner.ref)) }
      values[winner.field] = read?.written[record.table.fieldNames[winner.field]]
    }
    try mergeTexts(all, undos, past, &values)
    let last = keyed.last { _, entry in
      if entry.canBeUndone, isUndone(entry.ref) { return false }
      return entry.ref == past.existence?.ref || !entry.fields.isEmpty || entry.isUndo
    }
    guard let last else { return nil }
    return StoredEntity(
      record,
      fields: record.table.shown(
        values, try facts(all, created: past.firstInsertion, of: record.table)),
      version: EntityVersion(event: last.key.event.id, operation: last.key.operation))
  }

  /// Returns the values that a write has given to fields, by the fields' first names.
  private func written(by ref: WriteRef) throws -> [String: Value] {
    let body = try body(of: EventID(index.origin(ref.origin).id, ref.sequence))
    switch try body.operation(ref.operation) {
    case .insert(_, _, let written)?, .update(_, _, let written)?: return written
    default: return [:]
    }
  }

  /// Merges the edits of texts as a past state holds them.
  private func mergeTexts(
    _ entries: [HistoryEntry], _ undos: UndoHistory?, _ past: EntityState,
    _ values: inout [Int: Value]
  ) throws {
    let edits = entries.filter(\.isEdit)
    for field in Set(edits.flatMap(\.fields)).sorted() {
      guard let base = past.textBase(field) else { continue }
      let refs = edits.filter { $0.base == base && $0.fields == [field] }.map(\.ref)
      let fold = TextFold(index: index, base: base, assigned: values[field] ?? .null)
      let result = try EditReader(index: index, events: projector.earlier).scripts(of: refs)
        .withEdits { edits throws(ProjectionError) in try fold.merge(edits, undos: undos) }
      if let text = result.text { values[field] = .text(String(decoding: text, as: UTF8.self)) }
    }
  }

  /// Returns what the store keeps of an entity with this history; nil if no column shows it.
  /// - Parameters:
  ///   - entries: the writes.
  ///   - insertion: the first insertion that counts; nil if there is none.
  ///   - table: the entity's table.
  private func facts(
    _ entries: [HistoryEntry], created insertion: WriteRef?, of table: CollectionTable
  ) throws -> EntityFacts? {
    guard !table.keptColumns.isEmpty else { return nil }
    let times = try entries.map {
      EntityFacts.time(try index.authored($0.ref.origin, $0.ref.sequence))
    }
    let created = try insertion.map {
      EntityFacts.time(try index.authored($0.origin, $0.sequence))
    }
    return EntityFacts(
      created: created, modified: times.max() ?? 0, version: Int64(times.count))
  }
}
