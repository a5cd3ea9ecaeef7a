import ArgumentParser
import Daybook
import Projections

/// `evtool graph path`.
struct GraphPathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Finds a shortest path between two vertices.",
    discussion: """
      Of the fewest relationships or, with --weight, of the least sum of that field. Ends with 1 \
      where there is none.

      Examples:
        evtool graph path notes.daybook n1 n9
        evtool graph path notes.daybook n1 n9 --weight cost --direction both --via links
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The id of the first vertex.")
  var from: String
  @Argument(help: "The id of the last vertex.")
  var to: String
  @Option(help: "outgoing, incoming or both.")
  var direction = Direction.outgoing
  @Option(help: "The numeric field of the relationships to add up.")
  var weight: String?
  @OptionGroup var graph: GraphOptions

  func run() async throws {
    let path = try await store.read { store in
      let path = try await store.graph.shortestPath(
        from: from, to: to, via: graph.collections, direction: direction.graph, weight: weight)
      if let path, !graph.output.json { try await print(path, store) }
      return path
    }
    guard let path else {
      if graph.output.json { StandardOutput.line("null") }
      let hint = direction == .both ? nil : "--direction both follows relationships either way"
      throw Failure(
        .problem, "no path leads from \(from.quotedForMessage) to \(to.quotedForMessage)",
        hint: hint)
    }
    if graph.output.json { StandardOutput.line(Self.json(path)) }
  }

  private func print(_ path: GraphPath, _ store: Store) async throws {
    let titles = try await Entities.titles(path.vertices, store)
    let kinds = try await GraphEdge.kinds(path.edges, store)
    let names = path.vertices.map { titles[$0] ?? Text.oneLine($0) }
    StandardOutput.line(names.map { Terminal.bold($0) }.joined(separator: " → "))
    StandardOutput.line()
    StandardOutput.line("  \(Entities.name(path.vertices[0], titles))")
    for (step, edge) in path.edges.enumerated() {
      let isForward = edge.source.utf8.elementsEqual(path.vertices[step].utf8)
      let arrow = isForward ? "↓" : "↑"
      StandardOutput.line(
        "    \(arrow) \(Terminal.colored(edge.label(kinds)))")
      StandardOutput.line("  \(Entities.name(path.vertices[step + 1], titles))")
    }
    let cost = weight.map { "  \($0) \(path.cost)" } ?? ""
    StandardOutput.line(Terminal.dim("\(Text.count(path.edges.count, "relationship"))\(cost)"))
  }

  private static func json(_ path: GraphPath) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("vertices")
      writer.array { writer in for vertex in path.vertices { writer.text(vertex) } }
      writer.key("edges")
      writer.array { writer in for edge in path.edges { edge.json(to: &writer) } }
      writer.key("cost")
      writer.real(path.cost)
    }
    return writer.bytes
  }
}
