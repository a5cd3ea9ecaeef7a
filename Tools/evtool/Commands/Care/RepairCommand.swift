import ArgumentParser
import Daybook
import DaybookJSON
import DaybookLogEngine
import Foundation

/// The command `evtool repair`.
struct RepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Puts a damaged store right, and says in words what it did.",
    discussion: """
      No other process may have the store open. Repairs that lose no event are made at once: the \
      mark, damaged indexes of segments, a torn tail, the read model. Damaged or missing events \
      are fetched from a backup or another store (--from, which can be repeated) and \
      checked by the chain of hashes.

      If events would be lost, the command names them, changes nothing, and the exit code is 3. \
      With --accept-loss it goes on: sound events stay, events behind a gap wait in the log until \
      the gap is filled, and the store writes under a new identity. Replaced files move to \
      “quarantine”; no file is deleted. --dry-run changes nothing.

      Examples:
        evtool repair notes.daybook --from /media/disk/notes.backup
        evtool repair notes.daybook --dry-run
        evtool repair notes.daybook --accept-loss
      """)

  @OptionGroup var store: StoreArgument
  @Option(
    help: "The folder of a backup, or of a store that has synced with this one; may be repeated.",
    completion: .directory)
  var from: [String] = []
  @Flag(help: "Repair the store even if events are lost.")
  var acceptLoss = false
  @Flag(help: "Say what would be done, and change nothing.")
  var dryRun = false
  @OptionGroup var output: JSONOption

  func run() async throws {
    let line = ProgressLine("repair", unit: "bytes of the log")
    defer { line.clear() }
    var options = try store.verbosity.options
    options.lockTimeout = try StoreArgument.lockTimeout
    let report = try await Store.repair(
      at: store.url, from: from.map { URL(fileURLWithPath: $0, isDirectory: true) },
      acceptsLoss: acceptLoss, isDryRun: dryRun, options: options
    ) { done, total in
      line.update(done, fraction: Double(done) / Double(max(total, 1)))
    }
    line.clear()
    if output.json {
      StandardOutput.line(Self.json(report))
    } else {
      print(report)
    }
    if report.isSound { return }
    if dryRun, !report.losesEvents { return }
    throw report.isDone || !report.losesEvents ? Failure.silent(.damaged) : refusal
  }

  private var refusal: Failure {
    Failure(
      .damaged, "events would be lost, so nothing was changed",
      hint: from.isEmpty
        ? "Name a backup or another store with --from, or go on with --accept-loss"
        : "What was named does not have them; name another with --from, or go on with --accept-loss"
    )
  }

  private func print(_ report: Store.RepairReport) {
    if report.findings.isEmpty, report.actions.isEmpty {
      StandardOutput.line("nothing to repair: all of it is sound")
      for events in report.lost {
        StandardOutput.line("missing since an earlier loss: \(events); --from may bring them back")
      }
      return
    }
    for finding in report.findings { StandardOutput.line("found: \(Text.oneLine(finding))") }
    for action in report.actions {
      StandardOutput.line("\(report.isDone ? "done" : "plan"): \(Text.oneLine(action))")
    }
    for copy in report.quarantined { StandardOutput.line("kept: \(Text.oneLine(copy))") }
    guard report.isDone else { return }
    StandardOutput.line(
      !report.isSound
        ? "the store is still not sound: `evtool verify` says what is wrong"
        : report.losesEvents
          ? "the store is sound, without what is lost" : "the store is sound, and nothing is lost")
  }

  private static func json(_ report: Store.RepairReport) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("done", report.isDone)
      writer.member("sound", report.isSound)
      writer.texts("findings", report.findings)
      writer.texts("actions", report.actions)
      writer.member("fetched", report.fetched)
      writer.key("lost")
      writer.array { writer in
        for events in report.lost {
          writer.object {
            $0.member("origin", events.origin.description)
            $0.member("from", events.sequences.lowerBound)
            $0.member("through", events.sequences.upperBound)
          }
        }
      }
      writer.member("mayHaveLostMore", report.mayHaveLostMore)
      writer.member("newIdentity", report.takesNewIdentity)
      writer.texts("quarantined", report.quarantined)
    }
    return writer.bytes
  }
}
