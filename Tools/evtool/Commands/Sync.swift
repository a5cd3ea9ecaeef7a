import ArgumentParser
import Daybook
import EventCore
import Replication

/// `evtool sync`.
struct Sync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Exchanges events with a peer until both hold the same.",
    discussion: """
      PEER is another store's folder, or a zone of a hub: http://HOST:PORT/ZONE, with the token in \
      $DAYBOOK_TOKEN. The first sync adopts the peer's zone. What was exchanged before an interruption \
      counts: say it again.

      --live stays, and syncs what is written here or there at once, until it is interrupted; what fails       is tried again, later and later.

      Ends with 1 where the peer cannot be reached, or either side did not take something.

      Examples:
        evtool sync laptop.daybook /media/stick/notes.daybook
        evtool sync laptop.daybook http://127.0.0.1:8080/team
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "Whom to sync with: a store's folder, or http://HOST:PORT/ZONE.")
  var peer: String
  @Flag(help: "Stay, and sync what is written here or there at once.")
  var live = false
  @OptionGroup var access: PeerAccess
  @OptionGroup var output: JSONOption

  func run() async throws {
    if live { return try await stay() }
    let report = try await store.write { store in
      try await access.use(peer, try self.store.verbosity.options) { peer in
        let line = ProgressLine("syncing", unit: "events")
        defer { line.clear() }
        return try await store.sync(with: peer) { progress in
          line.update(Int(clamping: progress.eventsSent + progress.eventsReceived), fraction: nil)
        }
      }
    }
    if output.json { StandardOutput.line(Self.json(report)) } else { Self.print(report) }
    if !report.refusals.isEmpty { throw Failure.silent(.problem) }
  }

  // MARK: Live

  private func stay() async throws {
    Interrupt.listen()
    try await store.write { store in
      try await access.use(peer, try self.store.verbosity.options) { peer in
        let engine = SyncEngine(store)
        engine.add(peer)
        let stop = Task {
          while !Interrupt.isRequested { try? await Task.sleep(for: .milliseconds(50)) }
          await engine.stop()
        }
        var shown: PeerState?
        for await states in engine.updates() {
          guard let state = states.first, state.phase != .syncing, !Self.isAlike(state, shown)
          else { continue }
          shown = state
          if output.json { StandardOutput.line(Self.json(state)) } else { Self.print(state) }
          StandardOutput.flush()
        }
        await stop.value
      }
    }
  }

  /// Whether there is nothing to say that was not said.
  private static func isAlike(_ state: PeerState, _ shown: PeerState?) -> Bool {
    guard let shown else { return false }
    return state.phase == shown.phase && state.problem == shown.problem
      && state.pending == shown.pending && state.sent == shown.sent
      && state.received == shown.received
  }

  private static func print(_ state: PeerState) {
    var line =
      "\(state.phase.rawValue): sent \(Text.grouped(state.sent)), received "
      + Text.grouped(state.received)
    if state.pending > 0 { line += ", \(Text.grouped(state.pending)) to send" }
    StandardOutput.line(line)
    if let problem = state.problem { StandardOutput.line("  " + Terminal.colored(problem)) }
    if let cure = state.cure { StandardOutput.line("  " + cure) }
  }

  private static func json(_ state: PeerState) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.member("state", state.phase.rawValue)
      $0.member("sent", state.sent)
      $0.member("received", state.received)
      $0.member("pending", state.pending)
      if let problem = state.problem { $0.member("problem", problem) }
      if let cure = state.cure { $0.member("cure", cure) }
    }
    return writer.bytes
  }

  // MARK: Once

  private static func print(_ report: SyncReport) {
    let isQuiet = report.eventsSent == 0 && report.eventsReceived == 0
    StandardOutput.line(
      isQuiet
        ? "both hold the same already"
        : "sent \(Text.count(report.eventsSent, "event")), received "
          + Text.count(report.eventsReceived, "event"))
    for refusal in report.refusals { StandardOutput.line(Terminal.colored(refusal.description)) }
    if report.newConflicts > 0 {
      StandardOutput.line(
        "\(Text.count(report.newConflicts, "new conflict")); see `evtool conflicts`")
    }
  }

  private static func json(_ report: SyncReport) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("zone", report.zone.description)
      writer.key("peer")
      if let peer = report.peer { writer.text(peer.description) } else { writer.null() }
      writer.member("sent", report.eventsSent)
      writer.member("received", report.eventsReceived)
      writer.member("exchanges", report.exchanges)
      writer.member("newConflicts", report.newConflicts)
      writer.key("refusals")
      writer.array { writer in
        for refusal in report.refusals {
          writer.object {
            $0.member("code", "\(refusal.code)")
            $0.member("event", refusal.event.description)
            $0.member("message", refusal.description)
          }
        }
      }
    }
    return writer.bytes
  }
}
