import DaybookEventCore

/// Application of writes to entities: by comparison with the winners if that is exact, otherwise by
/// folding the entity's whole history.
extension Projector {
  /// Applies a write to a record and saves it.
  func apply(_ write: EntityWrite, to record: inout EntityRecord) throws {
    currentWrites[write.ref] = write
    let old = contribution(of: record)
    try note(write, in: &record)
    if write.edit != nil {
      record.isEdited = true
      try applyEdit(write, &record)
    } else if write.undo != nil {
      try remergeTexts(&record, after: write.ref)
    } else if !record.state.texts.isEmpty {
      try rebaseTexts(&record)
    }
    if record.state.lastWrites != nil { try updateConflicts(record) }
    replaceInDigest(old, by: record)
    try entities.save(&record)
  }

  /// Adds a write to an entity's history and to the winners, without the texts that edits make.
  func note(_ write: EntityWrite, in record: inout EntityRecord) throws {
    let wasSole = record.state.soleOrigin
    record.state.recent.append(write.historyEntry)
    record.newWrites += 1
    let isUndone = record.state.undone?.contains(index.event(of: write.ref)) ?? false
    if let wasSole, wasSole != write.ref.origin {
      // The second origin to write the entity: from now on there can be conflicts.
      try refold(&record, with: write)
    } else if isUndone || write.undo != nil {
      try refold(&record, with: write)
    } else {
      try compare(write, &record)
      noteLast(write, &record)
    }
    // An author may name an event that it cannot have seen.
    if isUndone, let edit = write.edit { makeStale(edit.field, of: record) }
  }

  private func wins(_ ref: WriteRef, over other: WriteRef?) throws -> Bool {
    guard let other else { return true }
    return try index.isOrdered(other, before: ref)
  }

  private func compare(_ write: EntityWrite, _ record: inout EntityRecord) throws {
    guard EntityState.assigns(write.kind) else {
      if try wins(write.ref, over: record.state.lastEdit) { record.state.lastEdit = write.ref }
      return
    }
    if let floor = record.state.floor, try index.isOrdered(write.ref, before: floor) { return }
    switch write.kind {
    case OperationKind.erase:
      record.state.floor = write.ref
      try dropBelow(write.ref, &record)
      return
    default: try record.state.take(write.kind, write.ref) { try wins(write.ref, over: $0) }
    }
    for field in write.values.keys.sorted() {
      guard let value = write.values[field], try wins(write.ref, over: record.state[field: field])
      else { continue }
      record.state[field: field] = write.ref
      record.values[field] = value
    }
  }

  private func dropBelow(_ floor: WriteRef, _ record: inout EntityRecord) throws {
    if let existence = record.state.existence, try index.isOrdered(existence.ref, before: floor) {
      record.state.existence = nil
    }
    if let insertion = record.state.insertion, try index.isOrdered(insertion, before: floor) {
      record.state.insertion = nil
    }
    if let first = record.state.firstInsertion, try index.isOrdered(first, before: floor) {
      record.state.firstInsertion = try firstInsertion(of: record, above: floor)
    }
    for winner in record.state.fields where try index.isOrdered(winner.ref, before: floor) {
      record.state[field: winner.field] = nil
      record.values[winner.field] = nil
    }
  }

  private func firstInsertion(of record: EntityRecord, above floor: WriteRef) throws -> WriteRef? {
    guard record.state.insertion != nil else { return nil }
    var first: WriteRef?
    for entry in try entities.history.entries(of: record)
    where UInt64(entry.kind) == OperationKind.insert {
      if record.state.undone?.contains(index.event(of: entry.ref)) ?? false { continue }
      guard try index.isOrdered(floor, before: entry.ref) else { continue }
      if let known = first, try index.isOrdered(known, before: entry.ref) { continue }
      first = entry.ref
    }
    return first
  }

  private func noteLast(_ write: EntityWrite, _ record: inout EntityRecord) {
    guard record.state.lastWrites != nil else { return }
    // In place: a copy would cost as much as there are authors.
    record.state.lastWrites?.note(kind: write.kind, write.ref, fields: EmptyCollection())
    if let edit = write.edit {
      record.state.lastWrites?.note(
        edit.field, .init(ref: write.ref, fingerprint: fingerprint(editOf: edit.base)))
    }
    for (field, value) in write.values {
      record.state.lastWrites?.note(
        field, .init(ref: write.ref, fingerprint: LastWrites.fingerprint(value)))
    }
  }

  // MARK: - Refolding

  func fingerprint(editOf base: WriteRef) -> LastWrites.Fingerprint? {
    LastWrites.fingerprint(editOf: base, origin: index.origin(base.origin).id)
  }

