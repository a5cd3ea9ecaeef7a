import ArgumentParser

/// The command `evtool graph`.
struct GraphCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Walks the graph of relationships.",
    discussion: """
      A vertex is an entity, named COLLECTION/ID, or by its id where only one collection has it; \
      an edge is an entity of a relationship collection. Edges with a missing or deleted end are \
      not followed, and those that are not directed are followed both ways.

      Examples:
        evtool graph neighbors notes.daybook notes/n1 --direction outgoing
        evtool graph path notes.daybook n1 n9 --weight cost
        evtool graph reach notes.daybook n1 --where kind=cites
        evtool graph importance notes.daybook --by page-rank --limit 10
      """,
    subcommands: [
      GraphNeighborsCommand.self, GraphReachCommand.self, GraphPathCommand.self,
      GraphSubgraphCommand.self, GraphImportanceCommand.self, GraphComponentsCommand.self,
      GraphCyclesCommand.self,
    ])
}
