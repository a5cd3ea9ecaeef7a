/// One way to follow the relationships of a collection, from one end to the other. It holds the
/// statements for that, each prepared on first use.
final class GraphStep {
  let relationship: GraphSchema.Relationship
  /// Whether the step leads from the source to the target.
  let isForward: Bool
  /// The entities to which the given end refers.
  let from: GraphSchema.End
  /// The entities to which the other end refers.
  let to: GraphSchema.End

  private let sql: StatementCache
  /// The condition on relationships to follow, as ` AND …`.
  private let condition: String
  /// The same condition where one end is given.
  ///
  /// SQLite does not use an index for a term behind a unary plus. Without it, SQLite may take the
  /// index of a field in the condition, and read all relationships of a kind for each vertex.
  private let endCondition: String
  /// The parameters of the condition, from ?3 on.
  private let values: [Cell]
  /// Whether the query's filter leaves out relationships.
  let isFiltered: Bool
  private var othersQuery: Statement?
  private var degreeQuery: Statement?
  private var rowsQuery: Statement?
  /// The row order, and with it the weight, of ``rowsQuery``.
  private var rowsOrder: RowOrder?

  /// - Parameters:
  ///   - relationship: the relationship collection.
  ///   - isForward: whether the step leads from the source to the target.
  ///   - isUndirectedOnly: whether the step follows only undirected relationships.
  ///   - filter: the values that a relationship's fields must hold.
  ///   - sql: the connection's statements.
  init(
    _ relationship: GraphSchema.Relationship, isForward: Bool, isUndirectedOnly: Bool,
    _ filter: GraphFilter, _ sql: StatementCache
  ) {
    self.relationship = relationship
    self.isForward = isForward
    self.sql = sql
    from = isForward ? relationship.source : relationship.target
    to = isForward ? relationship.target : relationship.source
    let (condition, values) = filter.condition(on: relationship.schema)
    isFiltered = !condition.isEmpty
    var text = condition
    if isUndirectedOnly, let column = relationship.directedColumn {
      text += " AND \(Names.quoted(column)) IS 0"
    }
    self.condition = text
    self.values = values
    let given = isForward ? "source" : "target"
    // Such an index may hold fields of the condition, too, so SQLite chooses.
    let hasLongerIndex = relationship.schema.indexes.contains { $0.columns.first?.field == given }
    endCondition =
      text.isEmpty || hasLongerIndex ? text : " AND +(\(text.dropFirst(" AND ".count)))"
  }

  private var table: String { Names.quoted(relationship.schema.name) }
  private var given: String { isForward ? "source" : "target" }
  private var other: String { isForward ? "target" : "source" }

  private func prepare(_ text: String) throws(ProjectionError) -> Statement {
    let query = try sql(text)
    for (index, value) in values.enumerated() { try query.bind(Int32(index + 3), value) }
    return query
  }

  // MARK: - One vertex

  /// Calls `body` with the ids at the other ends of a vertex's relationships, with repetitions. The
  /// entities need not exist.
  func others(of id: String, _ body: (String) throws(ProjectionError) -> Void)
    throws(ProjectionError)
  {
    let query: Statement
    if let othersQuery {
      query = othersQuery
    } else {
      query = try prepare("SELECT \(other) FROM \(table) WHERE \(given) = ?1\(endCondition)")
      othersQuery = query
    }
    defer { query.reset() }
    try query.bind(1, id)
    while try query.step() { if !query.isNull(0) { try body(query.text(0)) } }
  }

  /// Returns the number of a vertex's relationships, counted up to `bound`.
  /// Cost: proportional to it.
  func degree(of id: String, upTo bound: Int) throws(ProjectionError) -> Int {
    let query: Statement
    if let degreeQuery {
      query = degreeQuery
    } else {
      query = try prepare(
        "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(given) = ?1\(endCondition) LIMIT ?2)")
      degreeQuery = query
    }
    defer { query.reset() }
    try query.bind(1, id)
    try query.bind(2, bound)
    return try query.step() ? query.int(0) : 0
  }

  /// The order of a vertex's relationships.
  enum RowOrder: Hashable {
    /// By the id of the other end, then by that of the relationship.
    case ends(weight: String?)
    /// The heaviest first.
    case weight(String)

    var weight: String? {
      switch self {
      case .ends(let weight): weight
      case .weight(let weight): weight
      }
    }
  }

