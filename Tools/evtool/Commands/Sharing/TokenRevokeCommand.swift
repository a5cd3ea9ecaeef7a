import ArgumentParser
import DaybookHubServer

/// The command `evtool token revoke`.
struct TokenRevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Revokes a token: the hub refuses it from then on.",
    discussion: """
      A hub that is running refuses it at once.

      Examples:
        evtool token list hub
        evtool token revoke hub 1f0c6b2a9d3e4f58
      """)

  @OptionGroup var hub: HubArgument
  @Argument(help: "The token's id, as `evtool token list` shows it.")
  var id: String

  func run() async throws {
    let token = try TokenFile(try hub.existing()).revoke(id)
    StandardOutput.isConfirmation()
    StandardOutput.line("revoked \(token.id): \(TokenListCommand.facts(token))")
  }
}
