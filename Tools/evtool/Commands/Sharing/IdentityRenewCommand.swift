import ArgumentParser
import Daybook
import DaybookReplication

/// The command `evtool identity renew`.
struct IdentityRenewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew",
    abstract: "Makes a store a new replica, after it was copied or restored.",
    discussion: """
      If two stores write as the same replica, it has two histories: a fork. A peer refuses the \
      history that it does not hold. To prevent a fork, renew one of the two before both write.

      After a fork, name a peer that refuses. The branch that a hub has stamped stands. If that is \
      the peer's, this store takes its own branch out of its log and writes it again under the new \
      identity. The old log is kept in “quarantine”. No event is lost. No other process may have \
      the store open.

      Examples:
        evtool identity renew copy.daybook
        evtool identity renew copy.daybook --with /media/stick/notes.daybook
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "A peer that refuses events of this store as a fork.")
  var with: String?
  @OptionGroup var access: PeerAccess
  @OptionGroup var output: JSONOption

  func run() async throws {
    let options = try store.verbosity.options
    guard let with else {
      let (before, after) = try await Store.renewIdentity(at: store.url, options: options)
      return try output.confirm(
        Report {
          $0.fact("before", before)
          $0.fact("replica", after, "this store was replica \(before), and is \(after) now")
        })
    }
    let forks = try await access.use(with, options) { peer in
      try await Store.settleForks(at: store.url, with: peer, options: options)
    }
    var list = output.list(.array)
    StandardOutput.isConfirmation()
    for fork in forks { try list.add(fork.report) }
    list.end(
      none: "there is no fork between the two",
      last: forks.contains { $0.outcome != .kept } ? "  sync again to fetch the peer's" : nil)
    if forks.contains(where: { $0.outcome == .kept }) { throw Failure.silent(.problem) }
  }
}
