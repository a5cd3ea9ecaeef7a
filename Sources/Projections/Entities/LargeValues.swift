/// The large values that neither an entity's row nor its state holds, each in a row of its own.
struct LargeValues {
  let sql: StatementCache

  /// Returns the values that neither the entity's row nor its state holds, as
  /// canonical bytes by field.
  func values(of entity: Int64) throws(ProjectionError) -> [Int: [UInt8]] {
    let query = try sql("SELECT field, value FROM _daybook_values WHERE entity = ?")
    try query.bind(1, entity)
    defer { query.reset() }
    var values: [Int: [UInt8]] = [:]
    while try query.step() { values[query.int(0)] = query.blob(1) }
    return values
  }

  /// Stores an entity's large inexact values in rows of their own.
  /// - Parameters:
  ///   - inexactValues: all inexact values, with their bytes.
  ///   - entity: the entity's number.
  ///   - hadLarge: whether such rows exist for the entity.
  /// - Returns: the inexact values as the state holds them.
  func keep(
    _ inexactValues: [EntityState.InexactValue], of entity: Int64, hadLarge: Bool
  )
    throws(ProjectionError) -> [EntityState.InexactValue]
  {
    if hadLarge {
      let delete = try sql("DELETE FROM _daybook_values WHERE entity = ?")
      try delete.bind(1, entity)
      try delete.run()
    }
    var kept = inexactValues
    for (index, inexact) in inexactValues.enumerated() {
      guard let value = inexact.value, value.count >= EntityState.largeValueBytes else { continue }
      let insert = try sql("INSERT OR REPLACE INTO _daybook_values VALUES (?, ?, ?)")
      try insert.bind(1, entity)
      try insert.bind(2, inexact.field)
      try insert.bind(3, value)
      try insert.run()
      kept[index].value = nil
    }
    return kept
  }
}
