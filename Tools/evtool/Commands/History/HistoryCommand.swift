import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// The command `evtool history`.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Shows what happened to an entity: when, who, which fields from what to what.",
    discussion: """
      The order is the one that decides which write wins. A value that counts now is marked •, one \
      of a conflict ‼; ✓ marks events that a hub has stamped.

      Example:
        evtool history notes.daybook notes n1
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The collection.")
  var collection: String
  @Argument(help: "The entity's id.")
  var id: String
  @OptionGroup var output: JSONOption

  func run() async throws {
    let items = try await store.read { store in
      try await Entities.requireCollection(collection, store)
      return try await store.history(of: collection, id)
    }
    if output.json {
      StandardOutput.line(Self.json(items))
    } else {
      for (index, item) in items.enumerated() { print(item, isLast: index == items.count - 1) }
    }
    guard !items.isEmpty else {
      throw Failure(.problem, "nothing was ever written to \(id.quotedForMessage) in \(collection)")
    }
  }

  private func print(_ item: HistoryItem, isLast: Bool) {
    let mark = item.times.stamped == nil ? " " : "✓"
    var head = "● \(Text.second(item.times.authored)) \(mark) \(Terminal.bold(item.kind.rawValue))"
    if !item.actor.isEmpty { head += " by \(Text.brief(item.actor, 100))" }
    if !item.label.isEmpty { head += "  “\(Text.brief(item.label, 100))”" }
    StandardOutput.line(head + "  " + Terminal.dim(Text.event(item.event)))
    let rail = isLast ? " " : "│"
    let width = item.changes.map { Text.width($0.field) }.max() ?? 0
    for change in item.changes {
      let sign = change.isConflict ? "‼" : change.isCurrent ? "•" : " "
      let from = change.from == .null ? "" : "\(Text.quotedValue(change.from)) → "
      StandardOutput.line(
        "\(rail)  \(sign) \(Text.padded(Text.oneLine(change.field), width))  "
          + from + Text.quotedValue(change.to))
    }
    if !isLast { StandardOutput.line(rail) }
  }

  private static func json(_ items: [HistoryItem]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for item in items { writer.object { json(item, &$0) } }
    }
    return writer.bytes
  }

  private static func json(_ item: HistoryItem, _ writer: inout JSONWriter) {
    writer.key("origin")
    writer.text(item.event.origin.description)
    writer.key("sequence")
    writer.integer(item.event.sequence)
    writer.key("authored")
    writer.timestamp(item.times.authored.milliseconds)
    writer.key("stamp")
    if let time = item.times.stamped {
      writer.timestamp(time.milliseconds)
    } else {
      writer.null()
    }
    writer.key("actor")
    writer.text(item.actor)
    writer.key("label")
    writer.text(item.label)
    writer.key("kind")
    writer.text(item.kind.rawValue)
    writer.key("changes")
    writer.array { writer in
      for change in item.changes {
        writer.object {
          $0.key("field")
          $0.text(change.field)
          $0.key("from")
          $0.value(change.from)
          $0.key("to")
          $0.value(change.to)
          $0.key("current")
          $0.boolean(change.isCurrent)
          $0.key("conflict")
          $0.boolean(change.isConflict)
        }
      }
    }
  }
}
