import ArgumentParser

/// `evtool graph`.
struct GraphCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Walks the graph of relationships.",
    discussion: """
      A vertex is an entity, named by its id; an edge is an entity of a relationship collection. \
      Edges with a missing or deleted end are not followed.

      Examples:
        evtool graph neighbors notes.daybook n1 --direction outgoing
        evtool graph path notes.daybook n1 n9 --weight cost
        evtool graph importance notes.daybook --by page-rank --limit 10
      """,
    subcommands: [
      GraphNeighbors.self, GraphReachCommand.self, GraphPathCommand.self, GraphSubgraph.self,
      GraphImportance.self,
    ])
}
