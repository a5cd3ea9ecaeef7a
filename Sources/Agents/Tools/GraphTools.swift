import Daybook
import DaybookAnswers
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// The tools that follow relationships.
extension AgentTool {
  static let graph: [AgentTool] = [neighbors, path]

  private static func direction(_ arguments: CallArguments) -> Graph.Direction {
    switch arguments.text("direction") {
    case "outgoing"?: .outgoing
    case "incoming"?: .incoming
    default: .both
    }
  }

  private static let neighbors = AgentTool(
    name: "neighbors", title: "Relationships of an entity",
    description: "Lists the relationships of an entity, with both ends.", effect: .reads,
    parameters: [Parameters.vertex, Parameters.via, Parameters.direction, Parameters.limit],
    results: [
      ("relationships", SchemaType.array, "Collection, id, source and target of each."),
      ("truncated", SchemaType.boolean, "Whether there are more; ask by SQL for these."),
    ]
  ) { session, arguments in
    let graph = session.store.graph
    let vertex = try await graph.vertex(try arguments.required("entity"))
    let limit = arguments.integer("limit") ?? ResultBudget.itemsUsual
    let edges = try await graph.neighbors(
      of: vertex, via: arguments.texts("via"), direction: direction(arguments), limit: limit + 1)
    var budget = ResultBudget(limit: limit)
    for edge in edges { guard budget.add(AnswerJSON.edge(edge)) else { break } }
    return [
      ("relationships", .array(budget.items)), ("truncated", .boolean(budget.isTruncated)),
    ]
  }

  private static let path = AgentTool(
    name: "path", title: "Shortest path",
    description:
      "Returns a path of the fewest relationships from one entity to another or, with a weight, "
      + "one of the least total weight.",
    effect: .reads,
    parameters: [
      CallParameter("from", .text, required: true, "COLLECTION/ID, or an id of one collection."),
      CallParameter("to", .text, required: true, "COLLECTION/ID, or an id of one collection."),
      Parameters.via, Parameters.direction,
      CallParameter("weight", .text, "A numeric field of the relationships."),
    ],
    results: [
      ("path", SchemaType.optional(SchemaType.object), "Its entities, relationships and cost.")
    ]
  ) { session, arguments in
    let graph = session.store.graph
    let start = try await graph.vertex(try arguments.required("from"))
    let goal = try await graph.vertex(try arguments.required("to"))
    let found = try await graph.shortestPath(
      from: start, to: goal, via: arguments.texts("via"), direction: direction(arguments),
      weight: arguments.text("weight"))
    guard let found else { return [("path", .null)] }
    return [
      (
        "path",
        .object([
          ("entities", .array(found.vertices.map(AnswerJSON.vertex))),
          ("relationships", .array(found.edges.map(AnswerJSON.edge))), ("cost", .real(found.cost)),
        ])
      )
    ]
  }
}
