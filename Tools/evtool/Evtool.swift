import ArgumentParser
import Daybook
import Foundation

/// The command `evtool`.
@main
struct Evtool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evtool",
    abstract: "Works with Daybook stores: event-sourced, local-first, replayable.",
    discussion: """
      A store is a folder. Every change is an event in its log; tables, full-text index and graph \
      are made from the log and can be made again, as they are now or as they were.

      A first tour:
        evtool init notes.daybook
        evtool import notes.daybook notes.ndjson
        evtool search notes.daybook 'oat milk'
        evtool history notes.daybook notes n1
        evtool verify notes.daybook

      Exit codes: 0 fine; 1 a problem was found, or nothing was; 2 usage or input; 3 damaged store; \
      130 interrupted.
      """,
    version: "0.1.0",
    subcommands: [
      Init.self, Import.self, Export.self, Put.self, Update.self, Delete.self, Restore.self,
      Erase.self, Log.self, History.self, Show.self, Query.self, Search.self, GraphCommand.self,
      Replay.self, Rebuild.self, Verify.self, Backup.self, Repair.self, Diff.self, Digest.self,
      Status.self, Hidden.self, Conflicts.self, Sync.self, IdentityCommand.self, Serve.self,
      TokenCommand.self,
    ])

  static func main() async {
    Store.tuneProcess()
    Foundation.exit(await run(Array(CommandLine.arguments.dropFirst())))
  }

  private static func run(_ arguments: [String]) async -> Int32 {
    var command: any ParsableCommand
    do {
      command = try parseAsRoot(arguments)
    } catch {
      return reportUsage(error)
    }
    do {
      if var asyncCommand = command as? any AsyncParsableCommand {
        try await asyncCommand.run()
      } else {
        try command.run()
      }
      StandardOutput.flush()
      return StandardOutput.failure?.report() ?? 0
    } catch {
      StandardOutput.flush()
      if error is ValidationError || exitCode(for: error) == .success { return reportUsage(error) }
      return Failure(error).report()
    }
  }

  /// Help goes to the output and is no failure; anything else is one sentence and the usage.
  private static func reportUsage(_ error: any Error) -> Int32 {
    let message = fullMessage(for: error)
    if exitCode(for: error) == .success {
      StandardOutput.line(message)
      StandardOutput.flush()
      return 0
    }
    let prefix = "Error: "
    let sentence = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
    StandardError.line("evtool: \(sentence)")
    return ExitStatus.usage.rawValue
  }
}
