import ArgumentParser
import Daybook
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
    let repair = try await Store.repair(
      at: store.url, from: from.map { URL(fileURLWithPath: $0, isDirectory: true) },
      acceptsLoss: acceptLoss, isDryRun: dryRun, options: options
    ) { done, total in
      line.update(done, fraction: Double(done) / Double(max(total, 1)))
    }
    line.clear()
    try output.show(Self.report(repair))
    if repair.isSound { return }
    if dryRun, !repair.losesEvents { return }
    throw repair.isDone || !repair.losesEvents ? Failure.silent(.damaged) : refusal
  }

  private var refusal: Failure {
    Failure(
      .damaged, "events would be lost, so nothing was changed",
      hint: from.isEmpty
        ? "Name a backup or another store with --from, or go on with --accept-loss"
        : "What was named does not have them; name another with --from, or go on with --accept-loss"
    )
  }

  private static func report(_ repair: Store.RepairReport) -> Report {
    let isIdle = repair.findings.isEmpty && repair.actions.isEmpty
    return Report {
      if isIdle { $0.line("nothing to repair: all of it is sound") }
      $0.fact("done", repair.isDone)
      $0.fact("sound", repair.isSound)
      $0.fact("findings", repair.findings) { "found: \(Text.oneLine($0))" }
      $0.fact("actions", repair.actions) {
        "\(repair.isDone ? "done" : "plan"): \(Text.oneLine($0))"
      }
      $0.fact("fetched", repair.fetched)
      $0.fact(
        "lost",
        repair.lost.map { events in
          Report {
            $0.fact("origin", events.origin)
            $0.fact("from", events.sequences.lowerBound)
            $0.fact("through", events.sequences.upperBound)
            if isIdle {
              $0.line("missing since an earlier loss: \(events); --from may bring them back")
            }
          }
        })
      $0.fact("mayHaveLostMore", repair.mayHaveLostMore)
      $0.fact("newIdentity", repair.takesNewIdentity)
      $0.fact("quarantined", repair.quarantined) { "kept: \(Text.oneLine($0))" }
      if repair.isDone, !isIdle { $0.line(outcome(repair)) }
    }
  }

  private static func outcome(_ repair: Store.RepairReport) -> String {
    guard repair.isSound else {
      return "the store is still not sound: `evtool verify` says what is wrong"
    }
    return repair.losesEvents
      ? "the store is sound, without what is lost" : "the store is sound, and nothing is lost"
  }
}
