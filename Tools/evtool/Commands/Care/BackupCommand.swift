import ArgumentParser
import Daybook
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
    let copy =
      restore
      ? try await Store.restore(
        backup: from, to: to, options: try verbosity.options, progress: progress)
      : try await Store.backup(at: from, to: to, progress: progress)
    line.clear()
    let all = Self.extent(copy.events, copy.bytes)
    let seconds = Text.seconds((ContinuousClock.now - clock) / .seconds(1))
    let copied =
      copy.copied == copy.segments
      ? "all of it copied"
      : "\(copy.copied) of \(Text.count(copy.segments, "segment")) copied, "
        + Text.bytes(copy.bytesCopied)
    try output.confirm(
      Report {
        $0.line(
          restore
            ? "restored \(all) to \(target) in \(seconds)"
            : "backed up \(all) to \(target): \(copied), in \(seconds)")
        $0.fact("events", copy.events)
        $0.fact("segments", copy.segments)
        $0.fact("bytes", copy.bytes)
        $0.fact("copied", copy.copied)
        $0.fact("bytesCopied", copy.bytesCopied)
      })
  }

  private static func extent(_ events: UInt64, _ bytes: UInt64) -> String {
    "\(Text.count(events, "event")), \(Text.bytes(bytes))"
  }

  private func verify(
    _ backup: URL, _ line: ProgressLine, _ progress: @escaping @Sendable (UInt64, UInt64) -> Void
  ) async throws {
    let result = try await Store.verify(backup: backup, progress: progress)
    line.clear()
    try output.show(
      Report {
        $0.fact("sound", result.isSound)
        $0.fact("made", result.made)
        $0.fact("events", result.events)
        $0.fact("segments", result.segments)
        $0.fact("bytes", result.bytes)
        $0.fact("findings", result.findings) { Text.oneLine($0) }
        $0.line(
          result.isSound
            ? "sound: \(Self.extent(result.events, result.bytes)), "
              + "made \(Text.oneLine(result.made))"
            : "not sound: make the backup again while the store is there")
      })
    if !result.isSound { throw Failure.silent(.problem) }
  }
}
