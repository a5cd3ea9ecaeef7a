import ArgumentParser
import Daybook
import DaybookProjections

/// The command `evtool graph subgraph`.
struct GraphSubgraphCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subgraph",
    abstract: "Lists the vertices around some, and all relationships among them.",
    discussion: """
      Example:
        evtool graph subgraph notes.daybook n1 n2 --depth 2
      """)

  @OptionGroup var store: StoreArgument
  @Argument(
    help: "The vertices to start from: COLLECTION/ID, or the id where only one collection has it.")
  var from: [String]
  @Option(help: "How many relationships away from any of them.")
  var depth = 1
  @OptionGroup var graph: GraphOptions

  func validate() throws {
    if depth < 0 { throw ValidationError("--depth must not be negative") }
  }

  func run() async throws {
    try await store.read { store in
      var starts: [Graph.Vertex] = []
      for name in from { starts.append(try await store.graph.vertex(name)) }
      let found = try await store.graph.subgraph(
        from: starts, depth: depth, via: try await graph.collections(store),
        where: try await graph.fields(store))
      let output = graph.output
      try await store.read { db, schema in
        let names = try GraphNames(db, schema)
        try output.show(
          try Report {
            $0.fact("vertices", try found.vertices.map(names.report))
            $0.line("")
            $0.fact("edges", found.edges.map(\.report))
            for edge in found.edges {
              let ends = [edge.source, edge.target].map { Text.oneLine($0.description) }
              let line = edge.isDirected ? "→" : "─"
              $0.line("  \(ends[0]) ─ \(try names.label(edge)) \(line) \(ends[1])")
            }
          })
      }
    }
  }
}
