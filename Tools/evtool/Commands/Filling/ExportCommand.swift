import ArgumentParser
import Daybook
import DaybookInterchange
import Foundation

/// The command `evtool export`.
struct ExportCommand: AsyncParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument { case ndjson, events }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the state as interchange: NDJSON, one operation a line.",
    discussion: """
      First a define line for each collection, then an insert line for each live entity, in the \
      order of their ids: the same state gives the same bytes. What comes out, imported into an \
      empty store, gives the same tables; the history stays behind.

      With --format events it is the history instead: the events of the log, one a line, as \
      `evtool log --json` prints them. Imported (`evtool import --format events`) they become the \
      same number of events, of another replica.

      Local collections never leave this replica by themselves, so they are left out, and so are \
      their events, unless --local or --collection asks for them.

      With --at it is the state as it was. For that a read model of that moment is made in a \
      temporary file, where TMPDIR points.

      \(positionHelp)

      Examples:
        evtool export notes.daybook --collection notes > notes.ndjson
        evtool export notes.daybook --at 2026-11-20 > then.ndjson
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only this collection; may be given several times.")
  var collection: [String] = []
  @Flag(help: "Local collections, too.")
  var local = false
  @Option(help: "The position to export the state at.")
  var at: String?

  @Option(help: "ndjson (the state) or events (the history).")
  var format = Format.ndjson

  func validate() throws {
    if format == .events, !collection.isEmpty {
      throw ValidationError("--collection is for the state; `evtool log --json` chooses events")
    }
  }

  func run() async throws {
    if format == .events { return try await store.read { try await writeEvents($0) } }
    let line = ProgressLine("export", unit: "entities")
    defer { line.clear() }
    let export = StateExport(
      collections: collection, includesLocal: local,
      progress: { line.update($0, fraction: nil) }, emit: Self.emit)
    let report = try await store.read { store in
      guard let at else {
        return try await store.read { db, schema in try export.write(db, schema) }
      }
      let past = try await store.at(try await store.position(at))
      let progress = RebuildProgressLine("making the state at \(at)")
      defer { progress.clear() }
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      return try await past.read(in: folder.url, progress: { progress.update($0) }) { db, schema in
        progress.clear()
        return try export.write(db, schema)
      }
    }
    line.clear()
    show(report)
  }

  private static func emit(_ bytes: [UInt8]) throws {
    if let failure = StandardOutput.failure { throw failure }
    StandardOutput.line(bytes)
  }

  /// Says what was left out.
  private func show(_ report: ExportReport) {
    let left = report.localCollections
    if !left.isEmpty {
      StandardError.line(
        "evtool: \(Text.count(left.count, "local collection is", "local collections are")) not "
          + "exported (\(left.joined(separator: ", "))); --local exports them, too")
    }
    if report.parked > 0 {
      StandardError.line(
        "evtool: \(Text.count(report.parked, "entity is", "entities are")) parked and not "
          + "exported, because another has a value that is unique; `evtool hidden` names what and "
          + "whose")
    }
  }

  private func writeEvents(_ store: Store) async throws {
    let position = if let at { Optional(try await store.position(at)) } else { Position?.none }
    try await store.forEachEventLine(
      until: position, includesLocal: local, Self.emit)
  }
}
