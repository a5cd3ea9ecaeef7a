import ArgumentParser
import Daybook
import DaybookEngine
import DaybookLogEngine

/// The command `evtool verify`.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks the whole store: log, chain, read model, search index.",
    discussion: """
      Reads every byte of the log and checks the checksums and the chain of hashes. Then it makes \
      a second read model and compares it with the one in use. The exit code is 3 if the log is \
      damaged. It is 1 if only the read model differs; `evtool rebuild` repairs that.

      Example:
        evtool verify notes.daybook
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: JSONOption

  func run() async throws {
    let clock = ContinuousClock.now
    let line = ProgressLine("verify", unit: "bytes of the log")
    defer { line.clear() }
    let found = try await Store.verify(at: store.url) { done, total in
      line.update(done, fraction: Double(done) / Double(max(total, 1)))
    }
    line.clear()
    try output.show(report(found, (ContinuousClock.now - clock) / .seconds(1)))
    if !found.isDurablySound { throw Failure.silent(.damaged) }
    if !found.isSound { throw Failure.silent(.problem) }
  }

  private func report(_ found: Store.Verification, _ seconds: Double) -> Report {
    Report { report in
      report.fact("sound", found.isSound)
      report.fact("log", Self.report(found.log))
      report.fact("difference", found.difference?.report)
      let isRight = found.difference == nil && found.readModelFindings.isEmpty
      for finding in found.fileFindings { report.line("damaged: \(finding)") }
      for finding in found.readModelFindings { report.line("wrong: \(finding)") }
      report.line(found.difference.map { "differs: \($0)" })
      report.fact("findings", found.fileFindings + found.readModelFindings)
      for note in found.log.notes { report.line("note: \(note)") }
      report.fact("notes", found.notes) { "note: \($0)" }
      report.line(Self.summary(found.log))
      let model =
        found.difference != nil
        ? "DIFFERS from the log"
        : !isRight ? "DAMAGED" : found.isCompared ? "what the log says" : "not compared"
      report.line("read model  \(model)")
      if let digest = found.digest { report.fact("digest", digest, "digest      \(digest)") }
      report.line(Terminal.dim("in \(Text.seconds(seconds))"))
      if let advice = advice(found, isRight: isRight) { report.note(advice) }
    }
  }

  private static func report(_ log: LogVerification) -> Report {
    Report {
      $0.fact("sound", log.isSound)
      $0.fact("segments", log.segments)
      $0.fact("records", log.records)
      $0.fact("events", log.events)
      $0.fact("bytesCovered", log.bytesCovered)
      $0.fact("bytesTotal", log.bytesTotal)
      $0.fact("eventsUnchained", log.eventsUnchained)
      $0.fact("findings", log.findings.map(\.description)) { "damaged: \($0)" }
      $0.fact("notes", log.notes)
    }
  }

  private static func summary(_ log: LogVerification) -> String {
    let covered =
      log.bytesCovered == log.bytesTotal
      ? "all \(Text.bytes(log.bytesTotal))"
      : "\(Text.bytes(log.bytesCovered)) of \(Text.bytes(log.bytesTotal))"
    return
      "log         \(Text.count(log.segments, "segment")), \(Text.count(log.events, "event")), "
      + "\(covered) read: \(log.isSound ? "sound" : "DAMAGED")"
  }

  /// Returns what to do about what was found; nil if there is nothing to do.
  private func advice(_ found: Store.Verification, isRight: Bool) -> String? {
    if !found.log.isSound {
      return "evtool: the log is damaged; what is sound can be read and exported, and writes are "
        + "refused\n  `evtool repair \(store.store) --from BACKUP` fetches them from a backup or "
        + "another store"
    }
    if !found.isDurablySound {
      return "evtool: the log is sound, and a file beside it is not\n  Nothing is lost: try "
        + "`evtool repair \(store.store)`, or let the store take a new identity with its next write"
    }
    guard !isRight else { return nil }
    return "evtool: the read model is not what the log says\n  `evtool rebuild \(store.store)` "
      + "makes it again"
  }
}
