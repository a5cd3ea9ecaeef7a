import ArgumentParser
import Daybook

/// The command `evtool zones list`.
struct ZonesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the zones of a shared folder, and what each holds.",
    discussion: """
      The numbers follow from the names of the files, also of those that have not arrived yet.

      Examples:
        evtool zones folder:$HOME/Dropbox/notes
      """)

  @OptionGroup var shared: SharedFolderArgument
  @OptionGroup var output: JSONOption

  func run() async throws {
    let zones = try await shared.peer.zones()
    try output.show(zones.map(Self.report), none: "no store has synced with this folder")
  }

  private static func report(_ zone: FolderPeer.Zone) -> Report {
    Report {
      $0.line(
        zone.isEmpty
          ? "\(zone.id)  empty: its stores move to another zone here with their next sync"
          : "\(zone.id)  \(Text.count(zone.events, "event")) of "
            + "\(Text.count(zone.stores, "store")) in \(Text.count(zone.files, "file"))")
      $0.fact("zone", zone.id)
      $0.fact("events", zone.events)
      $0.fact("stores", zone.stores)
      $0.fact("files", zone.files)
      $0.fact("lastChange", zone.lastChange)
    }
  }
}
