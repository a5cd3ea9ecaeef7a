import ArgumentParser
import Daybook
import DaybookReplication
import Foundation

/// The command `evtool zones`.
struct ZonesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zones",
    abstract: "Lists the zones of a shared folder, and brings two of them together.",
    discussion: """
      A zone is what one group of stores exchanges. A shared folder has one, unless a store wrote \
      to it before the program that syncs the folder had brought the others' files. Then the \
      folder has two, and their stores do not see each other's events.

      To bring them together, let each store of the smaller zone join the other one, and sync it. \
      When all have done so, move what is left out of the way.

      Examples:
        evtool zones folder:$HOME/Dropbox/notes
        evtool zones join notes.daybook folder:$HOME/Dropbox/notes ZONE
        evtool zones remove folder:$HOME/Dropbox/notes OTHER
      """,
    subcommands: [ZonesListCommand.self, ZonesJoinCommand.self, ZonesRemoveCommand.self],
    defaultSubcommand: ZonesListCommand.self)
}

/// A shared folder as an argument, `folder:PATH`.
struct SharedFolderArgument: ParsableArguments {
  @Argument(help: "The shared folder, as folder:PATH.")
  var folder: String

  var peer: FolderPeer {
    get throws {
      let path = folder.rest(after: "folder:").map(String.init) ?? folder
      guard !path.isEmpty, !path.contains("://") else {
        throw Failure(
          .usage, "“\(Text.oneLine(folder))” names no shared folder", hint: "Say folder:PATH")
      }
      return FolderPeer(URL(fileURLWithPath: path, isDirectory: true))
    }
  }

  /// Parses the id of a zone.
  static func zone(_ text: String) throws -> ZoneID {
    // The name of the zone's folder is as good.
    let digits = text.rest(after: "zone-").map(String.init) ?? text
    guard let zone = ZoneID(digits), zone != .none else {
      throw Failure(
        .usage, "“\(Text.oneLine(text))” is no zone, which has 32 hexadecimal digits",
        hint: "List the zones of a folder with `evtool zones`")
    }
    return zone
  }
}
