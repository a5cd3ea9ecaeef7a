import ArgumentParser

/// `evtool identity`.
struct IdentityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity",
    abstract: "Gives a store that was copied an identity of its own, and puts forks right.",
    subcommands: [IdentityRenew.self])
}
