import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookInterchange
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

  /// Returns the values that a call gives to fields.
  /// - Throws: ``ToolFailure`` for an unknown field, or a value of another type.
  private static func values(_ arguments: ToolArguments, _ collection: StoreSchema.Collection)
    throws(ToolFailure) -> [String: Value]
  {
    var values: [String: Value] = [:]
    for (name, json) in arguments.members("fields") {
      guard let field = collection[field: name] else {
        throw ToolFailure(
          "\(collection.name) has no field “\(name.prefix(64))”",
          cure: NameSuggestion.hint(
            for: name, among: collection.fields.map(\.name), none: "It has none"))
      }
      do { values[name] = try value(json, of: field) } catch {
        throw ToolFailure(
          "the field \(name) is of type \(field.type.rawValue), and the value is \(json.summary)",
          cure: error.remedy)
      }
    }
    return values
  }

  /// Reads a value of a field. An integer may also be a text, because many clients cannot write one
  /// beyond 2⁵³.
  private static func value(_ json: JSONValue, of field: StoreSchema.Field)
    throws(ValueTypingError) -> Value
  {
    if field.type == .integer, case .text(let text) = json, let number = Int64(text) {
      return .integer(number)
    }
    return try ValueTyping.value(json, as: field.type)
  }

  /// Returns a new id; nil if the ids of the collection follow from a key.
  private static func newID(of collection: StoreSchema.Collection) -> String? {
    collection.key.isEmpty ? TimedUUID.make() : nil
  }

  private static let insert = AgentTool(
    name: "insert", title: "Add an entity", description: "Adds an entity to a collection.",
    effect: .adds,
    parameters: [
      Parameters.collection,
      ToolParameter("id", .text, "The id; left out, a new one is made, or follows from the key."),
      Parameters.fields, Parameters.label,
    ],
    results: [("id", SchemaType.text, "The id of the entity.")] + written
  ) { session, arguments in
    let name = try arguments.required("collection")
    let schema = try collection(name, try await session.store.schema())
    let values = try values(arguments, schema)
    let given = arguments.text("id") ?? newID(of: schema)
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
      ToolParameter("version", .text, "The version that `get` returned."), Parameters.label,
    ],
    results: written
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    let values = try values(arguments, try collection(name, try await session.store.schema()))
    let version = arguments.text("version")
    return result(
      try await session.write("update \(name)/\(id)", label: arguments.text("label")) { tx in
        if let version { try requireVersion(version, try tx.fetch(name, id)) }
        try tx.update(name, id, values)
      })
  }

  private static func requireVersion(_ version: String, _ entity: StoredEntity?)
    throws(ToolFailure)
  {
    guard let entity, entity.version.description != version else { return }
    throw ToolFailure(
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
      ToolParameter("field", .text, required: true, "A text field."),
      ToolParameter(
        "find", .text, required: true,
        "The part to replace, which occurs exactly once; empty to add at the end."),
      ToolParameter("replace", .text, required: true, "What takes its place."), Parameters.label,
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
  private static func place(of part: String, in text: String) throws(ToolFailure) -> Range<Int> {
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
      throw ToolFailure(
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
      ToolParameter(
        "collection", .text, required: true, "A collection of relationships; `schema` lists them."),
      ToolParameter("from", .text, required: true, "COLLECTION/ID, or an id of one collection."),
      ToolParameter("to", .text, required: true, "COLLECTION/ID, or an id of one collection."),
      ToolParameter("fields", .fields, "Values of the relationship's own fields."),
      Parameters.label,
    ],
    results: [("id", SchemaType.text, "The id of the relationship.")] + written
  ) { session, arguments in
    let name = try arguments.required("collection")
    let schema = try collection(name, try await session.store.schema())
    guard schema.isRelationship else {
      throw ToolFailure("\(name) is no collection of relationships", cure: "Call `schema`")
    }
    let graph = session.store.graph
    let from = try await graph.vertex(try arguments.required("from"))
    let to = try await graph.vertex(try arguments.required("to"))
    var values = try values(arguments, schema)
    (values["source"], values["target"]) = (.text(from.id), .text(to.id))
    let made = Made()
    let (fields, id) = (values, newID(of: schema))
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
      ToolParameter("field", .text, required: true, "The field, as `conflicts` names it."),
      ToolParameter(
        "take", .choice(["shown", "other"]), "Which of two writes is to count; or give a value."),
      ToolParameter("value", .any, "The value that is to count."),
    ],
    results: written
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    let field = try arguments.required("field")
    let schema = try collection(name, try await session.store.schema())
    let page = try await session.store.conflicts(in: name, id: id, field: field).page(limit: 1)
    guard let conflict = page.items.first else {
      throw ToolFailure("\(name)/\(id) has no conflict in “\(field)”", cure: "Call `conflicts`")
    }
    let choice = try choice(arguments, conflict, schema)
    return result(
      try await session.write("settle \(name)/\(id) \(field)", label: nil) { tx in
        switch choice {
        case .write(let write): try tx.settle(conflict, taking: write)
        case .value(let value): try tx.settle(conflict, with: value)
        }
      })
  }

  private enum Choice {
    case write(Conflict.Write)
    case value(Value)
  }

  /// Returns what a call of `settle` chooses.
  private static func choice(
    _ arguments: ToolArguments, _ conflict: Conflict, _ schema: StoreSchema.Collection
  ) throws(ToolFailure) -> Choice {
    if let take = arguments.text("take") {
      let found = conflict.writes.filter { $0.wins == (take == "shown") }
      guard found.count == 1, let write = found.first else {
        throw ToolFailure(
          "the conflict has \(found.count) such writes", cure: "Give the value that is to count")
      }
      return .write(write)
    }
    guard let json = arguments["value"],
      let declared = schema.fields.first(where: {
        $0.identity == conflict.field || $0.name == conflict.field
      })
    else {
      throw ToolFailure(
        "settle needs to know what is to count",
        cure: "Give take or, for a field of the collection, value")
    }
    do { return .value(try value(json, of: declared)) } catch {
      throw ToolFailure("the value does not fit \(declared.name)", cure: error.remedy)
    }
  }

  private static let undo = AgentTool(
    name: "undo", title: "Undo an event",
    description: "Takes back all that one event has written. The event stays in the history.",
    effect: .takesAway,
    parameters: [
      ToolParameter(
        "event", .text, required: true, "The event, ORIGIN:SEQUENCE, as calls return it.")
    ],
    results: written
  ) { session, arguments in
    let text = try arguments.required("event")
    guard case .event(let event) = try await session.store.position(text) else {
      throw ToolFailure("“\(text.prefix(64))” is no event", cure: "Give ORIGIN:SEQUENCE")
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
      ToolParameter("actor", .text, "The actor; left out, this agent."),
      ToolParameter("since", .text, "A moment: a time or an event; left out, the beginning."),
    ],
    results: written
  ) { session, arguments in
    var since = Position.vector(VersionVector())
    if let text = arguments.text("since") { since = try await session.store.position(text) }
    return result(
      try await session.store.undo(by: arguments.text("actor") ?? session.actor, since: since))
  }
}
