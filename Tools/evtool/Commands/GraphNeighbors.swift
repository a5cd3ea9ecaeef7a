import ArgumentParser
import Daybook
import Projections

/// `evtool graph neighbors`.
struct GraphNeighbors: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "neighbors",
    abstract: "Lists the relationships of one vertex.",
    discussion: """
      Example:
        evtool graph neighbors notes.daybook n1 --direction outgoing
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The vertex's id.")
  var id: String
  @Option(help: "outgoing, incoming or both.")
  var direction = Direction.both
  @OptionGroup var graph: GraphOptions

  func run() async throws {
    let edges = try await store.read { store in
      let edges = try await store.graph.neighbors(
        of: id, via: graph.collections, direction: direction.graph)
      if !graph.output.json { try await print(edges, store) }
      return edges
    }
    if graph.output.json {
      var writer = JSONWriter()
      writer.array { writer in for edge in edges { edge.json(to: &writer) } }
      StandardOutput.line(writer.bytes)
    }
    guard !edges.isEmpty else {
      throw Failure(.problem, "\(id.quotedForMessage) has no such neighbours")
    }
  }

  private func print(_ edges: [GraphEdge], _ store: Store) async throws {
    let others = edges.map { $0.source == id ? $0.target : $0.source }
    let titles = try await Entities.titles(others, store)
    let kinds = try await GraphEdge.kinds(edges, store)
    let width = edges.map { Text.width($0.label(kinds)) }.max() ?? 0
    for (edge, other) in zip(edges, others) {
      let label = Text.padded(edge.label(kinds), width)
      let arrow = edge.source == id ? "─ \(label) →" : "← \(label) ─"
      StandardOutput.line("\(arrow)  \(Entities.name(other, titles))")
    }
  }
}
