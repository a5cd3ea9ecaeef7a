import ArgumentParser
import DaybookHubServer
import Foundation

/// The command `evtool token`.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Manages the tokens that give access to a hub's zones.",
    discussion: """
      A change applies at once, also if the hub is running. The hub stores a hash of each token, \
      which does not give access.

      Examples:
        evtool token create hub --zone team --write --expires 90d
        evtool token list hub
        evtool token revoke hub 1f0c6b2a9d3e4f58
      """,
    subcommands: [TokenCreateCommand.self, TokenListCommand.self, TokenRevokeCommand.self])
}

/// The argument for a hub's folder.
struct HubArgument: ParsableArguments {
  @Argument(help: "The hub's folder.", completion: .directory)
  var hub: String

  var folder: HubFolder { HubFolder(URL(fileURLWithPath: hub, isDirectory: true)) }

  /// Returns the hub's folder.
  /// - Throws: `HubError` if the folder is not a hub's folder.
  func existing() throws -> HubFolder {
    _ = try folder.authority()
    return folder
  }
}
