import ArgumentParser

/// The command `evtool identity`.
struct IdentityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity",
    abstract: "Who a store is, and whom it trusts: after copies, forks and lost hubs.",
    subcommands: [IdentityRenewCommand.self, IdentityTrustCommand.self])
}
