import EventCore

/// The relationships that a query follows, in one snapshot, and the vertices at their ends.
///
/// An end refers to the entity of its id in the collection that it references. An end that references no
/// collection refers to every entity of that id, whichever collection holds it: one relationship then stands
/// for several edges. So a new entity may add edges, and never takes one away from another.
final class GraphEdges {
  let schema: GraphSchema
  let vertices: VertexIndex
  /// Those that are followed.
  let relationships: [CollectionSchema]
  private let steps: [Steps]
  /// By direction and the number of the collection that a vertex is in, from when it is first asked for.
  private var stepsFrom: [GraphDirection: [[GraphStep]?]] = [:]
  private let negativeWeights: NegativeWeights

  /// How one relationship collection is followed.
  private struct Steps {
    let forward: GraphStep
    let back: GraphStep
    /// The same for those that are not directed only; nil where all are.
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
  ///   - via: the names of the relationship collections to follow; nil for all.
  ///   - fields: what the fields of a relationship must hold.
  /// - Throws: ``ProjectionError`` `unknownName`, `invalidQuery`.
  init(
    _ schema: GraphSchema, _ vertices: VertexIndex, _ negativeWeights: NegativeWeights,
    via: [String]?, where fields: [String: Value], _ sql: StatementCache
  ) throws(ProjectionError) {
    self.schema = schema
    self.vertices = vertices
    self.negativeWeights = negativeWeights
    let followed = try Self.relationships(schema, via)
    relationships = followed.map(\.schema)
    let filter = try GraphFilter(fields, relationships)
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
      throw ProjectionError(
        .unknownName, "“\(name)” is not a relationship collection",
        hint: known.isEmpty ? "None is defined" : "There are: \(known.joined(separator: ", "))")
    }
    return schema.relationships.filter { via.contains($0.schema.name) }
  }

  // MARK: Vertices

  /// - Throws: ``ProjectionError`` `unknownName` for what is no live entity, or a relationship.
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

  /// The collections to which relationships that are followed may lead, in the order of their names.
  var vertexCollections: [Int] {
    let ends = Set(steps.flatMap { [$0.forward.from, $0.forward.to] })
    return schema.collections.indices.filter { number in
      ends.contains { $0.refers(to: number) }
    }
  }

  /// The vertices to which an end with that id refers, which need not be there where it can be only one.
  private func candidates(_ end: GraphSchema.End, _ id: String) throws(ProjectionError)
    -> [GraphNode]
  {
    switch end {
    case .one(let collection): [GraphNode(collection: collection, id: id)]
    case .every: try vertices.everywhere(id)
    case .nothing: []
    }
  }

  /// The same, of those that are there.
  func referred(_ end: GraphSchema.End, _ id: String) throws(ProjectionError) -> [GraphNode] {
    switch end {
    case .one(let collection):
      let node = GraphNode(collection: collection, id: id)
      return try vertices.isThere(node) ? [node] : []
    case .every: return try vertices.everywhere(id)
    case .nothing: return []
    }
  }

  // MARK: Edges

  /// The ways to follow relationships from a vertex. Where a relationship is followed from both ends, the
  /// step from its source comes first.
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

  /// From the source to the target, of every relationship.
  var forward: [GraphStep] { steps.map(\.forward) }

  /// What relationships of a vertex lead to; with repetitions. A vertex need not be there where the end
  /// says which collection it refers to.
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

  /// How many relationships a vertex has, none counted beyond `bound`. Cost: proportional to that.
  func degree(of node: GraphNode, _ direction: GraphDirection, upTo bound: Int)
    throws(ProjectionError) -> Int
  {
    var sum = 0
    for step in steps(from: node, direction) where sum < bound {
      sum += try step.degree(of: node.id, upTo: bound - sum)
    }
    return sum
  }

  /// The first relationship that leads from one vertex to the other.
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

  // MARK: Weights

  /// - Throws: ``ProjectionError`` `unknownName` where no relationship has such a field.
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

  /// - Throws: ``ProjectionError`` `unknownName` where no relationship has such a field, `invalidQuery`
  ///   where one that is followed has a negative weight.
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
