import ArgumentParser
import Daybook

/// The command `evtool zones remove`.
struct ZonesRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Moves a zone of a shared folder out of the way.",
    discussion: """
      The zone's folder is renamed within the shared folder, and no store reads it any more. \
      Nothing is deleted: giving it the old name back undoes this. Stores that still belong to \
      the zone hold what they have exchanged there, and are told to join another one.

      Examples:
        evtool zones remove folder:$HOME/Dropbox/notes 5c0f6b2a9d3e4f58a1b2c3d4e5f60718
      """)

  @OptionGroup var shared: SharedFolderArgument
  @Argument(help: "The zone to move out of the way, 32 hexadecimal digits.")
  var zone: String
  @OptionGroup var output: JSONOption

  func run() async throws {
    let zone = try SharedFolderArgument.zone(zone)
    let names = try await shared.peer.setAside(zone)
    try output.show(
      Report {
        $0.fact("zone", zone)
        $0.fact("folders", names) { "the zone is now in “\(Text.oneLine($0))”" }
      })
  }
}
