import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The command `evtool graph neighbors`.
struct GraphNeighborsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "neighbors",
    abstract: "Lists the relationships of one vertex.",
    discussion: """
      By the id of the other end or, with --weight, the heaviest first; one that has no weight \
      weighs 1.

      Examples:
        evtool graph neighbors notes.daybook n1 --direction outgoing
        evtool graph neighbors notes.daybook notes/n1 --where kind=cites --weight strength
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: Graph.Vertex.help)
  var vertex: String
  @Option(help: "outgoing, incoming or both.")
  var direction = Direction.both
  @Option(help: "The numeric field of the relationships to sort by.")
  var weight: String?
  @OptionGroup var most: LimitOption
  @OptionGroup var graph: GraphOptions

  func run() async throws {
    let count = try await store.read { store in
      let vertex = try await store.graph.vertex(vertex)
      let edges = try await store.graph.neighbors(
        of: vertex, via: try await graph.collections(store), where: try await graph.fields(store),
        direction: direction.graph, weight: weight, limit: most.limit)
      try await show(edges, of: vertex, store)
      return edges.count
    }
    guard count > 0 else {
      throw Failure(.problem, "\(vertex.quotedForMessage) has no such neighbours")
    }
  }

  /// The number of relationships that determine the width of their column.
  private static let layoutCount = 500

  private func show(_ edges: [Graph.Edge], of vertex: Graph.Vertex, _ store: Store) async throws {
    let output = graph.output
    try await store.read { db, schema in
      let names = try GraphNames(db, schema)
      let width = try edges.prefix(Self.layoutCount).reduce(0) {
        max($0, Text.width(try names.label($1)))
      }
      try output.show(edges.map { Report($0.report, try Self.line($0, of: vertex, width, names)) })
    }
  }

  private static func line(
    _ edge: Graph.Edge, of vertex: Graph.Vertex, _ width: Int, _ names: GraphNames
  ) throws -> String {
    let label = Text.padded(try names.label(edge), width)
    let leads = edge.source == vertex
    let arrow = !edge.isDirected ? "─ \(label) ─" : leads ? "─ \(label) →" : "← \(label) ─"
    let sum = edge.weight.map { "  \($0)" } ?? ""
    return "\(arrow)  \(try names.name(edge.other(than: vertex)))\(sum)"
  }
}
