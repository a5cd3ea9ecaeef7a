import ArgumentParser
import Daybook
import DaybookProjections

/// The command `evtool graph components`.
struct GraphComponentsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "components",
    abstract: "Lists the parts of the graph that no relationship connects, the largest first.",
    discussion: """
      Relationships connect in both directions. A vertex without any is a part of its own.

      Example:
        evtool graph components notes.daybook --via links --limit 10
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var most: LimitOption
  @OptionGroup var graph: GraphOptions

  /// The number of vertices of a part that a line names.
  private static let namesMax = 8

  func run() async throws {
    let parts = try await store.read { store in
      let parts = try await store.graph.components(
        via: try await graph.collections(store), where: try await graph.fields(store),
        limit: most.count)
      let output = graph.output
      try await store.read { db, schema in
        let names = try GraphNames(db, schema)
        try output.show(parts.map { Report($0.map(\.report), try Self.line($0, names)) })
      }
      return parts
    }
    guard !parts.isEmpty else { throw Failure(.problem, "there are no vertices") }
  }

  private static func line(_ part: [Graph.Vertex], _ names: GraphNames) throws -> String {
    let shown = try part.prefix(namesMax).map { try names.name($0) }
    return "\(Text.padded(Text.grouped(part.count), 10, right: true))  "
      + shown.joined(separator: ", ") + (part.count > namesMax ? ", …" : "")
  }
}
