import DaybookEventCore

/// Folds entities, one after another, from all their writes in a partition.
///
/// The result is that of ``Projector/refold(_:)``, without reading the log or the
/// table of authored times.
final class RebuildEntityFold {
  private let index: EventIndex
  /// The fields that the operations name, operation by operation: their numbers, and the places of
  /// their values among the bytes of the operation's fields. An event has 16 MiB at most.
  private var fields: [(number: Int32, value: UInt32)] = []
  /// The index in `fields` at which each operation's fields begin, and the end of the last one's.
  private var starts: [UInt32] = []
  /// By field number: the index in `fields` of the value shown, and the index of its operation. −1
  /// if the field has no value.
  private var winners: [(field: Int, operation: Int)] = []

  private var unfit: [(field: Int, ref: WriteRef)] = []
  /// The undos of the entity; nil if there are none.
  private var undos: UndoHistory?

  /// A folded entity.
  struct Folded {
    var record: EntityRecord
    /// The edits that change nothing.
    var unfit: [(field: Int, ref: WriteRef)]
  }

  init(_ index: EventIndex) { self.index = index }

  /// Folds one entity.
  /// - Parameter operations: all operations on the entity, in the order of the log.
  func fold(_ operations: RebuildOperations, _ table: CollectionTable, id: String, number: Int64)
    throws -> Folded
  {
    unfit = []
    try readFields(operations)
    try readUndos(operations)
    var record = EntityRecord(
      table: table, id: id, number: number, state: EntityState(), values: [:], row: nil,
      isStored: false)
    let origin = operations.first?.ref.origin
    let isSole = operations.allSatisfy { $0.ref.origin == origin }
    fold(
      operations, try order(operations, isSole: isSole), fieldCount: table.fieldNames.count, &record
    )
    try readValues(operations, &record)
    try mergeTexts(operations, &record)
    if !table.keptColumns.isEmpty { record.facts = try facts(operations, record.state) }
    if !isSole { record.state.lastWrites = try lastWrites(operations) }
    record.state.chunkCount = max(0, operations.count - 1) / EntityState.recentMax
    record.state.recent = try (record.state.chunkCount * EntityState.recentMax..<operations.count)
      .map { try historyEntry($0, operations) }
    return Folded(record: record, unfit: unfit)
  }

