import DaybookEventCore

/// Unique fields: an entity with a value that another entity owns is parked. It keeps its state and
/// has no row.
///
/// The owner of a value follows from the entities that have it. So a change matters to others only
/// if the owner changes, and then only to the old and the new owner. Cost: a few look-ups for each
/// unique value that a write changes, however many entities have it.
extension EntityStore {
  /// Records the unique values that a record claims now.
  /// - Returns: whether the record is parked, and the numbers of the entities that gain
  ///   or lose a value.
  func reclaim(_ record: EntityRecord) throws(ProjectionError) -> (isParked: Bool, others: [Int64])
  {
    let table = record.table
    guard !table.uniqueRules.isEmpty else { return (false, []) }
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
    var others: [Int64] = []
    for (claim, before) in groups {
      let after = try unique.owner(of: claim, in: table)
      if before != after { others += [before, after].compactMap { $0 } }
    }
    return (try isParked(record.number, new, table), others)
  }

  func isParked(_ number: Int64, in table: CollectionTable) throws(ProjectionError) -> Bool {
    guard !table.uniqueRules.isEmpty else { return false }
    return try isParked(number, try unique.claims(of: number, in: table), table)
  }

  private func isParked(_ number: Int64, _ claims: [UniqueIndex.Claim], _ table: CollectionTable)
    throws(ProjectionError) -> Bool
  {
    for claim in claims where try unique.owner(of: claim, in: table) != number { return true }
    return false
  }

  /// Returns the values in unique fields that a record would show.
  private func claims(of record: EntityRecord) throws(ProjectionError) -> [UniqueIndex.Claim] {
    guard record.table.isDeclared, record.state.isLive else { return [] }
    var claims: [UniqueIndex.Claim] = []
    var rank: [UInt8]?
    for rule in record.table.uniqueRules {
      guard let value = UniqueIndex.value(of: record.cells(of: rule), by: rule) else { continue }
      if rank == nil { rank = try self.rank(of: record.state, record.id, record.table) }
      claims.append(.init(field: rule.number, value: value, rank: rank ?? []))
    }
    return claims
  }

  /// Returns a live entity's rank among those with the same value, as bytes that
  /// sort in that order.
  /// - Throws: ``ProjectionError/Code/damagedReadModel`` if the state names no known insert.
  func rank(of state: EntityState, _ id: String, _ table: CollectionTable) throws(ProjectionError)
    -> [UInt8]
  {
    guard let first = state.firstInsertion, index.isKnown(first) else {
      throw .damaged("“\(id)” of \(table.name) is live and was never inserted")
    }
    return try index.key(first).sortableBytes
  }
}

extension EntityRecord {
  /// Returns what the entity shows in the columns of a rule, or would show if it had a row.
  func cells(of rule: CollectionTable.UniqueRule) -> [Cell] {
    rule.columns.map { table.shownCell($0, values) }
  }
}
