import DaybookEventCore

/// The relationships that a query follows, in one snapshot, and the vertices at their ends.
///
/// An end refers to the entity with its id in the collection that it references. An end that
/// references no collection refers to the entities with that id in every collection, so one
/// relationship then stands for several edges. A new entity may therefore add edges, but never
/// takes one away from another.
final class GraphEdges {
  let schema: GraphSchema
  let vertices: VertexIndex
  /// The relationship collections that are followed.
  let relationships: [CollectionSchema]
  private let steps: [Steps]
  /// By direction and the number of the vertex's collection; filled on first use.
  private var stepsFrom: [GraphDirection: [[GraphStep]?]] = [:]
  private let negativeWeights: NegativeWeights

  /// The ways to follow one relationship collection.
  private struct Steps {
    let forward: GraphStep
    let back: GraphStep
    /// The step forward over undirected relationships only; nil if all are directed.
    let undirectedForward: GraphStep?
    let undirectedBack: GraphStep?

    func following(_ direction: GraphDirection) -> [GraphStep] {
      switch direction {
      case .outgoing: [forward] + (undirectedBack.map { [$0] } ?? [])
      case .incoming: [back] + (undirectedForward.map { [$0] } ?? [])
      case .both: [forward, back]
      }
    }
  }

  /// - Parameters:
  ///   - schema: the graph that the read model's schema describes.
  ///   - vertices: the vertices of the snapshot.
  ///   - negativeWeights: the negative weights of the snapshot.
  ///   - via: the names of the relationship collections to follow; nil for all.
  ///   - fields: the values that the fields of a relationship must hold.
  ///   - condition: what each relationship must meet, too; nil for nothing. Only for one
  ///     collection.
  ///   - sql: the connection's statements.
  /// - Throws: ``ProjectionError`` `unknownName`, `invalidQuery`.
  init(
    _ schema: GraphSchema, _ vertices: VertexIndex, _ negativeWeights: NegativeWeights,
    via: [String]?, where fields: [String: Value], _ condition: GraphCondition?,
    _ sql: StatementCache
  ) throws(ProjectionError) {
    self.schema = schema
    self.vertices = vertices
    self.negativeWeights = negativeWeights
    let followed = try Self.relationships(schema, via)
    relationships = followed.map(\.schema)
    let filter = try GraphFilter(fields, condition, relationships)
    steps = followed.map { relationship in
      func step(forward isForward: Bool, undirectedOnly: Bool = false) -> GraphStep {
        GraphStep(
          relationship, isForward: isForward, isUndirectedOnly: undirectedOnly, filter, sql)
      }
      let (forward, back) = (step(forward: true), step(forward: false))
      switch relationship.schema.directedness {
      case .directed:
        return Steps(
          forward: forward, back: back, undirectedForward: nil, undirectedBack: nil)
      case .undirected:
        return Steps(
          forward: forward, back: back, undirectedForward: forward, undirectedBack: back)
      case .field:
        return Steps(
          forward: forward, back: back,
          undirectedForward: step(forward: true, undirectedOnly: true),
          undirectedBack: step(forward: false, undirectedOnly: true))
      }
    }
  }

  private static func relationships(_ schema: GraphSchema, _ via: [String]?)
    throws(ProjectionError) -> [GraphSchema.Relationship]
  {
    guard let via else { return schema.relationships }
    for name in via where !schema.relationships.contains(where: { $0.schema.name == name }) {
      let known = schema.relationships.map(\.schema.name)
      var error = ProjectionError(
        .unknownName, "“\(name)” is not a relationship collection",
        hint: known.isEmpty ? "None is defined" : "There are: \(known.joined(separator: ", "))")
      error.collection = name
      throw error
    }
    return schema.relationships.filter { via.contains($0.schema.name) }
  }

  // MARK: - Vertices

  /// Returns the node of a vertex.
  /// - Throws: ``ProjectionError`` `unknownName` if it is no live entity, or a relationship.
  func node(_ vertex: GraphVertex) throws(ProjectionError) -> GraphNode {
    guard let number = schema.numbers[vertex.collection] else {
      let isRelationship = schema.relationships.contains { $0.schema.name == vertex.collection }
      throw ProjectionError(
        .unknownName,
        isRelationship
          ? "“\(vertex.collection)” is a relationship collection, and its entities are no vertices"
          : "there is no collection “\(vertex.collection)”",
        hint: "Graph queries start from live entities that are no relationships")
    }
    let node = GraphNode(collection: number, id: vertex.id)
    guard try vertices.isThere(node) else {
      throw ProjectionError(
        .unknownName, "there is no entity “\(vertex.id)” in \(vertex.collection)",
        hint: "Graph queries start from live entities that are no relationships")
    }
    return node
  }

