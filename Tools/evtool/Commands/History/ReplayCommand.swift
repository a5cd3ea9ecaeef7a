import ArgumentParser
import Daybook
import Foundation

/// The command `evtool replay`.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "A shell on the past: show, query, search, history and graph as it was.",
    discussion: """
      Makes a read model of that moment aside and reads commands, one a line, from the terminal or \
      from a pipe. The commands are those of evtool, without the store: “show notes n1”, “search \
      oat”, “SELECT count(*) FROM notes”. “at POS” moves, “next” and “back” go event by event, \
      “help” lists everything. Nothing of the store changes, and what was made goes away at the \
      end, also with Ctrl-C.

      From a pipe there is no prompt; errors name the line, the rest is done all the same, and the \
      exit code is that of the first command that failed.

      \(positionHelp)

      Examples:
        evtool replay notes.daybook --at 2026-11-20
        echo 'SELECT count(*) FROM notes' | evtool replay notes.daybook --at 3f2a:100 --json
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "The position to begin at; where the store is now, if it is missing.")
  var at: String?
  @OptionGroup var output: JSONOption

  func run() async throws {
    let (at, output) = (at, output)
    let path = store.url.path(percentEncoded: false)
    let status = try await store.read { store in
      var shell = try ReplayShell(store, path: path, output)
      return try await shell.run(from: at ?? ReplayShell.now)
    }
    if let status { throw Failure.silent(status) }
  }
}
