import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// The timeline, and the store at a moment.
extension APIRoute {
  static let ofTime: [APIRoute] = [timeline, moment, past, diff]

  /// The beginning of the year 1 and the end of the year 9999, in milliseconds since 1970.
  private static let momentsMin = -62_135_596_800_000
  private static let momentsMax = 253_402_300_799_999

  private static let timeline = APIRoute(
    .get, "timeline", "How many events were authored when, and what happened with peers", .reads,
    [
      CallParameter(
        "from", .integer(momentsMin...momentsMax),
        "The beginning, in milliseconds since 1970; left out, the first event."),
      CallParameter(
        "to", .integer(momentsMin...momentsMax),
        "The end, in milliseconds since 1970; left out, the last event."),
      CallParameter("parts", .integer(1...2000), "The number of parts; left out, 240."),
    ],
    results: [
      .init("from", SchemaType.optional(SchemaType.integer), "The beginning, in milliseconds."),
      .init("to", SchemaType.optional(SchemaType.integer), "The end, in milliseconds."),
      .init("first", SchemaType.optional(SchemaType.integer), "When the first event was authored."),
      .init("last", SchemaType.optional(SchemaType.integer), "When the last event was authored."),
      .init("origins", SchemaType.array, "For each origin the number of its events in each part."),
      .init("connections", SchemaType.array, "What happened with peers since the start."),
      .init("incidents", SchemaType.array, "What the store had to put right, or could not do."),
    ]
  ) { inspection, arguments in
    let parts = arguments.integer("parts") ?? 240
    let (from, to) = (arguments.integer("from"), arguments.integer("to"))
    let store = inspection.store
    let counted = try await store.core.reads.asynchronously { snapshot in
      try CountedSpan(try snapshot.view, from: from, to: to, parts: parts)
    }
    let shown = counted.counts.filter { item in item.counts.contains { $0 > 0 } }
    let origins: [JSONValue] = shown.map { item in
      .object([
        ("origin", .text("\(item.origin)")),
        ("own", .boolean(item.origin == store.replica)),
        ("local", .boolean(item.origin.isPrivate)),
        ("counts", .array(item.counts.map { .integer(Int64($0)) })),
      ])
    }
    return [
      ("from", counted.span.map { .integer($0.lowerBound) } ?? .null),
      ("to", counted.span.map { .integer($0.upperBound) } ?? .null),
      ("first", counted.whole.map { .integer($0.lowerBound) } ?? .null),
      ("last", counted.whole.map { .integer($0.upperBound) } ?? .null),
      ("origins", .array(origins)), ("connections", connections(inspection)),
      ("incidents", try await incidents(store)),
    ]
  }

  private static func connections(_ inspection: Inspection) -> JSONValue {
    .array(
      inspection.journal.entries.map { entry in
        .object([
          ("time", .integer(entry.time)), ("address", .text(entry.address)),
          ("phase", .text(entry.phase.rawValue)),
          ("message", entry.message.map { .text($0) } ?? .null),
          ("cure", entry.cure.map { .text($0) } ?? .null),
        ])
      })
  }

  private static func incidents(_ store: Store) async throws -> JSONValue {
    let core = store.core
    let incidents = try await Blocking.run { try core.incidents() }
    return .array(
      incidents.suffix(200).map { incident in
        .object([
          ("time", .integer(incident.time)), ("level", .text(incident.level.rawValue)),
          ("message", .text(incident.message)), ("count", .integer(Int64(incident.count))),
        ])
      })
  }

  // MARK: - A moment

