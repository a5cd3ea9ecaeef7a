import ArgumentParser
import Daybook
import DaybookProjections

/// The command `evtool graph importance`.
struct GraphImportanceCommand: AsyncParsableCommand {
  enum Measure: String, CaseIterable, ExpressibleByArgument {
    case pageRank = "page-rank"
    case inDegree = "in-degree"

    var graph: Graph.Importance { self == .pageRank ? .pageRank : .inDegree }
  }

  static let configuration = CommandConfiguration(
    commandName: "importance",
    abstract: "Lists the vertices to which most leads.",
    discussion: """
      By page-rank, where what leads from important vertices counts more, or by in-degree, the \
      number (or weight) of relationships that lead there.

      Example:
        evtool graph importance notes.daybook --by in-degree --weight cost --limit 10
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "page-rank or in-degree.")
  var by = Measure.pageRank
  @Option(help: "The numeric field by which relationships count; one without it counts 1.")
  var weight: String?
  @Option(help: "At most so many.")
  var limit = 20
  @OptionGroup var graph: GraphOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1") }
  }

  func run() async throws {
    let ranks = try await store.read { store in
      let ranks = try await store.graph.importance(
        by: by.graph, via: try await graph.collections(store),
        where: try await graph.fields(store), weight: weight, limit: limit)
      let (output, digits) = (graph.output, by == .pageRank ? 6 : 1)
      try await store.read { db, schema in
        let names = try GraphNames(db, schema)
        try output.show(
          ranks.enumerated().map { number, rank in
            try Report {
              let score = Text.padded(Text.fixed(rank.score, digits), 10, right: true)
              $0.line(
                "\(Text.padded("\(number + 1).", 4))\(score)  \(try names.name(rank.vertex))")
              $0.add(rank.vertex.report)
              $0.fact("score", rank.score)
            }
          })
      }
      return ranks
    }
    guard !ranks.isEmpty else {
      throw Failure(.problem, "there is no relationship between two entities that are there")
    }
  }
}
