import ArgumentParser
import Daybook

/// The command `evtool zones join`.
struct ZonesJoinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Makes a store join another zone of a shared folder.",
    discussion: """
      The store's own events are exchanged in the new zone from the next sync on. Events of other \
      stores follow when those have joined, too. Nothing is lost. No other process may have the \
      store open. A store whose zone has a hub stays in its zone: let the others join that.

      Examples:
        evtool zones join notes.daybook folder:$HOME/Dropbox/notes 5c0f6b2a9d3e4f58a1b2c3d4e5f60718
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var shared: SharedFolderArgument
  @Argument(help: "The zone to join, 32 hexadecimal digits.")
  var zone: String
  @OptionGroup var output: JSONOption

  func run() async throws {
    let zone = try SharedFolderArgument.zone(zone)
    let zones = try await shared.peer.zones()
    guard zones.contains(where: { $0.id == zone }) else {
      throw Failure(
        .usage, "the shared folder has no zone \(zone)",
        hint: "List its zones with `evtool zones`")
    }
    let left = try await Store.join(
      zone: zone, at: store.url, options: store.verbosity.options)
    try output.show(
      Report {
        $0.fact(
          "zone", zone, "the store belongs to zone \(zone); sync it with the folder now")
        $0.fact("left", left)
        if let left, let rest = zones.first(where: { $0.id == left }), !rest.isEmpty {
          $0.line(
            "  zone \(left), which it has left, still holds \(Text.count(rest.events, "event")) of "
              + Text.count(rest.stores, "store"))
          $0.line("  when all of its stores have joined: evtool zones remove FOLDER \(left)")
        }
      })
  }
}
