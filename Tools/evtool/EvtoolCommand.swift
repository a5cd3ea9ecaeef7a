import ArgumentParser
import Daybook
import DaybookEventCore
import Foundation

/// The command `evtool`.
@main
struct EvtoolCommand: AsyncParsableCommand {
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

      Exit codes: 0 fine; 1 a problem was found, or nothing was; 2 usage or input; 3 damaged \
      store; 130 interrupted.
      """,
    version: "0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Files",
        subcommands: [
          InitCommand.self, ImportCommand.self, ExportCommand.self,
        ]),
      CommandGroup(
        name: "Reading",
        subcommands: [
          ShowCommand.self, SearchCommand.self, QueryCommand.self, GQLCommand.self,
          GraphCommand.self,
        ]),
      CommandGroup(
        name: "Writing",
        subcommands: [
          PutCommand.self, UpdateCommand.self, DeleteCommand.self, RestoreCommand.self,
          EraseCommand.self, EditCommand.self, UndoCommand.self,
        ]),
      CommandGroup(
        name: "History",
        subcommands: [
          HistoryCommand.self, BlameCommand.self, LogCommand.self, DiffCommand.self,
          DeletedCommand.self, AuditCommand.self, ReplayCommand.self,
        ]),
      CommandGroup(
        name: "Sharing",
        subcommands: [
          SyncCommand.self, ConflictsCommand.self, HiddenCommand.self, DigestCommand.self,
          IdentityCommand.self, ZonesCommand.self, ServeCommand.self, MCPCommand.self,
          InspectCommand.self,
          TokenCommand.self,
        ]),
      CommandGroup(
        name: "Care",
        subcommands: [
          StatusCommand.self, VerifyCommand.self, RebuildCommand.self, BackupCommand.self,
          RepairCommand.self,
        ]),
    ])

  static func main() async {
    StandardStreams.open()
    Store.tuneProcess()
    Foundation.exit(await run())
  }

  private static func run() async -> Int32 {
    var arguments: [String] = []
    do {
      arguments = try Arguments.ofProcess()
      let command: any ParsableCommand
      do {
        command = try Arguments.command(arguments)
      } catch {
        return reportUsage(error, arguments)
      }
      try await run(command)
      return StandardOutput.finish()
    } catch {
      Interrupt.awaitEnd()
      StandardOutput.flush()
      if error is ValidationError || exitCode(for: error) == .success {
        return reportUsage(error, arguments)
      }
      return Failure(error).report()
    }
  }

  static func run(_ command: sending any ParsableCommand) async throws {
    if var command = command as? any AsyncParsableCommand { return try await command.run() }
    var command = command
    try command.run()
  }

  /// Prints a request for help to the output with status 0, or a usage error in one sentence.
  private static func reportUsage(_ error: any Error, _ arguments: [String]) -> Int32 {
    let mistyped = Arguments.mistypedCommand(arguments)
    if exitCode(for: error) == .success, mistyped == nil {
      StandardOutput.line(fullMessage(for: error))
      StandardOutput.flush()
      return 0
    }
    if let mistyped { return mistyped.report() }
    let message = fullMessage(for: error)
    let sentence = message.rest(after: "Error: ").map(String.init) ?? message
    StandardError.line("evtool: \(Arguments.inOurQuotes(sentence))")
    return ExitStatus.usage.rawValue
  }
}
