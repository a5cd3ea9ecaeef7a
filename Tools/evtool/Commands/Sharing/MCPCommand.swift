import ArgumentParser
import Daybook
import DaybookAgents
import Dispatch
import Foundation

/// The command `evtool mcp`.
struct MCPCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serves a store to an agent, by the Model Context Protocol.",
    discussion: """
      A client starts the command and talks to it over its input and output, in version 2026-07-28 \
      or 2025-11-25. Each call that writes is one event by the agent, so that all it did can be \
      taken back. The command ends with its input.

      Examples:
        evtool mcp notes.daybook --actor claude
        evtool mcp notes.daybook --read-only
      """)

  @OptionGroup var store: StoreArgument
  @Flag(help: "Offer no tools that write.")
  var readOnly = false
  @Option(help: "The author of what the agent writes, for the history.")
  var actor = "agent"

  func validate() throws {
    if actor.isEmpty { throw ValidationError("--actor must name somebody") }
  }

  func run() async throws {
    if readOnly {
      try await store.read { try await serve($0) }
    } else {
      try await store.write(actor: actor) { try await serve($0) }
    }
  }

  /// The time that running calls have to end after the input has.
  private static let grace = Duration.milliseconds(300)
  /// The time after which the process ends, also if calls still run. Acknowledged events are
  /// durable, and the next opening of the store finishes the rest.
  private static let lastMoment = DispatchTimeInterval.milliseconds(900)

  private func serve(_ store: Store) async throws {
    let output = MessageOutput()
    let server = AgentServer(
      store, actor: actor, isReadOnly: readOnly, version: EvtoolCommand.configuration.version
    ) { output.write($0) }
    await MessageInput(output).forEachLine { server.take($0) }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.lastMoment) { _exit(0) }
    let grace = Task {
      try await Task.sleep(for: Self.grace)
      await server.finish(isCancelling: true)
    }
    await server.finish(isCancelling: output.isBroken)
    grace.cancel()
  }
}

/// Messages for the client, one a line, at once.
private final class MessageOutput: Sendable {
  private let lock = NSLock()
  private let broken = SignalCell(0)

  /// Whether the client has closed its end.
  var isBroken: Bool { broken.value != 0 }

  func write(_ message: [UInt8]) {
    lock.lock()
    defer { lock.unlock() }
    guard !isBroken, !FileDescriptor.write(message + [0x0A], to: STDOUT_FILENO) else { return }
    broken.value = 1
  }
}

/// The lines of the input, until it ends, a signal comes, or the client closes the output.
private struct MessageInput: Sendable {
  private let output: MessageOutput

  /// The most bytes of a line that are kept. The rest of a longer one is passed over.
  private static let lineBytesMax = (8 << 20) + 1

  init(_ output: MessageOutput) { self.output = output }

  /// Calls `body` with each line, without its line break.
  func forEachLine(_ body: @escaping @Sendable ([UInt8]) -> Void) async {
    Interrupt.listen()
    signal(SIGHUP) { _ in Interrupt.request() }
    await withCheckedContinuation { continuation in
      let thread = Thread { [self] in
        read(body)
        continuation.resume()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func read(_ body: ([UInt8]) -> Void) {
    var line: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while !Interrupt.isRequested, !output.isBroken {
      var ends = [
        pollfd(fd: STDIN_FILENO, events: Int16(clamping: POLLIN), revents: 0),
        // If the client has closed the output, poll reports an error without being asked for it.
        pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      ]
      guard poll(&ends, 2, 250) > 0 else { continue }
      if ends[1].revents & Int16(clamping: POLLERR | POLLNVAL) != 0 { return }
      guard ends[0].revents != 0 else { continue }
      let count = Foundation.read(STDIN_FILENO, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      for part in piece[..<count].split(separator: 0x0A, omittingEmptySubsequences: false)
        .enumerated()
      {
        if part.offset > 0 {
          body(line)
          line.removeAll(keepingCapacity: line.count < 1 << 20)
        }
        let room = Self.lineBytesMax - line.count
        if room > 0 { line.append(contentsOf: part.element.prefix(room)) }
      }
    }
    // The last line may have no end.
    if !line.isEmpty, !Interrupt.isRequested { body(line) }
  }
}
