import ArgumentParser
import Daybook
import DaybookJSON
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
      if graph.output.json { return StandardOutput.line(Self.json(found)) }
      try await GraphNames.print(found.vertices, store)
      StandardOutput.line()
      try await store.read { db, schema in
        let names = try GraphNames(db, schema)
        for edge in found.edges {
          if let failure = StandardOutput.failure { throw failure }
          let ends = [edge.source, edge.target].map { Text.oneLine($0.description) }
          StandardOutput.line(
            "  \(ends[0]) ─ \(try names.label(edge)) \(edge.isDirected ? "→" : "─") \(ends[1])")
        }
      }
    }
  }

  private static func json(_ found: Graph.Subgraph) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("vertices")
      writer.array { writer in for reach in found.vertices { reach.json(to: &writer) } }
      writer.key("edges")
      writer.array { writer in for edge in found.edges { edge.json(to: &writer) } }
    }
    return writer.bytes
  }
}
