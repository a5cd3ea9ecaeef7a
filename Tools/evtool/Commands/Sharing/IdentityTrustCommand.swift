import ArgumentParser
import Daybook
import DaybookEventCore

/// The command `evtool identity trust`.
struct IdentityTrustCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Accepts hubs of another authority than the one that the store has pinned.",
    discussion: """
      A store trusts the authority of the first hub that it meets, and refuses the hubs of any \
      other. Use this command if a hub was made again without its old authority.key, or if a \
      stranger has put a hub into a shared folder. Events that such a hub has stamped are pending \
      again until the zone's hub stamps them. The old log is kept in “quarantine”. No other \
      process may have the store open, and each store of the zone needs the command.

      KEY is 64 hexadecimal digits. On the hub, “evtool status HUB/zones/NAME” shows it as \
      “authority”.

      Examples:
        evtool identity trust notes.daybook \
      8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The authority's public key.")
  var key: String
  @OptionGroup var output: JSONOption

  func run() async throws {
    guard let authority = Hex.decode(key[...]), authority.count == 32 else {
      throw Failure(
        .usage, "“\(Text.oneLine(key))” is no authority's key, which has 64 hexadecimal digits")
    }
    let options = try store.verbosity.options
    let removed = try await Store.trust(authority: authority, at: store.url, options: options)
    let name = Hex.encode(authority)
    try output.confirm(
      Report {
        $0.fact("authority", name, "the store accepts hubs of the authority \(name)")
        $0.fact("removed", removed) {
          "  what hub \($0) has stamped is pending again: another authority had certified it"
        }
      })
  }
}
