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

      Ends with 1 where the peer cannot be reached, or either side did not take something.

      Examples:
        evtool sync laptop.daybook /media/stick/notes.daybook
        evtool sync laptop.daybook http://127.0.0.1:8080/team
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "Whom to sync with: a store's folder, or http://HOST:PORT/ZONE.")
  var peer: String
  @OptionGroup var access: PeerAccess
  @OptionGroup var output: JSONOption

  func run() async throws {
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
