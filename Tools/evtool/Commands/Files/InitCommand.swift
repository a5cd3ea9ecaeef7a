import ArgumentParser
import Daybook

/// The command `evtool init`.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Makes an empty store in a new folder.",
    discussion: """
      The command makes the folder if it is missing. The folder must be empty. The store gets a \
      key of its own, which identifies it as a replica.

      Example:
        evtool init notes.daybook
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: JSONOption

  func run() async throws {
    var options = try store.verbosity.options
    options.lockTimeout = try StoreArgument.lockTimeout
    let made = try await Store.create(at: store.url, options: options)
    let replica = made.replica
    try await made.close()
    try output.confirm(
      Report {
        $0.line("made \(store.store)  \(Terminal.dim("replica \(replica)"))")
        $0.fact("store", store.store)
        $0.fact("replica", replica)
      })
  }
}
