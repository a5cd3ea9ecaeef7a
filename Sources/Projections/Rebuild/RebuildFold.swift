import DaybookEventCore

/// The second pass of a rebuild over one partition: groups its operations by entity and hands the
/// entities to the writer.
///
/// Entities go collection by collection, in the order of their first operations. So entities that
/// were written together get neighboring rows, and most indexes grow nearly in order.
final class RebuildFold {
  private let projector: Projector
  private let buffer: RebuildBuffer
  /// The sum over the entities that were folded here; the writer adds those that it folds.
  private(set) var digest = StateDigest()

  private static let batchCount = 512

  /// An entity by the indexes of its first and last operation; later operations are
  /// linked to the first.
  private struct Group {
    var first: Int
    var last: Int
    var isSingle: Bool { first == last }
  }

  init(projector: Projector, buffer: RebuildBuffer) {
    self.projector = projector
    self.buffer = buffer
  }

  /// Hands every entity of the partition to the writer.
  /// - Returns: the number of entities.
  func run(into writer: RebuildWriter) throws -> Int {
    let (offsets, entities, next) = group()
    let order = byCollection(entities, offsets)
    let firstNumber = projector.entities.reserve(entities.count)
    var batch = RebuildBatch(buffer)
    var scratch = ByteWriter(capacity: 4096)
    for (position, index) in order.enumerated() {
      let entity = entities[index]
      let number = firstNumber + Int64(position)
      let operation = RebuildOperation(bytes: buffer.bytes, offset: offsets[entity.first])
      if !(entity.isSingle && appendInsert(operation, number, to: &batch, &scratch)) {
        var chain: [Int] = []
        var at = entity.first
        while at >= 0 {
          chain.append(offsets[at])
          at = Int(next[at])
        }
        batch.folded.append(.init(number: number, operations: chain))
      }
      if batch.count >= Self.batchCount {
        try writer.put(batch)
        batch = RebuildBatch(buffer)
      }
    }
    try writer.put(batch)
    return entities.count
  }

  private func group() -> (offsets: [Int], entities: [Group], next: [Int32]) {
    var offsets: [Int] = []
    var offset = 0
    while offset < buffer.bytes.count {
      offsets.append(offset)
      offset += RebuildOperation(bytes: buffer.bytes, offset: offset).size
    }
    var entities: [Group] = []
    entities.reserveCapacity(offsets.count)
    var next = [Int32](repeating: -1, count: offsets.count)
    var capacity = 64
    while capacity < offsets.count * 2 { capacity *= 2 }
    // Slots keep the hash beside the entity's index: an operation is compared only
    // if its hash agrees.
    var slots = [(hash: UInt32, entity: Int32)](repeating: (0, -1), count: capacity)
    for (index, offset) in offsets.enumerated() {
      let operation = RebuildOperation(bytes: buffer.bytes, offset: offset)
      let hash = operation.hash
      var slot = Int(hash) & (capacity - 1)
      while true {
        let found = slots[slot]
        if found.entity < 0 {
          slots[slot] = (hash, Int32(entities.count))
          entities.append(Group(first: index, last: index))
          break
        }
        let entity = Int(found.entity)
        if found.hash == hash,
          RebuildOperation(bytes: buffer.bytes, offset: offsets[entities[entity].first])
            .isSameEntity(as: operation)
        {
          next[entities[entity].last] = Int32(index)
          entities[entity].last = index
          break
        }
        slot = (slot + 1) & (capacity - 1)
      }
    }
    return (offsets, entities, next)
  }

  /// Returns the indexes of the entities, grouped by collection.
  private func byCollection(_ entities: [Group], _ offsets: [Int]) -> [Int] {
    var collections: [[Int]] = []
    for (index, entity) in entities.enumerated() {
      let number = RebuildOperation(bytes: buffer.bytes, offset: offsets[entity.first]).collection
      while collections.count <= number { collections.append([]) }
      collections[number].append(index)
    }
    return collections.flatMap(\.self)
  }

  /// Appends an entity whose only write is an insert directly as a row.
  /// - Returns: false if the entity must be folded instead: its collection has no table, or the
  ///   table cannot hold a value exactly.
  private func appendInsert(
    _ operation: RebuildOperation, _ number: Int64, to batch: inout RebuildBatch,
    _ scratch: inout ByteWriter
  ) -> Bool {
    guard operation.kind == OperationKind.insert,
      let table = projector.table(number: operation.collection), table.isDeclared,
      table.canFeedInserts
    else { return false }
    let ref = operation.ref
    if table.isLocal { return appendLocalInsert(operation, table, number, to: &batch) }
    scratch.bytes.removeAll(keepingCapacity: true)
    scratch.raw(EntityRecord.domain)
    scratch.text(table.name)
    EntityIDCodec.encode(utf8: operation.id, to: &scratch)
    let origin = projector.index.origin(ref.origin).id
    scratch.byte(UInt8(OperationKind.insert))
    ref.encodeForDigest(origin: origin, to: &scratch)
    scratch.byte(1)
    scratch.varint(operation.fieldCount)
    var reader = ByteReader(operation.fields)
    let stateStart = batch.states.count
    EntityState.beginShortForm(ref, to: &batch.states)
    var bitmap = FieldBitmap()
    for _ in 0..<operation.fieldCount {
      guard let field = try? reader.index() else { return undo(&batch, stateStart) }
      let valueStart = reader.offset
      guard let view = try? ValueView(checked: &reader), let column = table.column(ofField: field),
        table.holdsExactly(view, in: column)
      else { return undo(&batch, stateStart) }
      scratch.text(table.fieldNames[field])
      scratch.raw(
        UnsafeRawBufferPointer(rebasing: operation.fields[valueStart..<reader.offset]))
      ref.encodeForDigest(origin: origin, to: &scratch)
      bitmap.insert(field)
    }
    EntityState.endShortForm(bitmap, to: &batch.states)
    digest.add(scratch.bytes.withUnsafeBytes { Hash256.sha256(of: $0) })
    batch.inserts.append(
      .init(number: number, operation: operation.offset, state: stateStart..<batch.states.count))
    return true
  }

  /// Appends an inserted entity of a local collection as a row; such an entity is in no digest.
  /// - Returns: false if the entity must be folded instead: the table cannot hold a value exactly.
  private func appendLocalInsert(
    _ operation: RebuildOperation, _ table: CollectionTable, _ number: Int64,
    to batch: inout RebuildBatch
  ) -> Bool {
    var reader = ByteReader(operation.fields)
    let stateStart = batch.states.count
    EntityState.beginShortForm(operation.ref, to: &batch.states)
    var bitmap = FieldBitmap()
    for _ in 0..<operation.fieldCount {
      guard let field = try? reader.index(), let view = try? ValueView(checked: &reader),
        let column = table.column(ofField: field),
        table.holdsExactly(view, in: column)
      else { return undo(&batch, stateStart) }
      bitmap.insert(field)
    }
    EntityState.endShortForm(bitmap, to: &batch.states)
    batch.inserts.append(
      .init(number: number, operation: operation.offset, state: stateStart..<batch.states.count))
    return true
  }

  private func undo(_ batch: inout RebuildBatch, _ stateStart: Int) -> Bool {
    batch.states.bytes.removeSubrange(stateStart...)
    return false
  }
}
