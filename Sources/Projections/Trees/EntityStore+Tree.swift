import DaybookEventCore

/// Trees: of the references that make a cycle, the one whose write ranks highest is not shown.
///
/// An entity has at most one reference in a tree. So a change of it can end one cycle and make
/// another, and both lead through that entity: following references upwards from it finds them.
extension EntityStore {
  /// A live entity's reference to another of its collection, shown or not.
  struct TreeEdge: Equatable {
    var number: Int64
    var id: String
    var target: String
    /// The write that the reference shows.
    var ref: WriteRef
  }

  /// Decides which references to cut after a record has changed, and records the cuts.
  /// - Returns: the numbers of the entities whose reference is now cut or shown again.
  func recut(_ record: EntityRecord, isReordered: Bool) throws(ProjectionError) -> [Int64] {
    let table = record.table
    guard !table.treeColumns.isEmpty else { return [] }
    let old = record.isStored ? try load(table, number: record.number) : nil
    var changed: [Int64] = []
    for index in table.treeColumns {
      let column = table.columns[index]
      let was = old.flatMap { edge(of: $0, column) }
      let now = edge(of: record, column)
      guard was != now || isReordered else { continue }
      let before = try was.flatMap { was throws(ProjectionError) in
        try cutEdge(around: was, column, table)
      }
      var after: TreeEdge?
      if let now, try mayBeAboveItself(now, column, table) {
        after = try latest(try cycle(from: now, column, table))
      }
      if let before, before.number != after?.number {
        try cycles.remove(before.id, column, of: table)
        changed.append(before.number)
      }
      if let after {
        try cycles.insert(after.id, target: after.target, column, of: table)
        if before?.number != after.number { changed.append(after.number) }
      }
    }
    return changed
  }

  func edge(of record: EntityRecord, _ column: CollectionTable.Column) -> TreeEdge? {
    guard record.state.isLive, let ref = record.state[field: column.field],
      case .text(let target)? = record.values[column.field]
    else { return nil }
    return TreeEdge(number: record.number, id: record.id, target: target, ref: ref)
  }

  /// Returns the cycle that an edge is part of, beginning with the edge. Empty if the references
  /// lead to a root, to an entity that does not exist, or into a cycle without the edge. Cost: two
  /// look-ups a step upwards.
  func cycle(from start: TreeEdge, _ column: CollectionTable.Column, _ table: CollectionTable)
    throws(ProjectionError) -> [TreeEdge]
  {
    var path = [start]
    var seen: Set<Int64> = [start.number]
    var target = start.target
    while !target.utf8.elementsEqual(start.id.utf8) {
      guard let next = try find(table, target).flatMap({ edge(of: $0, column) }),
        seen.insert(next.number).inserted
      else { return [] }
      path.append(next)
      target = next.target
    }
    return path
  }

  /// Returns the edge whose write ranks highest; nil if there are no edges.
  func latest(_ edges: [TreeEdge]) throws(ProjectionError) -> TreeEdge? {
    var best: (key: OrderKey, edge: TreeEdge)?
    for edge in edges {
      let key = try index.key(edge.ref)
      if let known = best, key < known.key { continue }
      best = (key, edge)
    }
    return best?.edge
  }

  /// Returns the cut edge of the cycle that an edge was part of; nil if there was none.
  private func cutEdge(
    around edge: TreeEdge, _ column: CollectionTable.Column, _ table: CollectionTable
  ) throws(ProjectionError) -> TreeEdge? {
    guard try !cycles.isEmpty(column, of: table) else { return nil }
    for edge in try cycle(from: edge, column, table) {
      if try cycles.isCut(edge.id, column, of: table) { return edge }
    }
    return nil
  }

  /// Returns false if nothing is below the entity, as for most new entities; then it
  /// is on no cycle.
  func mayBeAboveItself(
    _ edge: TreeEdge, _ column: CollectionTable.Column, _ table: CollectionTable
  ) throws(ProjectionError) -> Bool {
    if edge.target.utf8.elementsEqual(edge.id.utf8) { return true }
    // Parked members have no row to be found by.
    if try cycles.hasParkedMembers(table) { return true }
    let name = Names.quoted(column.schema.name)
    let rows = try sql("SELECT 1 FROM \(table.quotedName) WHERE \(name) = ? LIMIT 1")
    try rows.bind(1, edge.id)
    defer { rows.reset() }
    if try rows.step() { return true }
    let cut = try sql(
      "SELECT 1 FROM _daybook_cycles WHERE collection = ? AND field = ? AND target = ? LIMIT 1")
    try cut.bind(1, table.identity)
    try cut.bind(2, column.schema.identity)
    try cut.bind(3, edge.id)
    defer { cut.reset() }
    return try cut.step()
  }
}