  /// The numbers of the collections to which the followed relationships may lead, sorted by name.
  var vertexCollections: [Int] {
    let ends = Set(steps.flatMap { [$0.forward.from, $0.forward.to] })
    return schema.collections.indices.filter { number in
      ends.contains { $0.refers(to: number) }
    }
  }

  /// Returns the vertices to which an end with an id may refer. If the end references one
  /// collection, the vertex need not exist.
  private func candidates(_ end: GraphSchema.End, _ id: String) throws(ProjectionError)
    -> [GraphNode]
  {
    switch end {
    case .one(let collection): [GraphNode(collection: collection, id: id)]
    case .every: try vertices.everywhere(id)
    case .nothing: []
    }
  }

  /// Returns the existing vertices to which an end with an id refers.
  func referred(_ end: GraphSchema.End, _ id: String) throws(ProjectionError) -> [GraphNode] {
    switch end {
    case .one(let collection):
      let node = GraphNode(collection: collection, id: id)
      return try vertices.isThere(node) ? [node] : []
    case .every: return try vertices.everywhere(id)
    case .nothing: return []
    }
  }

  // MARK: - Edges

  /// Returns the steps that follow relationships from a vertex. If a relationship is followed from
  /// both ends, the step from its source comes first.
  func steps(from node: GraphNode, _ direction: GraphDirection) -> [GraphStep] {
    if let known = stepsFrom[direction]?[node.collection] { return known }
    let found = steps.flatMap { $0.following(direction) }.filter {
      $0.from.refers(to: node.collection) && $0.to != .nothing
    }
    stepsFrom[
      direction, default: Array(repeating: nil, count: schema.collections.count)][node.collection] =
      found
    return found
  }

  /// The steps from source to target, one for each relationship collection.
  var forward: [GraphStep] { steps.map(\.forward) }

  /// Returns the vertices to which relationships of a vertex lead, with repetitions. If an end
  /// references one collection, its vertex need not exist.
  func others(of node: GraphNode, _ direction: GraphDirection) throws(ProjectionError)
    -> [GraphNode]
  {
    var others: [GraphNode] = []
    for step in steps(from: node, direction) {
      try step.others(of: node.id) { id throws(ProjectionError) in
        if case .one(let collection) = step.to {
          others.append(GraphNode(collection: collection, id: id))
        } else {
          others += try candidates(step.to, id)
        }
      }
    }
    return others
  }

  /// Returns the number of a vertex's relationships, counted up to `bound`.
  /// Cost: proportional to it.
  func degree(of node: GraphNode, _ direction: GraphDirection, upTo bound: Int)
    throws(ProjectionError) -> Int
  {
    var sum = 0
    for step in steps(from: node, direction) where sum < bound {
      sum += try step.degree(of: node.id, upTo: bound - sum)
    }
    return sum
  }

  /// Returns the first relationship that leads from one vertex to the other; nil if there is none.
  func edge(from a: GraphNode, to b: GraphNode, _ direction: GraphDirection)
    throws(ProjectionError) -> GraphEdge?
  {
    for step in steps(from: a, direction) where step.to.refers(to: b.collection) {
      if let row = try step.row(from: a.id, to: b.id) {
        return step.edge(schema, a, b, row, weight: nil)
      }
    }
    return nil
  }

  // MARK: - Weights

  /// Requires that a numeric field of that name exists.
  /// - Throws: ``ProjectionError`` `unknownName` if no followed relationship has such a field.
  func requireNumeric(_ field: String) throws(ProjectionError) {
    guard relationships.contains(where: { $0.numericField(field) != nil }) else {
      let numeric = relationships.flatMap(\.fields).filter {
        $0.type == .real || $0.type == .integer
      }
      let names = Set(numeric.map(\.name)).sorted(by: utf8Less).joined(separator: ", ")
      throw ProjectionError(
        .unknownName, "no relationship that is followed has a numeric field “\(field)”",
        hint: names.isEmpty ? nil : "There are: \(names)")
    }
  }

  /// Requires that a field can weigh relationships.
  /// - Throws: ``ProjectionError`` `unknownName` if no followed relationship has such a numeric
  ///   field, `invalidQuery` if a followed one has a negative weight.
  func requireWeight(_ field: String) throws(ProjectionError) {
    try requireNumeric(field)
    guard let negative = try negativeWeight(field) else { return }
    throw ProjectionError(
      .invalidQuery,
      "“\(negative.id)” of \(negative.collection) has the negative weight \(negative.weight)",
      hint: "Weights are at least 0: put it right, or leave it out by a condition on its fields")
  }

  private func negativeWeight(_ field: String) throws(ProjectionError) -> NegativeWeights.Found? {
    for step in forward {
      if let found = try negativeWeights.first(in: step, field) { return found }
    }
    return nil
  }
}
