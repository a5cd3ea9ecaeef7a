import ArgumentParser
import Daybook
import DaybookEngine
import DaybookProjections
import Foundation

/// The command `evtool rebuild`.
struct RebuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild",
    abstract: "Makes the read model again from the log, now or as it was.",
    discussion: """
      Without options, a complete new read model replaces the old one. Reads and writes go on \
      meanwhile. --into makes a separate SQLite file instead; with --until it shows a moment of \
      the past. --verify replaces nothing: it makes a second read model, compares the two, and \
      names the first row that differs, with exit code 1.

      --collection rebuilds one collection in place, as one transaction. Writers wait meanwhile. \
      The exit code is 1 if another part of the read model is wrong, too.

      \(positionHelp)

      Examples:
        evtool rebuild notes.daybook
        evtool rebuild notes.daybook --verify
        evtool rebuild notes.daybook --collection links
        evtool rebuild notes.daybook --until 2026-11-20 --into then.sqlite
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "The position to stop at; needs --into.")
  var until: String?
  @Option(help: "The file to make; must not exist.", completion: .file())
  var into: String?
  @Flag(help: "Compare with the read model in use, and leave it as it is.")
  var verify = false
  @Option(help: "Make this collection again, and leave the others as they are.")
  var collection: String?
  @OptionGroup var output: JSONOption

  func validate() throws {
    if until != nil, into == nil {
      throw ValidationError("--until needs --into: the store itself always shows the present")
    }
    if collection != nil, verify || into != nil {
      throw ValidationError("--collection excludes --verify and --into")
    }
    if verify, into != nil { throw ValidationError("--verify and --into exclude one another") }
  }

  func run() async throws {
    let clock = ContinuousClock.now
    let line = RebuildProgressLine("rebuild")
    defer { line.clear() }
    if verify { return try await compare(line) }
    if let collection { return try await rebuild(collection, line, since: clock) }
    let digest: Store.DigestReport
    if let into {
      digest = try await store.read { store in
        let position: Position? =
          if let until { try await store.position(until) } else { nil }
        return try await store.rebuild(until: position, into: URL(fileURLWithPath: into)) {
          line.update($0)
        }
      }
    } else {
      digest = try await rebuildInPlace(line)
    }
    line.clear()
    let seconds = (ContinuousClock.now - clock) / .seconds(1)
    let events = digest.vector.entries.reduce(0) { $0 + $1.sequence }
    try output.show(
      Report {
        $0.line(
          "rebuilt \(into ?? "the read model") from \(Text.count(events, "event")) in "
            + Text.seconds(seconds))
        $0.add(digest.report)
      })
  }

  private func rebuild(
    _ collection: String, _ line: RebuildProgressLine, since clock: ContinuousClock.Instant
  ) async throws {
    let made = try await store.write { store in
      try await store.rebuild(collection: collection) { line.update($0) }
    }
    line.clear()
    let seconds = (ContinuousClock.now - clock) / .seconds(1)
    try output.show(
      Report {
        $0.fact("collection", made.collection)
        $0.fact(
          "operations", made.operations,
          "rebuilt \(collection) from \(Text.count(made.operations, "operation")) in "
            + Text.seconds(seconds))
        $0.fact("consistent", made.isConsistent)
        $0.fact("digest", made.digest.digest)
        $0.lines += made.digest.report.lines
      })
    guard !made.isConsistent else { return }
    throw Failure(
      .problem, "the rows of all collections do not add up to the digest: more than this is wrong",
      hint: "Make the whole read model again with `evtool rebuild \(store.store)`")
  }

  /// Rebuilds the read model while the store is opened.
  ///
  /// Otherwise the opening would first bring the old read model up to date, and it may be damaged,
  /// or need long for that.
  private func rebuildInPlace(_ line: RebuildProgressLine) async throws -> Store.DigestReport {
    do {
      return try await store.write(rebuilds: true, progress: line) { try await $0.digest() }
    } catch let error as StoreError where error.code == .noSpace {
      throw Failure(
        .usage, "the disk is full: the read model stays as it was", hint: error.hint)
    }
  }

  private func compare(_ line: RebuildProgressLine) async throws {
    let difference = try await Store.readModelDifference(at: store.url) { line.update($0) }
    line.clear()
    try output.show(
      Report {
        $0.fact("equal", difference == nil)
        $0.fact(
          "difference", difference?.report,
          difference.map { "the read model differs from the log: \($0)" }
            ?? "the read model is what the log says")
      })
    if difference != nil { throw Failure.silent(.problem) }
  }
}

extension ReadModelDifference {
  /// What the difference is, for programs.
  var report: Report {
    Report {
      $0.fact("place", place)
      $0.fact("id", id)
      $0.fact("message", message)
    }
  }
}