  /// Folds the entity's history from its beginning. Cost: proportional to its number of writes, and
  /// a read of the log for each value that was not a winner before, and for each undo.
  /// - Parameters:
  ///   - record: the entity, whose history has all writes.
  ///   - write: its last write, if all others are folded. An undo that decides over all others then
  ///     saves reading these: of an event with as many operations as entities, each is elsewhere.
  func refold(_ record: inout EntityRecord, with write: EntityWrite? = nil) throws {
    let entries = try self.entities.history.entries(of: record)
    var keyed: [(key: OrderKey, entry: HistoryEntry)] = []
    keyed.reserveCapacity(entries.count)
    for entry in entries { keyed.append((try index.key(entry.ref), entry)) }
    keyed.sort { $0.key < $1.key }
    let old = record.state
    var state = EntityState()
    state.recent = old.recent
    state.chunkCount = old.chunkCount
    // The inexact values that the database holds until the record is saved again.
    state.inexactValues = old.inexactValues
    if let write, write.undo.map({ $0.turn > old.undone?.turn ?? 0 }) ?? true {
      state.undone = old.undone
      if let undo = write.undo {
        var undone = old.undone ?? UndoneEvents()
        undone.decide(undo, write.ref)
        state.undone = undone
      }
    } else {
      state.undone = try undoHistory(entries)?.undone
    }
    let undone = state.undone
    func isUndone(_ ref: WriteRef) -> Bool { undone?.contains(index.event(of: ref)) ?? false }
    state.fold(keyed.map(\.entry), isUndone: isUndone)
    state.texts = old.texts
    let reader = WriteReader(projector: self, table: record.table)
    var values: [Int: Value] = [:]
    for winner in state.fields {
      if old[field: winner.field] == winner.ref, let known = record.values[winner.field] {
        values[winner.field] = known
      } else {
        values[winner.field] = try reader.value(winner.ref, winner.field)
      }
    }
    for text in state.texts where text.merged > 0 && state[field: text.field] == nil {
      values[text.field] = record.values[text.field]
    }
    if Set(entries.map(\.ref.origin)).count > 1 {
      let counting = entries.filter { !$0.canBeUndone || !isUndone($0.ref) }
      state.lastWrites = try lastWrites(counting, old.lastWrites, reader)
    }
    record.state = state
    record.values = values
    try rebaseTexts(&record)
  }

  private func lastWrites(
    _ entries: [HistoryEntry], _ old: LastWrites?, _ reader: WriteReader
  ) throws -> LastWrites {
    var last = LastWrites()
    var bases: [WriteRef: WriteRef] = [:]
    for entry in entries {
      last.note(kind: entry.operationKind, entry.ref, fields: entry.fields)
      if let base = entry.base { bases[entry.ref] = base }
    }
    // In sorted order, so that a simulation sees the same reads of the log each time.
    for register in last.registers.keys.sorted() where register >= 0 {
      let before = (old?.registers[register] ?? []).map { ($0.ref, $0) }
      let known = Dictionary(before) { first, _ in first }
      let entries = try (last.registers[register] ?? []).map { entry -> LastWrites.Entry in
        if let known = known[entry.ref] { return known }
        if let base = bases[entry.ref] {
          return .init(ref: entry.ref, fingerprint: fingerprint(editOf: base))
        }
        let value = try reader.value(entry.ref, register)
        return .init(ref: entry.ref, fingerprint: LastWrites.fingerprint(value))
      }
      last.set(register, entries)
    }
    return last
  }
}

extension LastWrites {
  /// Notes a write in the registers for what its kind decides, and in those of fields, without
  /// fingerprints of their values.
  mutating func note(kind: UInt64, _ ref: WriteRef, fields: some Sequence<Int>) {
    for field in fields { note(field, Entry(ref: ref, fingerprint: nil)) }
    switch kind {
    case OperationKind.insert, OperationKind.restore:
      note(Self.existence, Entry(ref: ref, fingerprint: Self.present))
    case OperationKind.delete, OperationKind.erase:
      note(Self.existence, Entry(ref: ref, fingerprint: nil))
      note(Self.absence, Entry(ref: ref, fingerprint: nil))
    default: break
    }
  }

  private static let present = Fingerprint(Array(repeating: 1, count: 16))
}

/// Reads the values of earlier writes: from the event being applied, or from the log.
struct WriteReader {
  let projector: Projector
  let table: CollectionTable

  func value(_ ref: WriteRef, _ field: Int) throws -> Value {
    if let write = projector.currentWrites[ref] { return write.values[field] ?? .null }
    let id = EventID(projector.index.origin(ref.origin).id, ref.sequence)
    guard let operation = try projector.earlier.event(id).operation(ref.operation) else {
      throw ProjectionError(.missingEvent, "event \(id) has no operation \(ref.operation)")
    }
    switch operation {
    case .insert(_, _, let fields), .update(_, _, let fields):
      return fields[table.fieldNames[field]] ?? .null
    default: return .null
    }
  }
}
