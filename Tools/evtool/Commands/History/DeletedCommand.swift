import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
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
    let rows = JSONRows()
    var table = Table(["collection", "id", "what it was", "deleted", "by", "event"])
    var isEmpty = true
    try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      var (after, end): (Position?, Position?)
      if let since { after = try await store.position(since: since) }
      if let until { end = try await store.position(until) }
      let schema = try await store.schema()
      let deleted = store.deleted(
        in: collection, by: by, after: after, until: end, matching: match)
      for try await entity in deleted.prefix(most.count) {
        if let failure = StandardOutput.failure { throw failure }
        isEmpty = false
        if output.json {
          rows.add(Self.json(entity))
        } else {
          table.add([
            entity.collection, Text.oneLine(entity.id), Self.summary(entity, schema),
            Text.second(entity.times.first), Text.brief(entity.actor, 40),
            Text.event(entity.event),
          ])
        }
      }
    }
    if output.json {
      rows.end()
    } else if isEmpty {
      StandardOutput.line("nothing that can be restored")
    } else {
      table.end()
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

  private static func json(_ entity: Store.DeletedEntity) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("collection", entity.collection)
      writer.member("id", entity.id)
      writer.key("fields")
      writer.object {
        for name in entity.fields.keys.sorted(by: utf8Less) {
          $0.key(name)
          $0.value(entity[name])
        }
      }
      writer.member("event", entity.event.description)
      writer.member("actor", entity.actor)
      writer.member("label", entity.label)
      writer.key("authored")
      writer.timestamp(entity.times.authored.milliseconds)
      writer.key("stamped")
      if let stamped = entity.times.stamped {
        writer.timestamp(stamped.milliseconds)
      } else {
        writer.null()
      }
    }
    return writer.bytes
  }
}
