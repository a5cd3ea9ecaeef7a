import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// The tools that write. Each call is one event, with the agent as its actor and the call as its
/// label.
extension AgentTool {
  static let writing: [AgentTool] = [
    insert, update, editText, delete, link, settle, undo, undoAllOfActor,
  ]

  private static let written: [(name: String, type: JSONValue, description: String)] = [
    (
      "event", SchemaType.optional(SchemaType.text),
      "The event, which `undo` takes back; null if there was nothing to change."
    )
  ]

  private static func result(_ event: EventID?) -> [(key: String, value: JSONValue)] {
    [("event", event.map { .text("\($0)") } ?? .null)]
  }

  private static let insert = AgentTool(
    name: "insert", title: "Add an entity", description: "Adds an entity to a collection.",
    effect: .adds,
    parameters: [
      Parameters.collection,
      CallParameter("id", .text, "The id; left out, a new one is made, or follows from the key."),
      Parameters.fields, Parameters.label,
    ],
    results: [("id", SchemaType.text, "The id of the entity.")] + written
  ) { session, arguments in
    let name = try arguments.required("collection")
    let schema = try collection(name, try await session.store.schema())
    let values = try schema.values(arguments.members("fields"))
    let given = arguments.text("id") ?? schema.newID
    let made = Made()
    let event = try await session.write(
      "insert \(name)" + (given.map { "/\($0)" } ?? ""), label: arguments.text("label")
    ) { tx in
      if let given {
        try tx.insert(name, given, values)
        made.set(given)
      } else {
        made.set(try tx.insert(name, values))
      }
    }
    return [("id", .text(made.id))] + result(event)
  }

  private static let update = AgentTool(
    name: "update", title: "Change fields",
    description:
      "Changes fields of an entity; the others stay. With the version of `get`, it is refused if "
      + "somebody has changed the entity since.",
    effect: .adds,
    parameters: [
      Parameters.collection, Parameters.id, Parameters.fields,
      CallParameter("version", .text, "The version that `get` returned."), Parameters.label,
    ],
    results: written
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    let schema = try collection(name, try await session.store.schema())
    let values = try schema.values(arguments.members("fields"))
    let version = arguments.text("version")
    return result(
      try await session.write("update \(name)/\(id)", label: arguments.text("label")) { tx in
        if let version { try requireVersion(version, try tx.fetch(name, id)) }
        try tx.update(name, id, values)
      })
  }

  private static func requireVersion(_ version: String, _ entity: StoredEntity?)
    throws(CallFailure)
  {
    guard let entity, entity.version.description != version else { return }
    throw CallFailure(
      "the entity has changed since: its version is \(entity.version)",
      cure: "Get it again, and decide anew")
  }

  private static let editText = AgentTool(
    name: "edit_text", title: "Edit a text",
    description:
      "Replaces a part of a text field. What others change elsewhere in the text meanwhile stays.",
    effect: .adds,
    parameters: [
      Parameters.collection, Parameters.id,
      CallParameter("field", .text, required: true, "A text field."),
      CallParameter(
        "find", .text, required: true,
        "The part to replace, which occurs exactly once; empty to add at the end."),
      CallParameter("replace", .text, required: true, "What takes its place."), Parameters.label,
    ],
    results: [("text", SchemaType.text, "The text as it is now.")] + written
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    let field = try arguments.required("field")
    let (find, replace) = (try arguments.required("find"), try arguments.required("replace"))
    let made = Made()
    let event = try await session.write(
      "edit_text \(name)/\(id) \(field)", label: arguments.text("label")
    ) { tx in
      try tx.edit(name, id, field) { text in
        if find.isEmpty {
          text.append(replace)
        } else {
          try text.replace(try place(of: find, in: text.text), with: replace)
        }
        made.set(text.text)
      }
    }
    return [("text", .text(made.id))] + result(event)
  }

  /// Returns the place of a part that occurs exactly once, in Unicode scalars.
  private static func place(of part: String, in text: String) throws(CallFailure) -> Range<Int> {
    let (part, scalars) = (Array(part.unicodeScalars), Array(text.unicodeScalars))
    var places: [Int] = []
    var at = 0
    while at + part.count <= scalars.count {
      if scalars[at] == part[0], scalars[at..<at + part.count].elementsEqual(part) {
        places.append(at)
        if places.count > 1 { break }
      }
      at += 1
    }
    guard places.count == 1, let place = places.first else {
      throw CallFailure(
        places.isEmpty
          ? "the text does not hold what is to be replaced"
          : "the text holds what is to be replaced more than once",
        cure: places.isEmpty
          ? "Get the text again, and copy the part exactly" : "Give more of the text around it")
    }
    return place..<place + part.count
  }

