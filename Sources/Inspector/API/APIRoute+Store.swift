import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// What the store is, and what changes.
extension APIRoute {
  static let ofStore: [APIRoute] = [
    APIRoute(
      .get, "store", "The store at a glance",
      results: [
        .init("name", SchemaType.text, "The name that the page shows."),
        .init("replica", SchemaType.text, "The replica that the store writes as."),
        .init("actor", SchemaType.text, "The author of what the page writes."),
        .init("readOnly", SchemaType.boolean, "Whether the routes that write are refused."),
        .init("version", SchemaType.text, "The version of the program."),
        .init("events", SchemaType.integer, "The number of events."),
        .init("from", SchemaType.optional(SchemaType.text), "When the first was authored."),
        .init("to", SchemaType.optional(SchemaType.text), "When the last was authored."),
        .init("digest", SchemaType.text, "The digest of the state."),
        .init("conflicts", SchemaType.integer, "The number of open conflicts."),
        .init("damaged", SchemaType.boolean, "Whether the log is damaged."),
      ]
    ) { inspection, _ in
      let store = inspection.store
      let facts = try await store.core.reads.asynchronously { snapshot in
        let view = try snapshot.view
        return (
          events: view.wholeVector.entries.reduce(0) { $0 &+ $1.sequence },
          span: try view.authoredSpan(), digest: "\(view.digest)",
          conflicts: try InternalCounts.conflicts(snapshot.database)
        )
      }
      return [
        ("name", .text(inspection.options.name)), ("replica", .text("\(store.replica)")),
        ("actor", .text(inspection.options.actor)),
        ("readOnly", .boolean(inspection.options.isReadOnly)),
        ("version", .text(inspection.options.version)),
        ("events", AnswerJSON.count(facts.events)),
        ("from", facts.span.map { AnswerJSON.time($0.lowerBound) } ?? .null),
        ("to", facts.span.map { AnswerJSON.time($0.upperBound) } ?? .null),
        ("digest", .text(facts.digest)), ("conflicts", .integer(Int64(facts.conflicts))),
        ("damaged", .boolean(!store.damage.isEmpty)),
      ]
    },
    APIRoute(
      .get, "schema", "The collections and their fields", .reads, [.at],
      results: [.init("collections", SchemaType.array, "The collections, with their fields.")]
    ) { inspection, arguments in
      let schema = try await inspection.reading(at: arguments.text("at")).schema()
      return [("collections", .array(schema.sorted.map(AnswerJSON.collection)))]
    },
    APIRoute(
      .get, "changes", "What changes, from now on", .reads, [],
      [
        .init("change", SchemaType.object, "The store has other events, with their number."),
        .init("peers", SchemaType.object, "The sync with a peer has another state."),
        .init("end", SchemaType.object, "The store is closed, or was moved or removed."),
        .init("revoked", SchemaType.object, "The token is not known any more."),
      ], .events(follow)),
  ]

  @Sendable private static func follow(
    _ inspection: Inspection, _ arguments: CallArguments, _ events: EventStream
  ) async throws {
    let listener = inspection.feed.listen()
    try await sayChange(inspection, events)
    for await _ in listener.wakes {
      let changes = listener.take()
      if changes.contains(.end) { return events.send("end", []) }
      if changes.contains(.store) { try await sayChange(inspection, events) }
      if changes.contains(.peers) { events.send("peers", []) }
      // What comes meanwhile is one change: a store that is written to at full speed has other
      // things to do than to tell pages.
      try await Task.sleep(for: spacing * Double.random(in: 0.5...1.5))
    }
  }

  /// The time between two events of a stream, on average: pages that hear of one change do not all
  /// ask at one moment.
  private static let spacing = Duration.milliseconds(250)

  private static func sayChange(_ inspection: Inspection, _ events: EventStream) async throws {
    let (count, digest) = try await inspection.store.core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      return (view.wholeVector.entries.reduce(0) { $0 &+ $1.sequence }, "\(view.digest)")
    }
    events.send("change", [("events", AnswerJSON.count(count)), ("digest", .text(digest))])
  }
}
