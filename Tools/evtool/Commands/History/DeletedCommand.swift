import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The command `evtool deleted`.
struct DeletedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deleted",
    abstract: "Lists deleted entities that can be restored, the newest deletion first.",
    discussion: """
      Each with the values that `evtool restore` would bring back. With --match, all of the words \
      must occur in its texts, each anywhere, upper and lower case alike; no search index is \
      needed. What was erased cannot be restored, and is not listed.

      \(positionHelp) \(sinceHelp)

      Examples:
        evtool deleted notes.daybook
        evtool deleted notes.daybook notes --by ann --since 2026-11-20
        evtool deleted notes.daybook --match 'oat milk' --limit 10 --json
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "Only this collection.")
  var collection: String?
  @Option(help: "Only what this actor has deleted.")
  var by: String?
  @Option(help: "Only what was deleted since this time, or after this position.")
  var since: String?
  @Option(help: "Only what was deleted up to this position.")
  var until: String?
  @Option(help: "Only what has all of these words in its texts.")
  var match: String?
  @OptionGroup var most: LimitOption
  @OptionGroup var output: JSONOption

  func run() async throws {
    var list = output.list(
      .rows, columns: ["collection", "id", "what it was", "deleted", "by", "event"])
    try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      var (after, end): (Position?, Position?)
      if let since { after = try await store.position(since: since) }
      if let until { end = try await store.position(until) }
      let schema = try await store.schema()
      let deleted = store.deleted(
        in: collection, by: by, after: after, until: end, matching: match)
      for try await entity in deleted.prefix(most.count) {
        try list.add(Self.report(entity, schema))
      }
    }
    list.end(none: "nothing that can be restored")
  }

  private static func report(_ entity: Store.DeletedEntity, _ schema: StoreSchema) -> Report {
    Report {
      let times = entity.times
      $0.fact("collection", entity.collection, column: "collection")
      $0.fact("id", entity.id, column: "id")
      $0.fact("fields", entity.fields, column: "what it was", summary(entity, schema))
      $0.fact("event", entity.event, column: "event", Text.event(entity.event))
      $0.fact("actor", entity.actor, column: "by", Text.brief(entity.actor, 40))
      $0.fact("label", entity.label)
      $0.fact("authored", times.authored, column: "deleted", Text.second(times.first))
      $0.fact("stamped", times.stamped)
    }
  }

  private static let summaryWidth = 60

  /// Returns the entity's title, else its first values.
  private static func summary(_ entity: Store.DeletedEntity, _ schema: StoreSchema) -> String {
    let collection = schema[entity.collection]
    if let field = collection.flatMap(Entities.titleField),
      case .text(let title) = entity[field.name], !title.isEmpty
    {
      return Text.brief(title, summaryWidth)
    }
    let names = entity.fields.keys.sorted(by: utf8Less)
    return names.prefix(3).map { "\(Text.oneLine($0)) \(Text.quotedValue(entity[$0], width: 30))" }
      .joined(separator: ", ")
  }
}
