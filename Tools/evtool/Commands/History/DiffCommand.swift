import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
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
    if output.json {
      for change in changes { StandardOutput.line(Self.json(change)) }
      return
    }
    for change in changes { print(change) }
    let counts = Dictionary(grouping: changes, by: Self.sign).mapValues(\.count)
    StandardOutput.line(
      changes.isEmpty
        ? "nothing differs"
        : Terminal.dim(
          "\(counts["+", default: 0]) came, \(counts["-", default: 0]) went, "
            + "\(counts["~", default: 0]) changed"))
  }

  private static func sign(_ change: Store.EntityChange) -> String {
    change.before == nil ? "+" : change.after == nil ? "-" : "~"
  }

  private func print(_ change: Store.EntityChange) {
    let name = "\(change.collection) \(Text.oneLine(change.id))"
    StandardOutput.line("\(Self.sign(change)) \(Terminal.bold(name))")
    let width = change.fields.map(Text.width).max() ?? 0
    for field in change.fields {
      let (old, new) = (change.before?[field] ?? .null, change.after?[field] ?? .null)
      let values =
        change.before == nil
        ? Text.quotedValue(new)
        : change.after == nil
          ? Text.quotedValue(old) : "\(Text.quotedValue(old)) → \(Text.quotedValue(new))"
      StandardOutput.line("    \(Text.padded(Text.oneLine(field), width))  \(values)")
    }
  }

  private static func json(_ change: Store.EntityChange) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("collection", change.collection)
      writer.key("id")
      writer.text(change.id)
      writer.member("change", ["+": "came", "-": "went"][sign(change)] ?? "changed")
      writer.key("fields")
      writer.object {
        for field in change.fields {
          $0.key(field)
          $0.object {
            $0.key("from")
            $0.value(change.before?[field] ?? .null)
            $0.key("to")
            $0.value(change.after?[field] ?? .null)
          }
        }
      }
    }
    return writer.bytes
  }
}
