import ArgumentParser
import Daybook
import Projections

/// `evtool graph subgraph`.
struct GraphSubgraph: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subgraph",
    abstract: "Lists the vertices around some, and all relationships among them.",
    discussion: """
      Example:
        evtool graph subgraph notes.daybook n1 n2 --depth 2
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The ids of the vertices to start from.")
  var from: [String]
  @Option(help: "How many relationships away from any of them.")
  var depth = 1
  @OptionGroup var graph: GraphOptions

  func validate() throws {
    if depth < 0 { throw ValidationError("--depth must not be negative") }
  }

  func run() async throws {
    try await store.read { store in
      let (vertices, edges) = try await store.graph.subgraph(
        from: from, depth: depth, via: graph.collections)
      if graph.output.json { return StandardOutput.line(Self.json(vertices, edges)) }
      let titles = try await Entities.titles(vertices.map(\.id), store)
      let kinds = try await GraphEdge.kinds(edges, store)
      for vertex in vertices {
        StandardOutput.line(
          "\(Text.padded("\(vertex.depth)", 3, right: true))  "
            + Entities.name(vertex.id, titles))
      }
      StandardOutput.line()
      for edge in edges {
        StandardOutput.line(
          "  \(Text.oneLine(edge.source)) ─ \(edge.label(kinds)) → \(Text.oneLine(edge.target))")
      }
    }
  }

  private static func json(_ vertices: [GraphReach], _ edges: [GraphEdge]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("vertices")
      writer.array { writer in
        for vertex in vertices {
          writer.object {
            $0.member("id", vertex.id)
            $0.member("depth", vertex.depth)
          }
        }
      }
      writer.key("edges")
      writer.array { writer in for edge in edges { edge.json(to: &writer) } }
    }
    return writer.bytes
  }
}
