/// Functions of nodes, relationships and paths.
extension GQLFunction {
  static let graph: [GQLFunction] = [
    GQLFunction(
      "id", .graph, 1...1, .string, takes: [.node, .relationship],
      "the id of the entity that a node or relationship is"
    ) { arguments, _ in
      switch arguments[0] {
      case .node(let node): return .string(node.id.id)
      case .relationship(let one): return .string(one.id.id)
      default: throw wrong("id", arguments[0])
      }
    },
    GQLFunction(
      "elementId", .graph, 1...1, .string, takes: [.node, .relationship],
      "collection and id of a node or relationship, as one text"
    ) { arguments, _ in
      switch arguments[0] {
      case .node(let node): return .string("\(node.id.collection)/\(node.id.id)")
      case .relationship(let one): return .string("\(one.id.collection)/\(one.id.id)")
      default: throw wrong("elementId", arguments[0])
      }
    },
    GQLFunction("labels", .graph, 1...1, .list, takes: [.node], "the labels of a node") {
      arguments, run in
      guard case .node(let node) = arguments[0] else { throw wrongValue("labels", arguments[0]) }
      return .list(try run.current(node).labels.map { .string($0) })
    },
    GQLFunction("type", .graph, 1...1, .string, takes: [.relationship], "a relationship's type") {
      arguments, _ in
      guard case .relationship(let one) = arguments[0] else {
        throw wrongValue("type", arguments[0])
      }
      return .string(one.type)
    },
    GQLFunction(
      "properties", .graph, 1...1, .map, takes: [.node, .relationship, .map],
      "all properties, as a map"
    ) { arguments, run in .map(try map("properties", arguments[0], run)) },
    GQLFunction(
      "keys", .graph, 1...1, .list, takes: [.node, .relationship, .map],
      "the names of all properties"
    ) { arguments, run in
      .list(try map("keys", arguments[0], run).keys.map { .string($0) })
    },
    end("startNode", "the node where a relationship begins") { $0.source },
    end("endNode", "the node where a relationship ends") { $0.target },
    GQLFunction("nodes", .graph, 1...1, .list, takes: [.path], "the nodes of a path") {
      arguments, _ in
      guard case .path(let path) = arguments[0] else { throw wrong("nodes", arguments[0]) }
      return .list(path.nodes.map { .node($0) })
    },
    GQLFunction(
      "relationships", .graph, 1...1, .list, takes: [.path], "the relationships of a path"
    ) { arguments, _ in
      guard case .path(let path) = arguments[0] else { throw wrong("relationships", arguments[0]) }
      return .list(path.relationships.map { .relationship($0) })
    },
    GQLFunction(
      "length", .graph, 1...1, .integer, takes: [.path], "the number of a path's relationships"
    ) { arguments, _ in
      guard case .path(let path) = arguments[0] else { throw wrong("length", arguments[0]) }
      return .integer(Int64(path.relationships.count))
    },
    GQLFunction(
      "exists", .predicates, 1...1, .boolean, seesNull: true, isTotal: true,
      "whether a property is there"
    ) { arguments, _ in .boolean(!arguments[0].isNull) },
  ]

  private static func map(_ name: String, _ value: GQLValue, _ run: PlanRun) throws -> GQLMap {
    switch value {
    case .node(let node): return try run.current(node).properties
    case .relationship(let one): return try run.current(one).properties
    case .map(let map): return map
    default: throw wrong(name, value)
    }
  }

  private static func end(
    _ name: String, _ summary: String,
    _ id: @escaping @Sendable (GQLRelationship) -> GQLElementID
  ) -> GQLFunction {
    GQLFunction(name, .graph, 1...1, .node, takes: [.relationship], summary) { arguments, run in
      guard case .relationship(let one) = arguments[0] else { throw wrong(name, arguments[0]) }
      return try run.graph.node(id(one)).map { .node($0) } ?? .null
    }
  }

}
