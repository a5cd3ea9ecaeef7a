import DaybookEventCore

/// The tree references that are not shown, because each ranks highest of those that make a cycle;
/// and the parked members of trees, which have no row that tells their parent.
struct CycleList {
  let sql: StatementCache

  func isCut(_ id: String, _ column: CollectionTable.Column, of table: CollectionTable)
    throws(ProjectionError) -> Bool
  {
    let query = try sql(
      "SELECT 1 FROM _daybook_cycles WHERE collection = ? AND field = ? AND id = ?")
    try query.bind(1, table.identity)
    try query.bind(2, column.schema.identity)
    try query.bind(3, id)
    defer { query.reset() }
    return try query.step()
  }

  /// Returns whether no reference in the field is cut.
  func isEmpty(_ column: CollectionTable.Column, of table: CollectionTable)
    throws(ProjectionError) -> Bool
  {
    let query = try sql("SELECT 1 FROM _daybook_cycles WHERE collection = ? AND field = ? LIMIT 1")
    try query.bind(1, table.identity)
    try query.bind(2, column.schema.identity)
    defer { query.reset() }
    return try !query.step()
  }

  func insert(
    _ id: String, target: String, _ column: CollectionTable.Column, of table: CollectionTable
  ) throws(ProjectionError) {
    let insert = try sql("INSERT OR REPLACE INTO _daybook_cycles VALUES (?, ?, ?, ?)")
    try insert.bind(1, table.identity)
    try insert.bind(2, column.schema.identity)
    try insert.bind(3, id)
    try insert.bind(4, target)
    try insert.run()
  }

  func remove(_ id: String, _ column: CollectionTable.Column, of table: CollectionTable)
    throws(ProjectionError)
  {
    let delete = try sql(
      "DELETE FROM _daybook_cycles WHERE collection = ? AND field = ? AND id = ?")
    try delete.bind(1, table.identity)
    try delete.bind(2, column.schema.identity)
    try delete.bind(3, id)
    try delete.run()
  }

  func removeAll(of table: CollectionTable) throws(ProjectionError) {
    let delete = try sql("DELETE FROM _daybook_cycles WHERE collection = ?")
    try delete.bind(1, table.identity)
    try delete.run()
    let members = try sql("DELETE FROM _daybook_parked_members WHERE collection = ?")
    try members.bind(1, table.number)
    try members.run()
  }

  // MARK: - Parked members

  /// Returns whether any member of the collection's trees is parked.
  func hasParkedMembers(_ table: CollectionTable) throws(ProjectionError) -> Bool {
    guard table.canParkMembers else { return false }
    let query = try sql("SELECT 1 FROM _daybook_parked_members WHERE collection = ? LIMIT 1")
    try query.bind(1, table.number)
    defer { query.reset() }
    return try query.step()
  }

  func note(_ entity: Int64, isParked: Bool, of table: CollectionTable) throws(ProjectionError) {
    guard table.canParkMembers else { return }
    let change = try sql(
      isParked
        ? "INSERT OR IGNORE INTO _daybook_parked_members VALUES (?, ?)"
        : "DELETE FROM _daybook_parked_members WHERE collection = ? AND entity = ?")
    try change.bind(1, table.number)
    try change.bind(2, entity)
    try change.run()
  }
}
