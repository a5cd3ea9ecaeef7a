import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookLogEngine
import DaybookReplication

/// The command `evtool sync`.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Exchanges events with a peer until both hold the same.",
    discussion: """
      PEER is one of three: the folder of another store; folder:PATH, a folder that stores share \
      through iCloud Drive, Dropbox or Syncthing; or a zone of a hub, http://HOST:PORT/ZONE, with \
      the token in $DAYBOOK_TOKEN. The first sync adopts the peer's zone. After an interruption, \
      run the command again: it continues with what is missing.

      If a store was copied with its key, or restored to an earlier state, and both copies have \
      written, one replica has two histories. The history that a hub has stamped stands. If that \
      is the peer's, this store writes its own events again as a new replica. No event is lost.

      With --live the command keeps running and syncs each change at once, until it is \
      interrupted. It retries after a failure, after longer and longer pauses.

      The exit code is 1 if the peer cannot be reached, if one side refused an event, or if not \
      all events of a shared folder are there yet: the program that syncs the folder has not \
      brought their files, or another group of stores uses the folder, too (“evtool zones”).

      Examples:
        evtool sync laptop.daybook /media/stick/notes.daybook
        evtool sync laptop.daybook folder:$HOME/Dropbox/notes
        evtool sync laptop.daybook http://127.0.0.1:8080/team --live
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The peer: a store's folder, folder:PATH, or http://HOST:PORT/ZONE.")
  var peer: String
  @Flag(help: "Keep running, and sync each change at once.")
  var live = false
  @OptionGroup var access: PeerAccess
  @OptionGroup var output: JSONOption

  func run() async throws {
    guard !live else {
      return try await store.write { store in
        try await access.use(peer, try self.store.verbosity.options) { peer in
          await SyncLive.run(store, peer, json: output.json)
        }
      }
    }
    var report = try await exchange()
    let forks = try await settleForks(report)
    if forks.contains(where: { $0.outcome != .kept }) {
      let before = report
      report = try await exchange()
      report.eventsSent += before.eventsSent
      report.eventsReceived += before.eventsReceived
      report.exchanges += before.exchanges
      report.newConflicts += before.newConflicts
    }
    if output.json {
      StandardOutput.line(Self.json(report, forks))
    } else {
      Self.print(report, forks)
    }
    let isApart = report.findings.contains { $0.code == .otherZone }
    if !report.refusals.isEmpty || report.eventsMissing > 0 || isApart {
      throw Failure.silent(.problem)
    }
  }

  private func exchange() async throws -> SyncReport {
    try await store.write { store in
      try await access.use(peer, try self.store.verbosity.options) { peer in
        let line = ProgressLine("syncing", unit: "events")
        defer { line.clear() }
        return try await store.syncOnce(with: peer) { progress in
          line.update(Int(clamping: progress.eventsSent + progress.eventsReceived), fraction: nil)
        }
      }
    }
  }

  /// Settles the forks that the peer or this store refused, with the store closed.
  private func settleForks(_ report: SyncReport) async throws -> [Store.ForkReport] {
    guard report.refusals.contains(where: { $0.code == .fork }) else { return [] }
    let options = try store.verbosity.options
    do {
      return try await access.use(peer, options) { peer in
        try await Store.settleForks(at: store.url, with: peer, options: options)
      }
    } catch let error as StoreError where error.code == .locked {
      // Another process has the store open, so only the refusal can be reported.
      return []
    }
  }

  private static func print(_ report: SyncReport, _ forks: [Store.ForkReport]) {
    for fork in forks { ForkLines.print(fork) }
    let isQuiet = report.eventsSent == 0 && report.eventsReceived == 0
    if !isQuiet {
      StandardOutput.line(
        "sent \(Text.count(report.eventsSent, "event")), received "
          + Text.count(report.eventsReceived, "event"))
    } else if report.eventsUnsent > 0 || report.eventsMissing > 0 {
      StandardOutput.line("nothing new to receive")
    } else if report.refusals.isEmpty {
      // Both sides exchanged everything else before the fork was settled.
      StandardOutput.line(forks.isEmpty ? "both hold the same already" : "both hold the same now")
    }
    if report.eventsUnsent > 0 {
      StandardOutput.line(
        "\(Text.count(report.eventsUnsent, "event")) not sent: the peer lets this store read only")
    }
    for refusal in report.refusals { StandardOutput.line(Terminal.colored(refusal.description)) }
    if report.newConflicts > 0 {
      StandardOutput.line(
        "\(Text.count(report.newConflicts, "new conflict")); see `evtool conflicts`")
    }
    if let missing = missing(report.eventsMissing) { StandardOutput.line(missing) }
    for line in lines(report.findings) { StandardOutput.line(line) }
  }

  /// Returns the line about events that a peer should hold and could not deliver.
  static func missing(_ count: UInt64) -> String? {
    guard count > 0 else { return nil }
    return "\(Text.count(count, "event")) not there yet: the peer names files that are not whole "
      + "here. Sync again when they have come"
  }

  /// Returns the lines about what was found at the peer, at most ten and a count of the rest.
  static func lines(_ findings: [SyncReport.Finding]) -> [String] {
    let most = 10
    var lines = findings.prefix(most).map {
      Terminal.colored(Text.oneLine($0.description))
    }
    if findings.count > most { lines.append("and \(findings.count - most) more; see --json") }
    return lines
  }

  private static func json(_ report: SyncReport, _ forks: [Store.ForkReport]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("zone", report.zone.description)
      writer.key("peer")
      if let peer = report.peer { writer.text(peer.description) } else { writer.null() }
      writer.member("sent", report.eventsSent)
      writer.member("received", report.eventsReceived)
      writer.member("unsent", report.eventsUnsent)
      writer.member("missing", report.eventsMissing)
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
      Self.json(report.findings, to: &writer)
      writer.key("forks")
      ForkLines.json(forks, to: &writer)
    }
    return writer.bytes
  }

  static func json(_ findings: [SyncReport.Finding], to writer: inout JSONWriter) {
    writer.key("findings")
    writer.array { writer in
      for finding in findings {
        writer.object {
          $0.member("code", finding.code.rawValue)
          $0.member("path", finding.path)
          $0.member("message", finding.message)
        }
      }
    }
  }
}
