import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The command `evtool graph path`.
struct GraphPathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Finds a shortest path between two vertices.",
    discussion: """
      The path has the fewest relationships or, with --weight, the least sum of that field. The \
      exit code is 1 if there is no path.

      Examples:
        evtool graph path notes.daybook n1 n9
        evtool graph path notes.daybook n1 n9 --weight cost --direction both --via links
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The first vertex: COLLECTION/ID, or its id if only one collection has it.")
  var from: String
  @Argument(help: "The last vertex, written in the same way.")
  var to: String
  @Option(help: "outgoing, incoming or both.")
  var direction = Direction.outgoing
  @Option(help: "The numeric field of the relationships to add up; one without it counts 1.")
  var weight: String?
  @OptionGroup var graph: GraphOptions

  func run() async throws {
    let path = try await store.read { store in
      let path = try await store.graph.shortestPath(
        from: try await store.graph.vertex(from), to: try await store.graph.vertex(to),
        via: try await graph.collections(store), where: try await graph.fields(store),
        direction: direction.graph, weight: weight)
      if let path { try await show(path, store) }
      return path
    }
    guard path != nil else {
      try graph.output.show(.nothing)
      let hint = direction == .both ? nil : "--direction both follows relationships either way"
      throw Failure(
        .problem, "no path leads from \(from.quotedForMessage) to \(to.quotedForMessage)",
        hint: hint)
    }
  }

  private func show(_ path: Graph.Path, _ store: Store) async throws {
    let output = graph.output
    let cost = weight.map { "  \($0) \(path.cost)" } ?? ""
    try await store.read { db, schema in
      let names = try GraphNames(db, schema)
      try output.show(
        Report {
          $0.line(
            try path.vertices.map {
              Terminal.bold(try names.title($0) ?? Text.oneLine($0.description))
            }.joined(separator: " → "))
          $0.line("")
          $0.line("  \(try names.name(path.vertices[0]))")
          for (step, edge) in path.edges.enumerated() {
            let arrow = !edge.isDirected ? "|" : edge.source == path.vertices[step] ? "↓" : "↑"
            $0.line("    \(arrow) \(Terminal.colored(try names.label(edge)))")
            $0.line("  \(try names.name(path.vertices[step + 1]))")
          }
          $0.line(Terminal.dim("\(Text.count(path.edges.count, "relationship"))\(cost)"))
          $0.fact("vertices", path.vertices.map(\.report))
          $0.fact("edges", path.edges.map(\.report))
          $0.fact("cost", path.cost)
        })
    }
  }
}
