import GRDB

/// The relationships of a snapshot, by their ends: statements over the covering indexes.
package final class GraphEdges {
  private let db: Database
  let relationships: [CollectionSchema]
  /// Asks each collection whether it has an entity.
  private let vertexSQL: [String]
  /// The other ends of a vertex's relationships, by collection, and how many there are.
  private var targets: [Ends]
  private var sources: [Ends]
  private let sql: StatementCache

  /// Statements about one end of a collection's relationships. A search asks for thousands of vertices: they are
  /// looked up once.
  private struct Ends {
    let table: String
    /// Which end is given, and which is asked for.
    let (given, other): (String, String)
    private var othersQuery: Statement?
    private var degreeQuery: Statement?

    init(_ collection: CollectionSchema, given: String, other: String) {
      table = Names.quoted(collection.name)
      (self.given, self.other) = (given, other)
    }

    mutating func others(_ sql: StatementCache) throws(ProjectionError) -> Statement {
      if let othersQuery { return othersQuery }
      let query = try sql("SELECT \(other) FROM \(table) WHERE \(given) = ?")
      othersQuery = query
      return query
    }

    mutating func degree(_ sql: StatementCache) throws(ProjectionError) -> Statement {
      if let degreeQuery { return degreeQuery }
      let query = try sql(
        "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(given) = ? LIMIT ?)")
      degreeQuery = query
      return query
    }
  }
  private var known: [GraphID: Bool] = [:]

  init(_ db: Database, schema: Schema, via: [String]?) throws {
    self.db = db
    guard let connection = db.sqliteConnection else {
      throw ProjectionError(.sqlite, "the read model is closed")
    }
    sql = StatementCache(connection)
    if let via {
      relationships = try via.map { name throws(ProjectionError) in
        guard let collection = schema[name], collection.isRelationship else {
          throw ProjectionError(
            .unknownName, "“\(name)” is not a relationship collection",
            hint: "There are: \(schema.relationships.map(\.name).joined(separator: ", "))")
        }
        return collection
      }
    } else {
      relationships = schema.relationships
    }
    // Written once: a search asks for thousands of vertices.
    vertexSQL = schema.sorted.filter { !$0.isRelationship }.map {
      "SELECT 1 FROM \(Names.quoted($0.name)) WHERE id = ?"
    }
    targets = relationships.map { Ends($0, given: "source", other: "target") }
    sources = relationships.map { Ends($0, given: "target", other: "source") }
  }

  // MARK: Vertices

  /// Whether a live entity of that id is there. Remembers what it has looked up.
  package func isVertex(_ id: String) throws -> Bool {
    let key = GraphID(id)
    if let isKnown = known[key] { return isKnown }
    var isVertex = false
    for text in vertexSQL where !isVertex {
      let query = try sql(text)
      try query.bind(1, id)
      isVertex = try query.step()
      query.reset()
    }
    known[key] = isVertex
    return isVertex
  }

  func requireVertex(_ id: String) throws {
    guard try isVertex(id) else {
      throw ProjectionError(
        .unknownName, "there is no entity “\(id)”",
        hint: "Graph queries start from the id of a live entity that is not a relationship")
    }
  }

  func requireWeight(_ field: String) throws(ProjectionError) {
    for collection in relationships {
      if let type = collection[field: field]?.type, type == .real || type == .integer { return }
    }
    throw ProjectionError(.unknownName, "no relationship has a numeric field “\(field)”")
  }

  // MARK: Edges

  /// The other ends of a vertex's relationships; with repetitions, and whether they are there or not.
  package func others(of id: String, _ direction: GraphDirection) throws -> [String] {
    var others: [String] = []
    for index in relationships.indices {
      if direction != .incoming { try collect(try targets[index].others(sql), id, &others) }
      if direction != .outgoing { try collect(try sources[index].others(sql), id, &others) }
    }
    return others
  }

  /// How many relationships a vertex has, none counted beyond `bound`. Cost: proportional to that.
  func degree(of id: String, _ direction: GraphDirection, upTo bound: Int) throws -> Int {
    var sum = 0
    for index in relationships.indices {
      if direction != .incoming { try count(try targets[index].degree(sql), id, bound, &sum) }
      if direction != .outgoing { try count(try sources[index].degree(sql), id, bound, &sum) }
    }
    return sum
  }

  private func count(_ query: Statement, _ id: String, _ bound: Int, _ sum: inout Int)
    throws(ProjectionError)
  {
    guard sum < bound else { return }
    try query.bind(1, id)
    try query.bind(2, bound - sum)
    if try query.step() { sum += query.int(0) }
    query.reset()
  }

  private func collect(_ query: Statement, _ id: String, _ others: inout [String])
    throws(ProjectionError)
  {
    try query.bind(1, id)
    while try query.step() { if !query.isNull(0) { others.append(query.text(0)) } }
    query.reset()
  }

  func edges(of id: String, _ direction: GraphDirection) throws -> [GraphEdge] {
    try weightedEdges(of: id, direction, weight: nil).map(\.edge)
  }

  func weightedEdges(of id: String, _ direction: GraphDirection, weight: String?) throws
    -> [(edge: GraphEdge, weight: Double)]
  {
    var found: [(GraphEdge, Double)] = []
    for collection in relationships {
      let weightSQL = weightExpression(collection, weight)
      let select =
        "SELECT id, source, target, \(weightSQL) FROM \(Names.quoted(collection.name))"
      var conditions: [String] = []
      if direction != .incoming { conditions.append("source = ?1") }
      // A loop is its own reverse: it counts once.
      if direction == .both { conditions.append("target = ?1 AND source IS NOT ?1") }
      if direction == .incoming { conditions.append("target = ?1") }
      for condition in conditions {
        let query = try sql("\(select) WHERE \(condition) ORDER BY target, source, id")
        try query.bind(1, id)
        while try query.step() {
          guard !query.isNull(1), !query.isNull(2) else { continue }
          let edge = GraphEdge(
            collection: collection.name, id: query.text(0), source: query.text(1),
            target: query.text(2))
          found.append((edge, query.real(3)))
        }
        query.reset()
      }
    }
    return found
  }

  func weightExpression(_ collection: CollectionSchema, _ weight: String?) -> String {
    guard let weight, let field = collection[field: weight],
      field.type == .real || field.type == .integer
    else { return "1.0" }
    return "coalesce(\(Names.quoted(field.name)), 1.0)"
  }

  /// Some relationship that leads from one vertex to the other in the given direction.
  func edge(between a: String, and b: String, _ direction: GraphDirection) throws -> GraphEdge? {
    for collection in relationships {
      for (source, target, fits) in [
        (a, b, direction != .incoming), (b, a, direction != .outgoing),
      ] where fits {
        let query = try sql(
          """
          SELECT id FROM \(Names.quoted(collection.name)) WHERE source = ? AND target = ?
          ORDER BY id LIMIT 1
          """)
        try query.bind(1, source)
        try query.bind(2, target)
        defer { query.reset() }
        if try query.step() {
          return GraphEdge(
            collection: collection.name, id: query.text(0), source: source, target: target)
        }
      }
    }
    return nil
  }

  /// Calls `body` with the ends and the weight of every relationship.
  func forEachEdge(weight: String?, _ body: (String, String, Double) throws -> Void) throws {
    for collection in relationships {
      let query = try sql(
        """
        SELECT source, target, \(weightExpression(collection, weight))
        FROM \(Names.quoted(collection.name))
        """)
      defer { query.reset() }
      while try query.step() {
        guard !query.isNull(0), !query.isNull(1) else { continue }
        try body(query.text(0), query.text(1), query.real(2))
      }
    }
  }
}
