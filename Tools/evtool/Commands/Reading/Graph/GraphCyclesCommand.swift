import ArgumentParser
import Daybook
import DaybookJSON
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
      if !graph.output.json {
        try await store.read { db, schema in
          let names = try GraphNames(db, schema)
          for cycle in cycles {
            let vertices = try cycle.vertices.map { try names.name($0) }
            StandardOutput.line(vertices.joined(separator: " → "))
          }
        }
      }
      return cycles
    }
    if graph.output.json {
      var writer = JSONWriter()
      writer.array { writer in
        for cycle in cycles {
          writer.object {
            $0.key("vertices")
            $0.array { writer in for vertex in cycle.vertices { vertex.json(to: &writer) } }
            $0.key("edges")
            $0.array { writer in for edge in cycle.edges { edge.json(to: &writer) } }
          }
        }
      }
      StandardOutput.line(writer.bytes)
    }
    guard !cycles.isEmpty else { throw Failure(.problem, "there is no circle") }
  }
}
