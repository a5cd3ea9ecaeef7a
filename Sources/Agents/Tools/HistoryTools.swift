import Daybook
import DaybookAnswers
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import GRDB

/// The tools that read the past, and what replicas disagree about.
extension AgentTool {
  static let past: [AgentTool] = [history, blame, at, changes, conflicts]

  private static let paged: [(name: String, type: JSONValue, description: String)] = [
    ("truncated", SchemaType.boolean, "Whether there are more."),
    ("cursor", SchemaType.optional(SchemaType.text), "Give it to the next call to read on."),
  ]

  /// Returns the items of a list behind a cursor as a page.
  private static func page<Item>(
    _ items: [Item], _ name: String, _ arguments: CallArguments, _ json: (Item) -> JSONValue
  ) throws(CallFailure) -> [(key: String, value: JSONValue)] {
    let offset = try arguments.offset()
    var budget = arguments.budget
    for item in items.dropFirst(offset) { guard budget.add(json(item)) else { break } }
    return budget.members(name, after: offset, of: arguments.mark)
  }

  private static let history = AgentTool(
    name: "history", title: "History of an entity",
    description:
      "Lists every write to an entity in the order that decides which counts: when, who, what for, "
      + "and each field from what to what.",
    effect: .reads,
    parameters: [Parameters.collection, Parameters.id, Parameters.limit, Parameters.cursor],
    results: [("writes", SchemaType.array, "The writes, the oldest first.")] + paged
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    _ = try collection(name, try await session.store.schema())
    return try page(
      try await session.store.history(of: name, id), "writes", arguments, AnswerJSON.write)
  }

  private static let blame = AgentTool(
    name: "blame", title: "Who wrote what",
    description:
      "Returns for each field of an entity the write whose value it shows; with a text field, for "
      + "each part of its text.",
    effect: .reads,
    parameters: [
      Parameters.collection, Parameters.id,
      CallParameter("field", .text, "A text field, to blame its parts."),
    ],
    results: [("parts", SchemaType.array, "A field or a part of a text, and who wrote it.")]
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    _ = try collection(name, try await session.store.schema())
    var budget = ResultBudget(limit: ResultBudget.itemsMax)
    if let field = arguments.text("field") {
      for part in try await session.store.blame(of: name, id, text: field) {
        let item = JSONValue.object(
          [
            ("from", .integer(Int64(part.range.lowerBound))),
            ("to", .integer(Int64(part.range.upperBound))), ("text", .text(part.text)),
            ("event", .text("\(part.event)")),
          ] + AnswerJSON.authorship(part.times, part.actor, part.label))
        guard budget.add(item) else { break }
      }
    } else {
      for part in try await session.store.blame(of: name, id) {
        let item = JSONValue.object(
          [
            ("field", .text(part.field)), ("value", AnswerJSON.value(part.value)),
            ("event", .text("\(part.event)")), ("conflict", .boolean(part.isConflict)),
          ] + AnswerJSON.authorship(part.times, part.actor, part.label))
        guard budget.add(item) else { break }
      }
    }
    return [("parts", .array(budget.items))]
  }

  private static let at = AgentTool(
    name: "at", title: "An entity in the past",
    description: "Returns an entity as it was at a moment.", effect: .reads,
    parameters: [Parameters.position, Parameters.collection, Parameters.id],
    results: [
      ("entity", SchemaType.optional(SchemaType.object), "The entity; null if it was not there.")
    ]
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    _ = try collection(name, try await session.store.schema())
    let position = try await session.store.position(try arguments.required("position"))
    let entity = try await session.store.at(position).fetch(name, id)
    return [("entity", entity.map(AnswerJSON.entity) ?? .null)]
  }

  private static let changes = AgentTool(
    name: "changes", title: "What changed",
    description: "Lists the entities that differ between two moments, with both values.",
    effect: .reads,
    parameters: [
      CallParameter(
        "from", .text, required: true, "A moment: a time in ISO 8601, or an event."),
      CallParameter("to", .text, "A later or earlier moment; left out, now."),
      Parameters.anyCollection, Parameters.limit, Parameters.cursor,
    ],
    results: [("changes", SchemaType.array, "The entities, each before and after.")] + paged
  ) { session, arguments in
    let store = session.store
    let from = try await store.position(try arguments.required("from"))
    var to: Position?
    if let text = arguments.text("to") { to = try await store.position(text) }
    let found = try await store.changes(from: from, to: to, in: arguments.text("collection"))
    return try page(found, "changes", arguments) { change in
      .object([
        ("collection", .text(change.collection)), ("id", .text(change.id)),
        ("fields", .array(change.fields.map { .text($0) })),
        ("before", change.before.map { AnswerJSON.fields($0.fields) } ?? .null),
        ("after", change.after.map { AnswerJSON.fields($0.fields) } ?? .null),
      ])
    }
  }

  private static let conflicts = AgentTool(
    name: "conflicts", title: "Conflicts",
    description:
      "Lists what people or devices wrote without having seen each other's writes: each write with "
      + "its author, and which one is shown. `settle` ends a conflict.",
    effect: .reads,
    parameters: [
      Parameters.anyCollection, CallParameter("id", .text, "The only entity."), Parameters.limit,
      Parameters.cursor,
    ],
    results: [("conflicts", SchemaType.array, "The conflicts, with their writes.")] + paged
  ) { session, arguments in
    let offset = try arguments.offset()
    let list = session.store.conflicts(
      in: arguments.text("collection"), id: arguments.text("id"))
    var budget = arguments.budget
    var passed = 0
    for try await conflict in list {
      passed += 1
      guard passed > offset else { continue }
      guard budget.add(AnswerJSON.conflict(conflict)) else { break }
    }
    return budget.members("conflicts", after: offset, of: arguments.mark)
  }
}
