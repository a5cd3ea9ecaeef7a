import ArgumentParser
import Daybook
import DaybookEventCore

/// The command `evtool undo`.
struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Takes back what one event, or everything that an actor has written.",
    discussion: """
      The events stay in the log and in the history. What others have written since stays. To undo \
      the undo lets them count again.

      Examples:
        evtool undo notes.daybook 3e61:17
        evtool undo notes.daybook --by claude --since 2026-11-28
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The event, ORIGIN:SEQUENCE; `evtool log` lists them.")
  var event: String?
  @Option(help: "Take back everything that this actor has written.")
  var by: String?
  @Option(help: "With --by: only what was written after this time or event.")
  var since: String?
  @Option(help: "Who takes it back, for the history. Default: $DAYBOOK_ACTOR, else $USER.")
  var actor: String?
  @OptionGroup var output: JSONOption

  func validate() throws {
    guard (event == nil) != (by == nil) else {
      throw ValidationError("give an event, or --by ACTOR")
    }
    if since != nil, by == nil { throw ValidationError("--since goes with --by") }
  }

  func run() async throws {
    let undo = try await store.write(actor: actor) { store -> EventID? in
      guard let event else {
        var start = Position.vector(VersionVector())
        if let since { start = try await store.position(since: since) }
        return try await store.undo(by: by ?? "", since: start)
      }
      guard case .event(let id) = try await store.position(event) else {
        throw Failure(
          .usage, "\(event.quotedForMessage) is no event", hint: "Give ORIGIN:SEQUENCE")
      }
      return try await store.undo(id)
    }
    try output.confirm(
      Report {
        $0.event(undo)
        $0.line(
          undo.map { "undone  \(Terminal.dim("event \(Text.event($0))"))" }
            ?? "nothing to undo: it was undone already, or nothing was written")
      })
  }
}
