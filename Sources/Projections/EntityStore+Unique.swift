import EventCore

/// Unique fields: whoever has a value that another owns is parked. It keeps its state and has no row.
///
/// Who owns a value follows from what entities have it, so only a change of an owner changes anything
/// for others: the one that was it and the one that is. Cost: a few look-ups for each unique value
/// that a write changes, however many entities have it.
extension EntityStore {
  /// Writes a record back, and parks or shows whom its unique values concern.
  func save(_ record: inout EntityRecord) throws(ProjectionError) {
    let table = record.table
    guard !table.uniqueColumns.isEmpty else { return try write(&record, isParked: false) }
    let old = record.isStored ? try unique.claims(of: record.number, in: table) : []
    let new = try claims(of: record)
    var groups: [(claim: UniqueIndex.Claim, owner: Int64?)] = []
    for claim in old.filter({ !new.contains($0) }) + new.filter({ !old.contains($0) })
    where !groups.contains(where: { $0.claim.isSameGroup(as: claim) }) {
      groups.append((claim, try unique.owner(of: claim, in: table)))
    }
    for claim in old where !new.contains(claim) { try unique.remove(claim, in: table) }
    for claim in new where !old.contains(claim) {
      try unique.insert(claim, by: record.number, id: record.id, in: table)
    }
    try write(&record, isParked: try isParked(record.number, new, table))
    for (claim, before) in groups {
      let after = try unique.owner(of: claim, in: table)
      guard before != after else { continue }
      for other in [before, after] {
        if let other, other != record.number { try settle(other, table) }
      }
    }
  }

  /// Shows or parks an entity, as its claims stand now.
  private func settle(_ number: Int64, _ table: CollectionTable) throws(ProjectionError) {
    let isParked = try isParked(number, try unique.claims(of: number, in: table), table)
    var record = try load(table, number: number)
    guard (record.row == nil) != isParked else { return }
    try write(&record, isParked: isParked)
  }

  private func isParked(_ number: Int64, _ claims: [UniqueIndex.Claim], _ table: CollectionTable)
    throws(ProjectionError) -> Bool
  {
    for claim in claims where try unique.owner(of: claim, in: table) != number { return true }
    return false
  }

  /// The values in unique fields that a record would show.
  private func claims(of record: EntityRecord) throws(ProjectionError) -> [UniqueIndex.Claim] {
    guard record.table.isDeclared, record.state.isLive else { return [] }
    var claims: [UniqueIndex.Claim] = []
    var rank: [UInt8]?
    for index in record.table.uniqueColumns {
      let column = record.table.columns[index]
      guard let value = record.values[column.field],
        let cell = column.schema.type.cell(for: value)?.cell, cell != .null
      else { continue }
      if rank == nil { rank = try self.rank(of: record.state, record.id, record.table) }
      claims.append(.init(field: column.field, value: cell, rank: rank ?? []))
    }
    return claims
  }

  /// Where a live entity ranks among those with the same value.
  func rank(of state: EntityState, _ id: String, _ table: CollectionTable) throws(ProjectionError)
    -> [UInt8]
  {
    guard let first = state.firstInsertion, index.isKnown(first) else {
      throw .damaged("“\(id)” of \(table.name) is live and was never inserted")
    }
    return try index.key(first).sortableBytes
  }

  /// An entity of that table by its number.
  func load(_ table: CollectionTable, number: Int64) throws(ProjectionError) -> EntityRecord {
    let query = try sql("SELECT id, state FROM _daybook_entities WHERE number = ?")
    try query.bind(1, number)
    guard try query.step() else {
      query.reset()
      throw .damaged("a unique value of \(table.name) belongs to no entity")
    }
    let (id, state) = (query.isNull(0) ? nil : query.text(0), query.blob(1))
    query.reset()
    if let id { return try record(table, id, number: number, state: state, row: nil) }
    let row = try sql(table.selectByNumberSQL)
    try row.bind(1, number)
    defer { row.reset() }
    guard try row.step() else {
      throw .damaged("an entity of \(table.name) has a state but no row")
    }
    let cells = table.columns.indices.map { row.cell(Int32($0 + 1)) }
    return try record(table, row.text(0), number: number, state: state, row: cells)
  }
}
