import ArgumentParser
import Daybook
import DaybookJSON
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
      if !graph.output.json { try await print(parts, store) }
      return parts
    }
    if graph.output.json {
      var writer = JSONWriter()
      writer.array { writer in
        for part in parts {
          writer.array { writer in for vertex in part { vertex.json(to: &writer) } }
        }
      }
      StandardOutput.line(writer.bytes)
    }
    guard !parts.isEmpty else { throw Failure(.problem, "there are no vertices") }
  }

  private func print(_ parts: [[Graph.Vertex]], _ store: Store) async throws {
    try await store.read { db, schema in
      let names = try GraphNames(db, schema)
      for part in parts {
        let shown = try part.prefix(Self.namesMax).map { try names.name($0) }
        StandardOutput.line(
          "\(Text.padded(Text.grouped(part.count), 10, right: true))  "
            + shown.joined(separator: ", ") + (part.count > Self.namesMax ? ", …" : ""))
      }
    }
  }
}
