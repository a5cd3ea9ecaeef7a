import ArgumentParser
import Daybook
import EventCore
import Foundation
import Replication

/// `evtool sync`.
struct Sync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Exchanges events with a peer until both hold the same.",
    discussion: """
      PEER is another store's folder, or folder:PATH, a folder that stores share through iCloud Drive, Dropbox or Syncthing. The first sync adopts the peer's zone. What was exchanged before an interruption counts: say it again.

      With --live it goes on, and syncs whatever changes on either side, until it is stopped.

      Ends with 1 where the peer cannot be reached, or either side did not take something.

      Example:
        evtool sync laptop.daybook /media/stick/notes.daybook
        evtool sync laptop.daybook folder:$HOME/Dropbox/notes --live
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "Whom to sync with.")
  var peer: String
  @Flag(help: "Go on until stopped.")
  var live = false
  @OptionGroup var output: JSONOption

  func validate() throws {
    if live, output.json { throw ValidationError("--live has nothing to say as --json") }
  }

  func run() async throws {
    guard !live else {
      return try await store.write { store in
        try await Self.withPeer(peer, options: try self.store.verbosity.options) { peer in
          await SyncLive.run(store, peer)
        }
      }
    }
    let report = try await store.write { store in
      try await Self.withPeer(peer, options: try self.store.verbosity.options) { peer in
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

  /// Opens the peer that an argument names.
  static func withPeer<T>(
    _ argument: String, options: Store.Options, _ body: (any SyncPeer) async throws -> T
  ) async throws -> T {
    if argument.hasPrefix("folder:") {
      let path = String(argument.dropFirst("folder:".count))
      guard !path.isEmpty else {
        throw Failure(.usage, "“folder:” names no folder", hint: "Say folder:PATH")
      }
      return try await body(FolderPeer(URL(fileURLWithPath: path, isDirectory: true)))
    }
    let url = URL(fileURLWithPath: argument, isDirectory: true)
    var options = options
    options.lockTimeout = try StoreArgument.lockTimeout
    let other = try await Store.open(at: url, options: options)
    do {
      let result = try await body(StorePeer(other))
      try await other.close()
      return result
    } catch {
      try? await other.close()
      throw error
    }
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
    for line in lines(report.findings) { StandardOutput.line(line) }
  }

  /// What was found at the peer, as far as a person wants to read it.
  static func lines(_ findings: [SyncFinding]) -> [String] {
    let most = 10
    var lines = findings.prefix(most).map {
      Terminal.colored(Text.oneLine($0.description, keepingUnicode: true))
    }
    if findings.count > most { lines.append("and \(findings.count - most) more; see --json") }
    return lines
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
      writer.key("findings")
      writer.array { writer in
        for finding in report.findings {
          writer.object {
            $0.member("code", finding.code.rawValue)
            $0.member("path", finding.path)
            $0.member("message", finding.message)
          }
        }
      }
    }
    return writer.bytes
  }
}