  private func readFields(_ operations: RebuildOperations) throws(EventError) {
    fields.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    for operation in operations {
      starts.append(UInt32(truncatingIfNeeded: fields.count))
      // What an undo names is no field.
      guard operation.kind != OperationKind.undo else { continue }
      var reader = ByteReader(operation.fields)
      for _ in 0..<operation.fieldCount {
        let number = try reader.index()
        fields.append(
          (Int32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: reader.offset)))
        _ = try ValueView(checked: &reader)
      }
    }
    starts.append(UInt32(truncatingIfNeeded: fields.count))
  }

  private func readUndos(_ operations: RebuildOperations) throws(EventError) {
    var entries: [UndoHistory.Entry] = []
    for operation in operations where operation.kind == OperationKind.undo {
      let author = index.origin(operation.ref.origin).id
      entries.append(try RebuildUndo.unpack(operation, author: author))
    }
    undos = entries.isEmpty ? nil : UndoHistory(entries)
  }

  /// Returns whether an operation's event was undone.
  private func isUndone(_ operation: RebuildOperation) -> Bool {
    undos?.isUndone(index.event(of: operation.ref)) ?? false
  }

  /// Returns the operations' indexes in the total order; nil if that is the order of the log.
  private func order(_ operations: RebuildOperations, isSole: Bool) throws(ProjectionError)
    -> [Int]?
  {
    if isSole, let number = operations.first?.ref.origin {
      let origin = index.origin(number)
      if origin.isMonotone, !origin.hasStamps { return nil }
    }
    var keyed: [(key: OrderKey, index: Int)] = []
    keyed.reserveCapacity(operations.count)
    for (position, operation) in operations.enumerated() {
      keyed.append((try index.key(operation.ref, authored: operation.authored), position))
    }
    keyed.sort { $0.key < $1.key }
    return keyed.map(\.index)
  }

  private func fold(
    _ operations: RebuildOperations, _ order: [Int]?, fieldCount: Int, _ record: inout EntityRecord
  ) {
    winners.removeAll(keepingCapacity: true)
    for _ in 0..<fieldCount { winners.append((-1, -1)) }
    record.state.undone = undos?.undone
    record.state.fold(
      operations.count,
      write: { place in
        let operation = operations[order?[place] ?? place]
        return (operation.kind, operation.ref)
      },
      isUndone: { isUndone(operations[order?[$0] ?? $0]) },
      assign: { place in
        let at = order?[place] ?? place
        for field in fieldIndexes(at) { winners[fieldNumber(field)] = (field, at) }
      })
  }

  private func readValues(_ operations: RebuildOperations, _ record: inout EntityRecord)
    throws(EventError)
  {
    for (number, winner) in winners.enumerated() where winner.operation >= 0 {
      record.state.fields.append(.init(field: number, ref: operations[winner.operation].ref))
      record.values[number] = try value(winner.field, of: operations[winner.operation])
    }
  }

  /// Merges the edits of each text field that has any.
  private func mergeTexts(_ operations: RebuildOperations, _ record: inout EntityRecord) throws {
    // There may be hundreds of thousands, so they are gathered one field at a time.
    var counts: [Int: Int] = [:]
    for (at, operation) in operations.enumerated() where OperationKind.isEdit(operation.kind) {
      counts[fieldNumber(fieldIndexes(at).lowerBound), default: 0] += 1
    }
    for (field, count) in counts.sorted(by: { $0.key < $1.key }) {
      let base = record.state.textBase(field)
      var text = EntityState.TextState(field: field, base: base, merged: 0)
      if let base {
        let fold = TextFold(index: index, base: base, assigned: record.values[field] ?? .null)
        let result = try fold.merge(try edits(of: field, base, count, operations), undos: undos)
        text.merged = result.merged
        if let merged = result.text {
          record.values[field] = .text(String(decoding: merged, as: UTF8.self))
        }
        for ref in result.unfit { unfit.append((field, ref)) }
      }
      record.state.texts.append(text)
    }
  }

  /// Returns the edits of a base, in the order of each origin, which the partition keeps.
  private func edits(
    of field: Int, _ base: WriteRef, _ count: Int, _ operations: RebuildOperations
  ) throws(EventError) -> some Collection<TextFold.Edit> {
    var places: [Int32] = []
    places.reserveCapacity(count)
    for (at, operation) in operations.enumerated() where OperationKind.isEdit(operation.kind) {
      guard fieldNumber(fieldIndexes(at).lowerBound) == field else { continue }
      if try edit(at, operations).base == base { places.append(Int32(truncatingIfNeeded: at)) }
    }
    return places.lazy.map { [fields, starts] place in
      let operation = operations[Int(place)]
      // It was read above.
      let edit = try? Self.edit(operation, at: fields[Int(starts[Int(place)])].value)
      return TextFold.Edit(
        ref: operation.ref, script: edit?.script ?? .init(start: nil, count: 0),
        isComparison: operation.kind == OperationKind.comparison)
    }
  }

  private func edit(_ at: Int, _ operations: RebuildOperations) throws(EventError) -> (
    base: WriteRef, script: UnsafeRawBufferPointer
  ) {
    try Self.edit(operations[at], at: fields[fieldIndexes(at).lowerBound].value)
  }

  private static func edit(_ operation: RebuildOperation, at value: UInt32) throws(EventError) -> (
    base: WriteRef, script: UnsafeRawBufferPointer
  ) {
    var reader = ByteReader(operation.fields)
    reader.offset = Int(value)
    return try RebuildEdit.unpack(try ValueView(checked: &reader))
  }

  /// The indexes in ``fields`` of what an operation names.
  private func fieldIndexes(_ at: Int) -> Range<Int> { Int(starts[at])..<Int(starts[at + 1]) }

  /// The number of the field at an index of ``fields``.
  private func fieldNumber(_ index: Int) -> Int { Int(fields[index].number) }

  private func facts(_ operations: RebuildOperations, _ state: EntityState) throws -> EntityFacts {
    let first = operations.first { $0.ref == state.firstInsertion }
    let modified = operations.lazy.map { EntityFacts.time($0.authored) }.max()
    return EntityFacts(
      created: first.map { EntityFacts.time($0.authored) }, modified: modified ?? 0,
      version: Int64(operations.count))
  }

  private func value(_ field: Int, of operation: RebuildOperation) throws(EventError) -> Value {
    var reader = ByteReader(operation.fields)
    reader.offset = Int(fields[field].value)
    return try ValueView(checked: &reader).value
  }

  /// Returns each origin's last write to each register.
  private func lastWrites(_ operations: RebuildOperations) throws(EventError) -> LastWrites {
    var last = LastWrites()
    var places: [Place: Int] = [:]
    for (at, operation) in operations.enumerated() {
      if OperationKind.canBeUndone(operation.kind), isUndone(operation) { continue }
      last.note(
        kind: operation.kind, operation.ref, fields: fieldIndexes(at).lazy.map(fieldNumber))
      for field in fieldIndexes(at) {
        places[Place(ref: operation.ref, register: fieldNumber(field))] = field
      }
    }
    let byRef = Dictionary(operations.map { ($0.ref, $0) }) { first, _ in first }
    for (register, entries) in last.registers.sorted(by: { $0.key < $1.key }) where register >= 0 {
      var filled = entries
      for (index, entry) in entries.enumerated() {
        guard let operation = byRef[entry.ref],
          let field = places[Place(ref: entry.ref, register: register)]
        else { continue }
        if OperationKind.isEdit(operation.kind) {
          let base = try Self.edit(operation, at: fields[field].value).base
          filled[index].fingerprint = LastWrites.fingerprint(
            editOf: base, origin: self.index.origin(base.origin).id)
        } else {
          filled[index].fingerprint = LastWrites.fingerprint(try value(field, of: operation))
        }
      }
      last.set(register, filled)
    }
    return last
  }

  private struct Place: Hashable {
    var ref: WriteRef
    var register: Int
  }

  /// Returns a full chunk of the history of the entity that was folded last, packed.
  ///
  /// - Parameters:
  ///   - number: The number of the chunk, below the state's `chunkCount`.
  ///   - operations: All operations on the entity.
  func chunk(_ number: Int, of operations: RebuildOperations) throws -> [UInt8] {
    var writer = ByteWriter(capacity: EntityState.recentMax * 16)
    let start = number * EntityState.recentMax
    for at in start..<start + EntityState.recentMax {
      try historyEntry(at, operations).encode(to: &writer)
    }
    return writer.bytes
  }

  private func historyEntry(_ at: Int, _ operations: RebuildOperations) throws(EventError)
    -> HistoryEntry
  {
    let operation = operations[at]
    let named = fieldIndexes(at).map(fieldNumber)
    guard operation.kind != OperationKind.undo else {
      return HistoryEntry(ref: operation.ref, kind: HistoryEntry.undo, fields: [])
    }
    guard !OperationKind.isEdit(operation.kind) else {
      return HistoryEntry(
        ref: operation.ref, kind: HistoryEntry.edit, fields: named,
        base: try edit(at, operations).base)
    }
    return HistoryEntry(
      ref: operation.ref, kind: UInt8(operation.kind), fields: named.sorted())
  }
}