  private static let delete = AgentTool(
    name: "delete", title: "Delete an entity",
    description: "Deletes an entity. `undo` of the event brings it back.", effect: .takesAway,
    parameters: [Parameters.collection, Parameters.id, Parameters.label], results: written
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    _ = try collection(name, try await session.store.schema())
    return result(
      try await session.write("delete \(name)/\(id)", label: arguments.text("label")) { tx in
        try tx.delete(name, id)
      })
  }

  private static let link = AgentTool(
    name: "link", title: "Relate two entities",
    description: "Adds a relationship from one entity to another.", effect: .adds,
    parameters: [
      CallParameter(
        "collection", .text, required: true, "A collection of relationships; `schema` lists them."),
      CallParameter("from", .text, required: true, "COLLECTION/ID, or an id of one collection."),
      CallParameter("to", .text, required: true, "COLLECTION/ID, or an id of one collection."),
      CallParameter("fields", .fields, "Values of the relationship's own fields."),
      Parameters.label,
    ],
    results: [("id", SchemaType.text, "The id of the relationship.")] + written
  ) { session, arguments in
    let name = try arguments.required("collection")
    let schema = try collection(name, try await session.store.schema())
    guard schema.isRelationship else {
      throw CallFailure("\(name) is no collection of relationships", cure: "Call `schema`")
    }
    let graph = session.store.graph
    let from = try await graph.vertex(try arguments.required("from"))
    let to = try await graph.vertex(try arguments.required("to"))
    var values = try schema.values(arguments.members("fields"))
    (values["source"], values["target"]) = (.text(from.id), .text(to.id))
    let made = Made()
    let (fields, id) = (values, schema.newID)
    let event = try await session.write(
      "link \(from) \(name) \(to)", label: arguments.text("label")
    ) { tx in
      if let id {
        try tx.insert(name, id, fields)
        made.set(id)
      } else {
        made.set(try tx.insert(name, fields))
      }
    }
    return [("id", .text(made.id))] + result(event)
  }

  private static let settle = AgentTool(
    name: "settle", title: "Settle a conflict",
    description:
      "Ends a conflict of a field on every device: by one of its writes, or by another value.",
    effect: .adds,
    parameters: [
      Parameters.collection, Parameters.id,
      CallParameter("field", .text, required: true, "The field, as `conflicts` names it."),
      CallParameter(
        "take", .choice(["shown", "other"]), "Which of two writes is to count; or give a value."),
      CallParameter("value", .any, "The value that is to count."),
    ],
    results: written
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    let field = try arguments.required("field")
    let schema = try collection(name, try await session.store.schema())
    let page = try await session.store.conflicts(in: name, id: id, field: field).page(limit: 1)
    guard let conflict = page.items.first else {
      throw CallFailure("\(name)/\(id) has no conflict in “\(field)”", cure: "Call `conflicts`")
    }
    let choice = try SettledChoice(
      take: arguments.text("take"), value: arguments["value"], of: conflict, in: schema)
    return result(
      try await session.write("settle \(name)/\(id) \(field)", label: nil) { tx in
        try choice.write(conflict, tx)
      })
  }

  private static let undo = AgentTool(
    name: "undo", title: "Undo an event",
    description: "Takes back all that one event has written. The event stays in the history.",
    effect: .takesAway,
    parameters: [
      CallParameter(
        "event", .text, required: true, "The event, ORIGIN:SEQUENCE, as calls return it.")
    ],
    results: written
  ) { session, arguments in
    let text = try arguments.required("event")
    guard case .event(let event) = try await session.store.position(text) else {
      throw CallFailure("“\(text.prefix(64))” is no event", cure: "Give ORIGIN:SEQUENCE")
    }
    return result(try await session.store.undo(event, actor: session.actor))
  }

  private static let undoAllOfActor = AgentTool(
    name: "undo_all_of_actor", title: "Undo all of an actor",
    description:
      "Takes back everything that an actor has written since a moment, as one event: all that an "
      + "agent did.",
    effect: .takesAway,
    parameters: [
      CallParameter("actor", .text, "The actor; left out, this agent."),
      CallParameter("since", .text, "A moment: a time or an event; left out, the beginning."),
    ],
    results: written
  ) { session, arguments in
    var since = Position.vector(VersionVector())
    if let text = arguments.text("since") { since = try await session.store.position(text) }
    return result(
      try await session.store.undo(by: arguments.text("actor") ?? session.actor, since: since))
  }
}
