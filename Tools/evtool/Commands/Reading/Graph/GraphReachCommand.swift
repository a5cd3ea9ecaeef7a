import ArgumentParser
import Daybook
import DaybookJSON
import DaybookProjections

/// The command `evtool graph reach`.
struct GraphReachCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reach",
    abstract: "Lists what can be reached from a vertex, nearest first.",
    discussion: """
      Example:
        evtool graph reach notes.daybook n1 --depth 3
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: Graph.Vertex.help)
  var from: String
  @Option(help: "At most so many relationships away; without it, all.")
  var depth: Int?
  @Option(help: "outgoing, incoming or both.")
  var direction = Direction.outgoing
  @OptionGroup var most: LimitOption
  @OptionGroup var graph: GraphOptions

  func validate() throws {
    if let depth, depth < 1 { throw ValidationError("--depth must be at least 1") }
  }

  func run() async throws {
    let reached = try await store.read { store in
      let all = try await store.graph.reachable(
        from: try await store.graph.vertex(from), depth: depth ?? .max,
        via: try await graph.collections(store), where: try await graph.fields(store),
        direction: direction.graph)
      let reached = Array(all.prefix(most.count))
      if !graph.output.json {
        try await GraphNames.print(reached, store)
        if reached.count < all.count {
          StandardOutput.line("… and \(Text.grouped(all.count - reached.count)) more")
        }
      }
      return reached
    }
    if graph.output.json {
      var writer = JSONWriter()
      writer.array { writer in
        for reach in reached { reach.json(to: &writer) }
      }
      StandardOutput.line(writer.bytes)
    }
    guard !reached.isEmpty else {
      throw Failure(.problem, "nothing can be reached from \(from.quotedForMessage)")
    }
  }
}

extension Graph.Reach {
  func json(to writer: inout JSONWriter) {
    writer.object {
      vertex.members(to: &$0)
      $0.member("depth", depth)
    }
  }
}