  private static let moment = APIRoute(
    .get, "moment", "A moment, and steps from it, event by event", .reads,
    [
      .at,
      CallParameter("step", .integer(-10_000...10_000), "How many events to go on, or back."),
      CallParameter("around", .integer(0...200), "How many events before it to return, in short."),
    ],
    results: [
      .init("vector", SchemaType.text, "The moment as a version vector, for `at`."),
      .init("events", SchemaType.integer, "The number of events up to the moment."),
      .init("total", SchemaType.integer, "The number of all events."),
      .init("time", SchemaType.optional(SchemaType.integer), "When its last event was authored."),
      .init("last", SchemaType.optional(SchemaType.object), "Its last event, in short."),
      .init("before", SchemaType.array, "The events up to it, the last one first, in short."),
      .init("built", SchemaType.boolean, "Whether `past` has built the moment."),
    ]
  ) { inspection, arguments in
    let store = inspection.store
    var vector: VersionVector
    if let text = arguments.text("at"), !text.isEmpty {
      vector = try await store.vector(at: try await store.position(text))
    } else {
      vector = try await store.core.reads.asynchronously { try $0.view.wholeVector }
    }
    if let step = arguments.integer("step"), step != 0 {
      vector = try await store.step(from: vector, by: step).vector
    }
    let around = arguments.integer("around") ?? 1
    let passed = try await store.step(from: vector, by: -max(1, around)).events
    let events = try await ReadEvent.read(passed, store)
    let total = try await store.core.reads.asynchronously { try $0.view.wholeVector }
    let last = events.first
    return [
      ("vector", .text(json(vector))), ("events", AnswerJSON.count(count(vector))),
      ("total", AnswerJSON.count(count(total))),
      ("time", last.map { .integer($0.times.authored.milliseconds) } ?? .null),
      ("last", last?.brief ?? .null),
      ("before", .array(events.prefix(around).map(\.brief))),
      ("built", .boolean(await inspection.shelf.built(vector) != nil)),
    ]
  }

  private static func count(_ vector: VersionVector) -> UInt64 {
    vector.entries.reduce(0) { $0 &+ $1.sequence }
  }

  /// A vector as the text that positions are read from.
  static func json(_ vector: VersionVector) -> String {
    "{"
      + vector.entries.filter { $0.sequence > 0 }.sorted { $0.origin < $1.origin }
      .map { "\"\($0.origin)\":\($0.sequence)" }.joined(separator: ",") + "}"
  }

  private static let past = APIRoute(
    .post, "past", "Builds the read model of a moment, so that all of it can be read", .reads,
    [CallParameter("at", .text, required: true, CallParameter.at.description)],
    results: [
      .init("vector", SchemaType.text, "The moment as a version vector."),
      .init("collections", SchemaType.array, "Each collection, with its number of entities."),
    ]
  ) { inspection, arguments in
    let store = inspection.store
    let vector = try await store.vector(
      at: try await store.position(try arguments.required("at")))
    let past = try await inspection.shelf.build(vector)
    let counts = try await RowCounts.all(past)
    return [("vector", .text(json(vector))), ("collections", counts)]
  }

  private static let diff = APIRoute(
    .get, "diff", "The entities that differ between two moments", .reads,
    [
      CallParameter("from", .text, required: true, "A moment."),
      CallParameter("to", .text, "A later or earlier moment; left out, now."),
      .anyCollection, .limit(200), .cursor,
    ],
    results: [
      .init("changes", SchemaType.array, "The entities, each before and after."),
      .init("count", SchemaType.integer, "The number of all of them."),
      .init("truncated", SchemaType.boolean, "Whether there are more."),
      .init("cursor", SchemaType.optional(SchemaType.text), "To read on."),
    ]
  ) { inspection, arguments in
    let store = inspection.store
    let from = try await store.position(try arguments.required("from"))
    var to: Position?
    if let text = arguments.text("to"), !text.isEmpty { to = try await store.position(text) }
    let changes = try await store.changes(from: from, to: to, in: arguments.text("collection"))
    let offset = try arguments.offset()
    var budget = arguments.inspectorBudget(200)
    for change in changes.dropFirst(offset) {
      let isAdded = budget.add(
        .object([
          ("collection", .text(change.collection)), ("id", .text(change.id)),
          ("fields", .array(change.fields.map { .text($0) })),
          ("before", change.before.map { InspectorValue.fields($0.fields) } ?? .null),
          ("after", change.after.map { InspectorValue.fields($0.fields) } ?? .null),
        ]))
      guard isAdded else { break }
    }
    return [("count", .integer(Int64(changes.count)))]
      + budget.members("changes", after: offset, of: arguments.mark)
  }
}

/// The events of a time, counted in equal parts.
private struct CountedSpan: Sendable {
  /// From the first event to the last; nil if there is none.
  var whole: ClosedRange<Int64>?
  var span: ClosedRange<Int64>?
  var counts: [(origin: ReplicaID, counts: [Int])] = []

  init(_ view: ReadModelView, from: Int?, to: Int?, parts: Int) throws {
    guard let whole = try view.authoredSpan() else { return }
    let begin = from.map { Int64($0) } ?? whole.lowerBound
    let end = to.map { Int64($0) } ?? whole.upperBound
    let span = begin...max(begin, end)
    self.whole = whole
    self.span = span
    counts = try view.authoredCounts(in: span, parts: parts)
  }
}
