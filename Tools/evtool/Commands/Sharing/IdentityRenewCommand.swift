import ArgumentParser
import Daybook
import DaybookJSON
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
      StandardOutput.isReport()
      guard output.json else {
        return StandardOutput.line("this store was replica \(before), and is \(after) now")
      }
      var writer = JSONWriter()
      writer.object {
        $0.member("before", before.description)
        $0.member("replica", after.description)
      }
      return StandardOutput.line(writer.bytes)
    }
    let reports = try await access.use(with, options) { peer in
      try await Store.settleForks(at: store.url, with: peer, options: options)
    }
    StandardOutput.isReport()
    if output.json {
      var writer = JSONWriter()
      ForkLines.json(reports, to: &writer)
      StandardOutput.line(writer.bytes)
    } else {
      if reports.isEmpty { StandardOutput.line("there is no fork between the two") }
      for report in reports { ForkLines.print(report) }
      if reports.contains(where: { $0.outcome != .kept }) {
        StandardOutput.line("  sync again to fetch the peer's")
      }
    }
    if reports.contains(where: { $0.outcome == .kept }) { throw Failure.silent(.problem) }
  }
}
