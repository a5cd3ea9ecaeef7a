import ArgumentParser
import Daybook
import DaybookProjections

/// The command `evtool graph cycles`.
struct GraphCyclesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cycles",
    abstract: "Lists circles of relationships, one of each set of vertices that reach each other.",
    discussion: """
      A circle ends with the vertex that it begins with, and is as short as any through it. \
      Relationships that are followed both ways are left out.

      Example:
        evtool graph cycles tasks.daybook --via blocks
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var most: LimitOption
  @OptionGroup var graph: GraphOptions

  func run() async throws {
    let cycles = try await store.read { store in
      let cycles = try await store.graph.cycles(
        via: try await graph.collections(store), where: try await graph.fields(store),
        limit: most.count)
      let output = graph.output
      try await store.read { db, schema in
        let names = try GraphNames(db, schema)
        try output.show(
          cycles.map { cycle in
            try Report {
              $0.line(try cycle.vertices.map { try names.name($0) }.joined(separator: " → "))
              $0.fact("vertices", cycle.vertices.map(\.report))
              $0.fact("edges", cycle.edges.map(\.report))
            }
          })
      }
      return cycles
    }
    guard !cycles.isEmpty else { throw Failure(.problem, "there is no circle") }
  }
}
