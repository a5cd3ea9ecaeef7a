import DaybookEventCore

/// Determines the owner of each unique value of a whole collection, and parks the other entities.
///
/// Cost: nothing if no field is unique; otherwise one pass over the collection.
struct UniqueFold {
  let projector: Projector
  let table: CollectionTable

  private var sql: StatementCache { projector.sql }
  private var entities: EntityStore { projector.entities }

  /// Records which entity has which unique value.
  func claim() throws(ProjectionError) {
    guard !table.uniqueRules.isEmpty else { return }
    let columns = Set(table.uniqueRules.flatMap(\.columns)).sorted()
    let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0) })
    let names = columns.map { ", t.\(Names.quoted(table.columns[$0].schema.name))" }.joined()
    let query = try sql(
      """
      SELECT t._rowid_, t.id, e.state\(names) FROM \(table.quotedName) t
      JOIN _daybook_entities e ON e.number = t._rowid_ ORDER BY t._rowid_
      """)
    defer { query.reset() }
    while try query.step() {
      let cells = columns.indices.map { query.cell(Int32($0 + 3)) }
      let values = table.uniqueRules.compactMap { rule in
        let own = rule.columns.compactMap { places[$0].map { cells[$0] } }
        return UniqueIndex.value(of: own, by: rule).map { (rule.number, $0) }
      }
      guard !values.isEmpty else { continue }
      let (number, id) = (query.integer(0), query.text(1))
      let rank = try rank(of: query.blob(2), id)
      for (field, value) in values {
        try entities.unique.insert(
          .init(field: field, value: value, rank: rank), by: number, id: id, in: table)
      }
    }
  }

  private func rank(of bytes: [UInt8], _ id: String) throws(ProjectionError) -> [UInt8] {
    let state: EntityState
    do throws(EventError) {
      state = try bytes.withRawBytes { raw throws(EventError) in try EntityState(decoding: raw) }
    } catch {
      throw .damaged("the state of “\(id)” of \(table.name): \(error)")
    }
    return try entities.rank(of: state, id, table)
  }

  /// Removes the rows of entities that do not own all of their unique values.
  func park() throws(ProjectionError) {
    guard !table.uniqueRules.isEmpty else { return }
    let query = try sql(
      """
      SELECT u.entity FROM _daybook_unique u
      WHERE u.collection = ?1 AND EXISTS (SELECT 1 FROM _daybook_unique o
        WHERE o.collection = ?1 AND o.field = u.field AND o.value = u.value AND o.rank < u.rank)
      ORDER BY u.entity
      """)
    try query.bind(1, table.number)
    defer { query.reset() }
    var last: Int64?
    while try query.step() {
      let number = query.integer(0)
      guard number != last else { continue }
      last = number
      var record = try entities.load(table, number: number)
      try entities.write(&record, isParked: true)
    }
  }
}
