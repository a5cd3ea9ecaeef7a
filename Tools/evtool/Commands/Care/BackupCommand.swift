import ArgumentParser
import Daybook
import DaybookJSON
import Foundation

/// The command `evtool backup`.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies a store that is in use, verifies such a copy, or makes a store from it.",
    discussion: """
      Writes what the log holds to a folder, and with the next backup to the same folder only what \
      has been added; a copy there that is not what was written is made again. Others may write to \
      the store meanwhile. The private key is left out: a store that is restored takes an identity \
      of its own with its first write. Cut off at any point, the folder holds the backup that was \
      there before.

      Examples:
        evtool backup notes.daybook /media/disk/notes.backup
        evtool backup --verify /media/disk/notes.backup
        evtool backup --restore /media/disk/notes.backup notes.daybook
      """)

  @Flag(help: "Make a store: the first folder is the backup, the second the new store.")
  var restore = false

  @Flag(
    help: """
      Read all of a backup, and say whether it is what was written (1 if not): name its folder \
      only.
      """)
  var verify = false

  @Argument(
    help: "The store's folder; with --restore and --verify the backup's.", completion: .directory)
  var source: String

  @Argument(help: "The backup's folder; with --restore the new store's.", completion: .directory)
  var target: String?

  func validate() throws {
    if verify, restore { throw ValidationError("--verify and --restore exclude one another") }
    if verify, target != nil { throw ValidationError("--verify takes the backup's folder only") }
    if !verify, target == nil { throw ValidationError("name the backup's folder and the store's") }
  }

  @OptionGroup var verbosity: VerboseOption
  @OptionGroup var output: JSONOption

  func run() async throws {
    let clock = ContinuousClock.now
    let line = ProgressLine(restore ? "restore" : verify ? "verify" : "backup", unit: "bytes")
    defer { line.clear() }
    let progress: @Sendable (UInt64, UInt64) -> Void = { done, total in
      line.update(done, fraction: Double(done) / Double(max(total, 1)))
    }
    let from = URL(fileURLWithPath: source, isDirectory: true)
    guard let target else { return try await verify(from, line, progress) }
    let to = URL(fileURLWithPath: target, isDirectory: true)
    let report =
      restore
      ? try await Store.restore(
        backup: from, to: to, options: try verbosity.options, progress: progress)
      : try await Store.backup(at: from, to: to, progress: progress)
    line.clear()
    StandardOutput.isReport()
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

  private func verify(
    _ backup: URL, _ line: ProgressLine, _ progress: @escaping @Sendable (UInt64, UInt64) -> Void
  ) async throws {
    let result = try await Store.verify(backup: backup, progress: progress)
    line.clear()
    if output.json {
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("sound", result.isSound)
        writer.member("made", result.made)
        writer.member("events", result.events)
        writer.member("segments", result.segments)
        writer.member("bytes", result.bytes)
        writer.key("findings")
        writer.array { writer in for finding in result.findings { writer.text(finding) } }
      }
      StandardOutput.line(writer.bytes)
    } else {
      for finding in result.findings { StandardOutput.line(Text.oneLine(finding)) }
      let all = "\(Text.count(result.events, "event")), \(Text.bytes(result.bytes))"
      StandardOutput.line(
        result.isSound
          ? "sound: \(all), made \(Text.oneLine(result.made))"
          : "not sound: make the backup again while the store is there")
    }
    if !result.isSound { throw Failure.silent(.problem) }
  }

  private static func json(_ report: Store.BackupReport) -> [UInt8] {
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
