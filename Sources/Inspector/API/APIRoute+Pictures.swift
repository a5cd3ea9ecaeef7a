import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookLogEngine
import DaybookProjections
import GRDB

/// What the pictures show: the graph, events per day and author, sizes, latencies.
extension APIRoute {
  static let ofPictures: [APIRoute] = [graph, days, sizes, latencies]

  private static let graph = APIRoute(
    .get, "graph", "The graph around a vertex", .reads,
    [
      CallParameter(
        "vertex", .text,
        "COLLECTION/ID, or an id that one collection has; left out, one with relationships."),
      CallParameter("depth", .integer(1...10), "The most relationships from there; left out, 2."),
      CallParameter("via", .texts, "The collections of relationships; left out, all."),
      CallParameter("weight", .text, "A numeric field of the relationships."),
      CallParameter("limit", .integer(1...2000), "The most vertices; left out, 300."),
    ],
    results: [
      .init("start", SchemaType.optional(SchemaType.object), "The vertex in the middle."),
      .init("vertices", SchemaType.array, "The nearest first, each with its depth and a title."),
      .init("edges", SchemaType.array, "The relationships among them."),
      .init("relationships", SchemaType.array, "All collections of relationships."),
      .init("truncated", SchemaType.boolean, "Whether there are more vertices."),
    ]
  ) { inspection, arguments in
    let store = inspection.store
    let schema = try await store.schema()
    let relationships = JSONValue.array(
      schema.relationships.map { relationship in
        .object([
          ("name", .text(relationship.name)),
          (
            "numbers",
            .array(
              relationship.fields.filter { $0.type == .real || $0.type == .integer }
                .map { .text($0.name) })
          ),
        ])
      })
    guard let start = try await start(arguments.text("vertex"), store, schema) else {
      return [
        ("start", .null), ("vertices", .array([])), ("edges", .array([])),
        ("relationships", relationships), ("truncated", .boolean(false)),
      ]
    }
    let limit = arguments.integer("limit") ?? 300
    let via = arguments.texts("via")
    let reached = try await store.graph.reachable(
      from: start, depth: arguments.integer("depth") ?? 2, via: via, direction: .both,
      limit: limit)
    let shown = reached.prefix(limit - 1)
    let vertices = [Graph.Reach(vertex: start, depth: 0)] + shown
    let edges = try await GraphPicture.edges(
      among: vertices.map(\.vertex), via: via, weight: arguments.text("weight"), store)
    let titles = try await GraphPicture.titles(vertices.map(\.vertex), store)
    return [
      ("start", AnswerJSON.vertex(start)),
      (
        "vertices",
        .array(
          zip(vertices, titles).map { reach, title in
            .object([
              ("collection", .text(reach.vertex.collection)), ("id", .text(reach.vertex.id)),
              ("depth", .integer(Int64(reach.depth))), ("title", .text(title)),
            ])
          })
      ),
      ("edges", .array(edges.map(AnswerJSON.edge))), ("relationships", relationships),
      ("truncated", .boolean(reached.count >= limit)),
    ]
  }

  /// Returns the vertex that a caller names, or else one that has relationships.
  private static func start(_ text: String?, _ store: Store, _ schema: StoreSchema) async throws
    -> Graph.Vertex?
  {
    if let text, !text.isEmpty { return try await store.graph.vertex(text) }
    for relationship in schema.relationships {
      let source = relationship.fields.first { $0.identity.isSame(as: "source") }
      let id = try await store.read { db in
        try db.texts("SELECT source FROM \(SQLName.quoted(relationship.name)) LIMIT 1").first
      }
      guard let id else { continue }
      if let collection = source?.references {
        return Graph.Vertex(collection, id)
      }
      if let vertex = try? await store.graph.vertex(id) { return vertex }
    }
    return nil
  }

  private static let days = APIRoute(
    .get, "days", "Events per day and author", .reads, [],
    results: [
      .init("days", SchemaType.array, "Day (ISO 8601), author and number of events."),
      .init("counted", SchemaType.integer, "The number of events that are counted so far."),
      .init("total", SchemaType.integer, "The number of all events; ask again until it is equal."),
    ]
  ) { inspection, _ in
    let store = inspection.store
    let total = try await store.core.reads.asynchronously {
      try $0.view.wholeVector.entries.reduce(UInt64(0)) { $0 &+ $1.sequence }
    }
    inspection.authors.follow(store)
    let counts = inspection.authors.counts.sorted {
      $0.key.day != $1.key.day
        ? $0.key.day < $1.key.day : utf8Less($0.key.actor, $1.key.actor)
    }
    return [
      (
        "days",
        .array(
          counts.map { key, count in
            let day = ISO8601.text(key.day * 86_400_000) ?? ""
            return .array([
              .text(String(day.prefix(10))), .text(key.actor), .integer(Int64(count)),
            ])
          })
      ),
      ("counted", AnswerJSON.count(inspection.authors.done)), ("total", AnswerJSON.count(total)),
    ]
  }

  private static let sizes = APIRoute(
    .get, "sizes", "Sizes of the collections and of the log", .reads, [],
    results: [
      .init("collections", SchemaType.array, "Each collection, with its number of entities."),
      .init("logBytes", SchemaType.integer, "The bytes of the log."),
      .init("readModelBytes", SchemaType.integer, "The bytes of the read model."),
      .init("segments", SchemaType.array, "The files of the log, in order."),
    ]
  ) { inspection, _ in
    let store = inspection.store
    let status = try await store.status()
    return [
      ("collections", try await RowCounts.all(store)),
      ("logBytes", AnswerJSON.count(status.logBytes)),
      ("readModelBytes", AnswerJSON.count(status.readModelBytes)),
      (
        "segments",
        .array(
          status.segments.map { segment in
            .object([
              ("number", AnswerJSON.count(segment.number)),
              ("bytes", AnswerJSON.count(segment.bytes)),
              ("sealed", .boolean(segment.isSealed)),
            ])
          })
      ),
    ]
  }

  private static let latencies = APIRoute(
    .get, "latencies", "How long exchanges with peers took", .reads, [],
    results: [
      .init("latencies", SchemaType.array, "Time, peer, milliseconds and events of each exchange.")
    ]
  ) { inspection, _ in
    [
      (
        "latencies",
        .array(
          inspection.journal.latencies.map { latency in
            .object([
              ("time", .integer(latency.time)), ("address", .text(latency.address)),
              ("milliseconds", .integer(latency.milliseconds)),
              ("events", AnswerJSON.count(latency.events)),
            ])
          })
      )
    ]
  }
}
