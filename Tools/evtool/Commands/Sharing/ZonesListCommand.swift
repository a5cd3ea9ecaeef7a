import ArgumentParser
import Daybook
import DaybookJSON

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
    guard output.json else { return Self.print(zones) }
    var writer = JSONWriter()
    writer.array { writer in
      for zone in zones {
        writer.object { writer in
          writer.member("zone", zone.id.description)
          writer.member("events", zone.events)
          writer.member("stores", UInt64(zone.stores))
          writer.member("files", UInt64(zone.files))
          writer.key("lastChange")
          if let time = zone.lastChange { writer.integer(time) } else { writer.null() }
        }
      }
    }
    StandardOutput.line(writer.bytes)
  }

  private static func print(_ zones: [FolderPeer.Zone]) {
    if zones.isEmpty { StandardOutput.line("no store has synced with this folder") }
    for zone in zones {
      StandardOutput.line(
        zone.isEmpty
          ? "\(zone.id)  empty: its stores move to another zone here with their next sync"
          : "\(zone.id)  \(Text.count(zone.events, "event")) of "
            + "\(Text.count(UInt64(zone.stores), "store")) in "
            + "\(Text.count(UInt64(zone.files), "file"))")
    }
  }
}
