import ArgumentParser
import Daybook
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
    let count = try await store.read { store in
      let all = try await store.graph.reachable(
        from: try await store.graph.vertex(from), depth: depth ?? .max,
        via: try await graph.collections(store), where: try await graph.fields(store),
        direction: direction.graph)
      let (output, reached) = (graph.output, all.prefix(most.count))
      try await store.read { db, schema in
        let names = try GraphNames(db, schema)
        var list = output.list(.array)
        for reach in reached { try list.add(try names.report(reach)) }
        let more = all.count - reached.count
        list.end(last: more > 0 ? "… and \(Text.grouped(more)) more" : nil)
      }
      return reached.count
    }
    guard count > 0 else {
      throw Failure(.problem, "nothing can be reached from \(from.quotedForMessage)")
    }
  }
}
