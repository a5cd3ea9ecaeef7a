import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// One event: who, when, why it counts where it counts, and undo.
extension APIRoute {
  static let ofEvents: [APIRoute] = [
    APIRoute(
      .get, "event", "An event, with its causes and what it overrode", .reads, [.event],
      results: [
        .init("event", SchemaType.text, "The event, ORIGIN:SEQUENCE."),
        .init("authored", SchemaType.text, "When its author wrote it."),
        .init("stamped", SchemaType.optional(SchemaType.text), "When a hub stamped it."),
        .init("hub", SchemaType.optional(SchemaType.text), "The hub that did."),
        .init("actor", SchemaType.text, "Who wrote it."),
        .init("label", SchemaType.text, "What for."),
        .init("annotations", SchemaType.object, "Facts about the event itself."),
        .init("readable", SchemaType.boolean, "Whether its body can be read."),
        .init("local", SchemaType.boolean, "Whether it never leaves this replica."),
        .init("causes", SchemaType.array, "What its author had seen of other origins."),
        .init("writes", SchemaType.array, "What it wrote, by kind and collection."),
        .init("entities", SchemaType.array, "Each entity, with its changes and the reasons."),
        .init("entityCount", SchemaType.integer, "The number of all of its entities."),
        .init("undone", SchemaType.boolean, "Whether some of it is undone."),
      ]
    ) { inspection, arguments in
      try await explanation(try arguments.required("event"), inspection.store)
    },
    APIRoute(
      .post, "undo", "Takes back what an event has written", .writes, [.event],
      results: [
        .init("event", SchemaType.optional(SchemaType.text), "The new event; null if none.")
      ]
    ) { inspection, arguments in
      let event = try await id(try arguments.required("event"), inspection.store)
      let made = try await inspection.store.undo(event, actor: inspection.options.actor)
      return [("event", made.map { .text("\($0)") } ?? .null)]
    },
    APIRoute(
      .post, "redo", "Lets an event count again that was undone", .writes, [.event],
      results: [
        .init("event", SchemaType.optional(SchemaType.text), "The new event; null if none.")
      ]
    ) { inspection, arguments in
      let event = try await id(try arguments.required("event"), inspection.store)
      let made = try await inspection.store.redo(event, actor: inspection.options.actor)
      return [("event", made.map { .text("\($0)") } ?? .null)]
    },
  ]

  private static func id(_ text: String, _ store: Store) async throws -> EventID {
    guard case .event(let event) = try await store.position(text) else {
      throw CallFailure("“\(text.prefix(64))” is no event", cure: "Give ORIGIN:SEQUENCE")
    }
    return event
  }

  private static func explanation(_ text: String, _ store: Store) async throws -> Members {
    let event = try await id(text, store)
    guard let read = try await ReadEvent.read([event], store).first,
      case .object(let brief) = read.brief
    else {
      throw APIFailure(404, "unknownEvent", "event \(event) is not known here")
    }
    return try await store.core.reads.asynchronously { snapshot in
      var explanation = try EventExplanation(read, try snapshot.view)
      let (entities, count) = try explanation.entities()
      let annotations = read.event.body?.annotations ?? [:]
      return brief + [
        ("hub", read.times.hub.map { .text("\($0)") } ?? .null),
        (
          "annotations",
          .object(
            annotations.keys.sorted(by: utf8Less).map { ($0, .text(annotations[$0] ?? "")) })
        ),
        ("causes", explanation.causes), ("entities", .array(entities)),
        ("entityCount", .integer(Int64(count))),
        ("undone", .boolean(isUndone(entities))),
      ]
    }
  }

  /// Returns whether some of an event's writes do not count because the event is undone.
  private static func isUndone(_ entities: [JSONValue]) -> Bool {
    entities.contains { entity in
      guard case .array(let writes)? = entity["writes"] else { return false }
      return writes.contains { $0["undone"] == .boolean(true) }
    }
  }
}
