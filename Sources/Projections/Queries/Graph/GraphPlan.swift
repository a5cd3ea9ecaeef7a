import DaybookEventCore

/// The data that graph queries on one connection share: the graph's schema and prepared statements.
final class GraphPlan {
  private let graph: GraphSchema
  private let sql: StatementCache
  private let vertices: VertexIndex
  private let negativeWeights: NegativeWeights
  /// By the collections followed; nil for all. Queries with conditions are not kept.
  private var kept: [[String]?: GraphEdges] = [:]
  private static let keptMax = 64

  init(_ schema: StoreSchema, _ sql: StatementCache) {
    graph = GraphSchema(schema)
    self.sql = sql
    vertices = VertexIndex(graph, sql)
    negativeWeights = NegativeWeights(sql)
  }

  /// Drops what holds for one snapshot only.
  func endSnapshot() {
    vertices.endSnapshot()
    negativeWeights.endSnapshot()
  }

  func edges(via: [String]?, where fields: [String: Value], _ condition: GraphCondition?)
    throws(ProjectionError) -> GraphEdges
  {
    let isForAll = fields.isEmpty && condition == nil
    if isForAll, let edges = kept[via] { return edges }
    let edges = try GraphEdges(
      graph, vertices, negativeWeights, via: via, where: fields, condition, sql)
    guard isForAll else { return edges }
    if kept.count >= Self.keptMax { kept = [:] }
    kept[via] = edges
    return edges
  }

  /// Returns the vertex that a text names: `COLLECTION/ID`, or an id that
  /// only one collection holds.
  /// - Throws: ``ProjectionError`` `unknownName`; `ambiguousID` with the choices.
  func vertex(named text: String) throws(ProjectionError) -> GraphVertex {
    var scalars = text.unicodeScalars[...]
    if let slash = scalars.firstIndex(of: "/") {
      let collection = String(scalars[..<slash])
      scalars = scalars[scalars.index(after: slash)...]
      if let number = graph.numbers[collection] {
        let node = GraphNode(collection: number, id: String(scalars))
        if try vertices.isThere(node) { return graph.vertex(node) }
      }
    }
    let found = try vertices.everywhere(text).map(graph.vertex)
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      throw ProjectionError(
        .ambiguousID, "several collections hold an entity “\(text)”", hint: Self.choices(found),
        choices: found)
    }
    throw ProjectionError(
      .unknownName, "there is no entity “\(text)”",
      hint: "Graph queries start from live entities that are no relationships")
  }

  /// The maximum number of choices that a hint names.
  private static let choicesMax = 8

  private static func choices(_ vertices: [GraphVertex]) -> String {
    var names = vertices.prefix(choicesMax).map(\.description)
    if vertices.count > choicesMax { names.append("\(vertices.count - choicesMax) more") }
    return "Say which: " + names.dropLast().joined(separator: ", ") + " or \(names.last ?? "")"
  }
}
