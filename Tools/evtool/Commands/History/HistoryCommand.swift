import ArgumentParser
import Daybook
import DaybookEventCore
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
    try output.show(
      items.enumerated().map { Self.report($1, isLast: $0 == items.count - 1) })
    guard !items.isEmpty else {
      throw Failure(.problem, "nothing was ever written to \(id.quotedForMessage) in \(collection)")
    }
  }

  private static func report(_ item: HistoryItem, isLast: Bool) -> Report {
    Report {
      $0.line(head(item))
      $0.event(item.event)
      $0.fact("authored", item.times.authored)
      $0.fact("stamp", item.times.stamped)
      $0.fact("actor", item.actor)
      $0.fact("label", item.label)
      $0.fact("kind", item.kind.rawValue)
      let rail = isLast ? " " : "│"
      let width = item.changes.map { Text.width($0.field) }.max() ?? 0
      $0.fact("changes", item.changes.map { report($0, rail, width) })
      if !isLast { $0.line(rail) }
    }
  }

  private static func head(_ item: HistoryItem) -> String {
    let mark = item.times.stamped == nil ? " " : "✓"
    var head = "● \(Text.second(item.times.authored)) \(mark) \(Terminal.bold(item.kind.rawValue))"
    if !item.actor.isEmpty { head += " by \(Text.brief(item.actor, 100))" }
    if !item.label.isEmpty { head += "  “\(Text.brief(item.label, 100))”" }
    return head + "  " + Terminal.dim(Text.event(item.event))
  }

  private static func report(_ change: HistoryItem.Change, _ rail: String, _ width: Int) -> Report {
    Report {
      let sign = change.isConflict ? "‼" : change.isCurrent ? "•" : " "
      let from = change.from == .null ? "" : "\(Text.quotedValue(change.from)) → "
      $0.line(
        "\(rail)  \(sign) \(Text.padded(Text.oneLine(change.field), width))  "
          + from + Text.quotedValue(change.to))
      $0.fact("field", change.field)
      $0.fact("from", change.from)
      $0.fact("to", change.to)
      $0.fact("current", change.isCurrent)
      $0.fact("conflict", change.isConflict)
    }
  }
}
