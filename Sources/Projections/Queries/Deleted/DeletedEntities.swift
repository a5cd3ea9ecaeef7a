import DaybookEventCore

extension ReadModelView {
  /// Returns deleted entities that can be restored, the newest deletion first. The time of a
  /// deletion is the earlier of those at which its event was authored and stamped.
  ///
  /// Cost: if `scan` does not reach as far, a pass over the states of all deleted entities of the
  /// collections; then each returned entity's state and event, and those that words or actor
  /// exclude.
  /// - Parameters:
  ///   - filter: the entities to return.
  ///   - scan: what an earlier call with the same filter has found; nil at first.
  ///   - key: the key of the entity behind which to begin; nil for the beginning.
  ///   - limit: the most entities to return.
  ///   - bytesMax: the bytes of texts and blobs from which on no more entities are added.
  ///   - keptMax: the most deletions that a pass keeps.
  /// - Returns: the entities, and whether there are no others.
  /// - Throws: ``ProjectionError`` `unknownName` if the collection is not declared; what reading
  ///   the log throws.
  package func deleted(
    _ filter: DeletedFilter, _ scan: inout DeletedScan?, after key: [Cell]? = nil,
    limit: Int = .max, bytesMax: Int = .max, keptMax: Int = DeletedScan.keptMax
  ) throws -> (found: [Listed<DeletedEntity>], isAll: Bool) {
    var found: [Listed<DeletedEntity>] = []
    var place = key.flatMap(Deletion.Place.init)
    var bytes = 0
    while true {
      let known = scan.flatMap { $0.deletions(before: place) == nil ? nil : $0 }
      let reached = try known ?? self.scan(filter, before: place, keptMax: keptMax)
      scan = reached
      for deletion in reached.deletions(before: place) ?? [] {
        guard found.count < limit, bytes < bytesMax else { return (found, false) }
        place = deletion.place
        let event = deletion.place.event
        guard let record = try record(of: deletion) else { continue }
        let fields = record.table.shown(record.values, try projector.entities.facts(of: record))
        guard filter.words?.match(fields.values) ?? true else { continue }
        let body = try body(of: event)
        if let actor = filter.actor, !actor.isSame(as: body.actor) { continue }
        bytes += fields.values.reduce(0) { $0 + $1.byteCount }
        found.append(
          Listed(
            key: deletion.place.key,
            item: DeletedEntity(
              collection: record.table.name, id: record.id, fields: fields, event: event,
              times: deletion.times, actor: body.actor, label: body.label)))
      }
      if reached.isComplete { return (found, true) }
    }
  }

  /// Goes once over the states of all deleted entities.
  private func scan(_ filter: DeletedFilter, before place: Deletion.Place?, keptMax: Int) throws
    -> DeletedScan
  {
    if let name = filter.collection, schema[name] == nil { throw unknown(name) }
    var newest = NewestDeletions(before: place, countMax: keptMax)
    var latest: (ref: WriteRef, event: EventID, times: EventTimes, isAdmitted: Bool)?
    for schema in schema.sorted where filter.collection.map(schema.name.isSame) ?? true {
      guard let table = projector.knownTable(schema.identity) else { continue }
      let query = try sql("SELECT number, state FROM _daybook_entities WHERE collection = ?")
      defer { query.reset() }
      try query.bind(1, table.number)
      while try query.step() {
        let deletion = query.withBytes(1) { bytes in
          Result { try EntityState.restorableDeletion(bytes) }
        }
        guard case .success(let deletion) = deletion else {
          throw ProjectionError.damaged("the state of an entity without a row")
        }
        guard let ref = deletion else { continue }
        if latest?.ref.origin != ref.origin || latest?.ref.sequence != ref.sequence {
          guard index.isKnown(ref) else { throw ProjectionError.damaged("an entity's deletion") }
          let event = EventID(index.origin(ref.origin).id, ref.sequence)
          let times = try times(of: event) ?? .unknown
          latest = (ref, event, times, filter.admits(event, times))
        }
        guard let latest, latest.isAdmitted else { continue }
        newest.add(
          Deletion(
            place: .init(
              time: latest.times.first, event: latest.event, operation: ref.operation),
            times: latest.times, collection: table.identity, number: query.integer(0)))
      }
    }
    return DeletedScan(newest)
  }

  /// Returns the entity that a deletion has found, if that is still what deletes it; else nil.
  private func record(of deletion: Deletion) throws -> EntityRecord? {
    guard let table = projector.knownTable(deletion.collection) else { return nil }
    let query = try sql(
      "SELECT id, state FROM _daybook_entities WHERE number = ? AND collection = ?")
    try query.bind(1, deletion.number)
    try query.bind(2, table.number)
    if try query.step() {
      let (id, state) = (query.text(0), query.blob(1))
      query.reset()
      let record = try projector.entities.record(
        table, id, number: deletion.number, state: state, row: nil)
      if isDeleted(record, by: deletion.place) { return record }
    }
    query.reset()
    // The entity has changed, or a rebuild has given other numbers: the event knows which it was.
    let operation = try body(of: deletion.place.event).operation(deletion.place.operation)
    guard case .delete(_, let id)? = operation,
      let record = try record(identity: deletion.collection, id),
      isDeleted(record, by: deletion.place)
    else { return nil }
    return record
  }

  private func isDeleted(_ record: EntityRecord, by place: Deletion.Place) -> Bool {
    guard let existence = record.state.existence, !record.state.isLive,
      record.state.insertion != nil
    else { return false }
    return UInt64(existence.kind) == OperationKind.delete
      && index.origin(existence.ref.origin).id == place.event.origin
      && existence.ref.sequence == place.event.sequence
      && existence.ref.operation == place.operation
  }
}

extension EntityState {
  /// Returns the write that deleted the entity, if it can be restored; else nil.
  ///
  /// Cost: reads the beginning of the packed state only.
  static func restorableDeletion(_ state: UnsafeRawBufferPointer) throws(EventError) -> WriteRef? {
    var reader = ByteReader(state)
    guard try reader.byte() == longForm, try reader.byte() == UInt8(OperationKind.delete) else {
      return nil
    }
    let ref = try WriteRef(from: &reader)
    return try reader.byte() == 0 ? nil : ref
  }
}

extension Value {
  /// The bytes of a text, blob or JSON; 8 of any other value.
  fileprivate var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .blob(let bytes), .json(let bytes): bytes.count
    case .null, .boolean, .integer, .real, .timestamp: 8
    }
  }
}
