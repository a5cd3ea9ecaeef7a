import ArgumentParser
import Daybook
import DaybookEventCore
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
          try await SyncLive.run(store, peer, output)
        }
      }
    }
    var done = try await exchange()
    let forks = try await settleForks(done)
    if forks.contains(where: { $0.outcome != .kept }) {
      let before = done
      done = try await exchange()
      done.eventsSent += before.eventsSent
      done.eventsReceived += before.eventsReceived
      done.exchanges += before.exchanges
      done.newConflicts += before.newConflicts
    }
    try output.show(Self.report(done, forks))
    let isApart = done.findings.contains { $0.code == .otherZone }
    if !done.refusals.isEmpty || done.eventsMissing > 0 || isApart {
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

  private static func report(_ done: SyncReport, _ forks: [Store.ForkReport]) -> Report {
    let forks = Report { $0.fact("forks", forks.map(\.report)) }
    return Report {
      $0.lines += forks.lines
      $0.fact("zone", done.zone)
      $0.fact("peer", done.peer)
      $0.fact("sent", done.eventsSent)
      $0.fact("received", done.eventsReceived, exchanged(done, hadForks: !forks.lines.isEmpty))
      $0.fact("unsent", done.eventsUnsent, unsent(done.eventsUnsent))
      $0.fact("missing", done.eventsMissing)
      $0.fact("exchanges", done.exchanges)
      $0.fact("newConflicts", done.newConflicts)
      $0.fact("refusals", done.refusals.map(report))
      if done.newConflicts > 0 {
        $0.line("\(Text.count(done.newConflicts, "new conflict")); see `evtool conflicts`")
      }
      $0.line(missing(done.eventsMissing))
      $0.fact("findings", done.findings.map(\.report))
      for line in lines(done.findings) { $0.line(line) }
      $0.facts += forks.facts
    }
  }

  private static func report(_ refusal: RangeRefusal) -> Report {
    Report {
      $0.fact("code", "\(refusal.code)")
      $0.fact("event", refusal.event)
      $0.fact("message", refusal.description, Terminal.colored(refusal.description))
    }
  }

  /// Returns the line about what went over; nil if refusals say what did not.
  private static func exchanged(_ done: SyncReport, hadForks: Bool) -> String? {
    if done.eventsSent > 0 || done.eventsReceived > 0 {
      return "sent \(Text.count(done.eventsSent, "event")), received "
        + Text.count(done.eventsReceived, "event")
    }
    if done.eventsUnsent > 0 || done.eventsMissing > 0 { return "nothing new to receive" }
    guard done.refusals.isEmpty else { return nil }
    // Both sides exchanged everything else before the fork was settled.
    return hadForks ? "both hold the same now" : "both hold the same already"
  }

  /// Returns the line about events that the peer does not take; nil if there are none.
  static func unsent(_ count: UInt64) -> String? {
    guard count > 0 else { return nil }
    return "\(Text.count(count, "event")) not sent: the peer lets this store read only"
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
}

extension SyncReport.Finding {
  /// What was found, for programs.
  var report: Report {
    Report {
      $0.fact("code", code.rawValue)
      $0.fact("path", path)
      $0.fact("message", message)
    }
  }
}
