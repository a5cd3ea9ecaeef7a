import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The command `evtool diff`.
struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Shows what differs between two positions.",
    discussion: """
      Lists every entity that was added (+), removed (-) or changed (~), with its values. Without \
      a second position, the first is compared with the current state.

      \(positionHelp)

      Examples:
        evtool diff notes.daybook 2026-11-20
        evtool diff notes.daybook 3f2a:100 3f2a:120 --collection notes
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The position to begin with.")
  var from: String
  @Argument(help: "The position to end with; without it, the current state.")
  var to: String?
  @Option(help: "Look at one collection only.")
  var collection: String?
  @OptionGroup var output: JSONOption

  func run() async throws {
    let changes = try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      var end: Position?
      if let to { end = try await store.position(to) }
      return try await store.changes(
        from: try await store.position(from), to: end, in: collection)
    }
    var list = output.list(.lines)
    for change in changes { try list.add(Self.report(change)) }
    let counts = Dictionary(grouping: changes, by: Self.sign).mapValues(\.count)
    list.end(
      none: "nothing differs",
      last: Terminal.dim(
        "\(counts["+", default: 0]) came, \(counts["-", default: 0]) went, "
          + "\(counts["~", default: 0]) changed"))
  }

  private static func sign(_ change: Store.EntityChange) -> String {
    change.before == nil ? "+" : change.after == nil ? "-" : "~"
  }

  private static func report(_ change: Store.EntityChange) -> Report {
    Report {
      let name = "\(change.collection) \(Text.oneLine(change.id))"
      $0.line("\(sign(change)) \(Terminal.bold(name))")
      $0.fact("collection", change.collection)
      $0.fact("id", change.id)
      $0.fact("change", ["+": "came", "-": "went"][sign(change)] ?? "changed")
      let width = change.fields.map(Text.width).max() ?? 0
      let fields = Report {
        for field in change.fields { $0.fact(field, report(field, of: change, width)) }
      }
      $0.fact("fields", fields)
    }
  }

  private static func report(
    _ field: String, of change: Store.EntityChange, _ width: Int
  ) -> Report {
    Report {
      let (old, new) = (change.before?[field] ?? .null, change.after?[field] ?? .null)
      let values =
        change.before == nil
        ? Text.quotedValue(new)
        : change.after == nil
          ? Text.quotedValue(old) : "\(Text.quotedValue(old)) → \(Text.quotedValue(new))"
      $0.line("    \(Text.padded(Text.oneLine(field), width))  \(values)")
      $0.fact("from", old)
      $0.fact("to", new)
    }
  }
}
