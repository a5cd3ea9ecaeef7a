import ArgumentParser
import Daybook
import Foundation

/// `evtool backup`.
struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies a store that is in use, or makes a store from such a copy.",
    discussion: """
      Writes what the log holds to a folder, and with the next backup to the same folder only what \
      has been added. Others may write to the store meanwhile. The private key is left out: a store \
      that is restored takes an identity of its own with its first write. Cut off at any point, the \
      folder holds the backup that was there before.

      Examples:
        evtool backup notes.daybook /media/disk/notes.backup
        evtool backup --restore /media/disk/notes.backup notes.daybook
      """)

  @Flag(help: "Make a store: the first folder is the backup, the second the new store.")
  var restore = false

  @Argument(help: "The store's folder; with --restore the backup's.", completion: .directory)
  var source: String

  @Argument(help: "The backup's folder; with --restore the new store's.", completion: .directory)
  var target: String

  @OptionGroup var verbosity: VerboseOption
  @OptionGroup var output: JSONOption

  func run() async throws {
    let clock = ContinuousClock.now
    let line = ProgressLine(restore ? "restore" : "backup", unit: "bytes")
    defer { line.clear() }
    let progress: @Sendable (UInt64, UInt64) -> Void = { done, total in
      line.update(done, fraction: Double(done) / Double(max(total, 1)))
    }
    let from = URL(fileURLWithPath: source, isDirectory: true)
    let to = URL(fileURLWithPath: target, isDirectory: true)
    let report =
      restore
      ? try await Store.restore(
        backup: from, to: to, options: try verbosity.options, progress: progress)
      : try await Store.backup(at: from, to: to, progress: progress)
    line.clear()
    if output.json { return StandardOutput.line(Self.json(report)) }
    let all = "\(Text.count(report.events, "event")), \(Text.bytes(report.bytes))"
    let seconds = Text.seconds((ContinuousClock.now - clock) / .seconds(1))
    guard !restore else {
      return StandardOutput.line("restored \(all) to \(target) in \(seconds)")
    }
    let copied =
      report.copied == report.segments
      ? "all of it copied"
      : "\(report.copied) of \(Text.count(report.segments, "segment")) copied, "
        + Text.bytes(report.bytesCopied)
    StandardOutput.line("backed up \(all) to \(target): \(copied), in \(seconds)")
  }

  private static func json(_ report: BackupReport) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("events", report.events)
      writer.member("segments", report.segments)
      writer.member("bytes", report.bytes)
      writer.member("copied", report.copied)
      writer.member("bytesCopied", report.bytesCopied)
    }
    return writer.bytes
  }
}
