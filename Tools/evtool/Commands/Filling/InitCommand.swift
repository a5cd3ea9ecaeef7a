import ArgumentParser
import Daybook
import DaybookJSON

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
    StandardOutput.isReport()
    guard output.json else {
      return StandardOutput.line("made \(store.store)  \(Terminal.dim("replica \(replica)"))")
    }
    var writer = JSONWriter()
    writer.object {
      $0.key("store")
      $0.text(store.store)
      $0.key("replica")
      $0.text(replica.description)
    }
    StandardOutput.line(writer.bytes)
  }
}