  struct Row {
    /// The relationship's id.
    var id: String
    /// The id at the other end.
    var other: String
    var weight: Double
    var isDirected: Bool
  }

  /// Calls `body` with the relationships of a vertex until it returns false. Cost: proportional to
  /// the relationships read; sorting by weight reads all of them.
  func rows(
    of id: String, _ order: RowOrder, _ body: (Row) throws(ProjectionError) -> Bool
  ) throws(ProjectionError) {
    let query: Statement
    if let rowsQuery, rowsOrder == order {
      query = rowsQuery
    } else {
      let sorted = if case .weight = order { "4 DESC, \(other), id" } else { "\(other), id" }
      query = try prepare(
        """
        SELECT id, \(other), \(directedSQL), \(weightSQL(order.weight)) FROM \(table)
        WHERE \(given) = ?1\(endCondition) ORDER BY \(sorted)
        """)
      rowsQuery = query
      rowsOrder = order
    }
    defer { query.reset() }
    try query.bind(1, id)
    while try query.step() {
      guard !query.isNull(1) else { continue }
      let row = Row(
        id: query.text(0), other: query.text(1), weight: query.real(3),
        isDirected: query.int(2) != 0)
      guard try body(row) else { return }
    }
  }

  /// Returns the relationship between two ids that has the smallest id; nil if there is none.
  func row(from id: String, to other: String) throws(ProjectionError) -> Row? {
    let query = try prepare(
      """
      SELECT id, \(directedSQL) FROM \(table) WHERE \(given) = ?1 AND \(self.other) = ?2
        \(endCondition) ORDER BY +id LIMIT 1
      """)
    defer { query.reset() }
    try query.bind(1, id)
    try query.bind(2, other)
    guard try query.step() else { return nil }
    return Row(id: query.text(0), other: other, weight: 1, isDirected: query.int(1) != 0)
  }

  func edge(_ schema: GraphSchema, _ from: GraphNode, _ to: GraphNode, _ row: Row, weight: Double?)
    -> GraphEdge
  {
    let (source, target) = isForward ? (from, to) : (to, from)
    return GraphEdge(
      collection: relationship.schema.name, id: row.id, source: schema.vertex(source),
      target: schema.vertex(target), isDirected: row.isDirected, weight: weight)
  }

  // MARK: - All relationships

  /// Calls `body` with the source, target, weight and directedness of every relationship.
  func forEach(
    weight: String?, _ body: (String, String, Double, Bool) throws(ProjectionError) -> Void
  ) throws(ProjectionError) {
    let query = try prepare(
      """
      SELECT source, target, \(directedSQL), \(weightSQL(weight)) FROM \(table)
      WHERE true\(condition)
      """)
    defer { query.reset() }
    while try query.step() {
      guard !query.isNull(0), !query.isNull(1) else { continue }
      try body(query.text(0), query.text(1), query.real(3), query.int(2) != 0)
    }
  }

  /// Returns the relationship with a negative weight that has the smallest id; nil if there is
  /// none. Cost: a look into the field's index; without one, reads all relationships.
  func negativeWeight(_ field: String) throws(ProjectionError) -> NegativeWeights.Found? {
    guard let column = relationship.schema.numericField(field)?.name else { return nil }
    let name = Names.quoted(column)
    let query = try prepare(
      """
      SELECT id, \(name) FROM \(table) WHERE \(name) < 0\(condition) ORDER BY +id LIMIT 1
      """)
    defer { query.reset() }
    guard try query.step() else { return nil }
    return NegativeWeights.Found(
      collection: relationship.schema.name, id: query.text(0), weight: query.real(1))
  }

  private var directedSQL: String {
    if let column = relationship.directedColumn { return "\(Names.quoted(column)) IS NOT 0" }
    return relationship.mayBeUndirected ? "0" : "1"
  }

  /// Returns the SQL of the weight; a relationship without a value weighs 1.
  private func weightSQL(_ field: String?) -> String {
    guard let field, let column = relationship.schema.numericField(field)?.name else {
      return "1.0"
    }
    return "coalesce(\(Names.quoted(column)), 1.0)"
  }
}

extension CollectionSchema {
  func numericField(_ name: String) -> FieldSchema? {
    guard let field = self[field: name], field.type == .real || field.type == .integer else {
      return nil
    }
    return field
  }
}
