import ArgumentParser
import Daybook
import DaybookInterchange
import DaybookProjections
import DaybookRDF
import Foundation
import GRDB

/// The command `evtool export`.
struct ExportCommand: AsyncParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case ndjson, events, turtle, trig, ntriples, nquads, prov

    /// The format of RDF that tables are written in; nil if it is another.
    var rdf: RDFFormat? {
      switch self {
      case .ndjson, .events, .prov: nil
      case .turtle: .turtle
      case .trig: .trig
      case .ntriples: .ntriples
      case .nquads: .nquads
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the state as interchange (NDJSON) or RDF, or the history.",
    discussion: """
      First a define line for each collection, then an insert line for each live entity, in the \
      order of their ids: the same state gives the same bytes. What comes out, imported into an \
      empty store, gives the same tables; the history stays behind.

      With --format events it is the history instead: the events of the log, one a line, as \
      `evtool log --json` prints them. Imported (`evtool import --format events`) they become the \
      same number of events, of another replica.

      With --format turtle, trig, ntriples or nquads the state comes as RDF: a statement for each \
      value, with entities as IRIs that begin with --base. Statements that were imported come as \
      they are; with --graph, only those of one open graph come (/ is the main graph). With \
      --format prov it is the history, as provenance by the W3C's PROV-O, in Turtle: who wrote \
      what and when, and what came from what.

      Local collections never leave this replica by themselves, so they are left out, and so are \
      their events, unless --local or --collection asks for them.

      With --at it is the state as it was. For that a read model of that moment is made in a \
      temporary file, where TMPDIR points.

      \(positionHelp)

      Examples:
        evtool export notes.daybook --collection notes > notes.ndjson
        evtool export notes.daybook --at 2026-11-20 > then.ndjson
        evtool export notes.daybook --format turtle --base https://example.org/ > notes.ttl
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only this collection; may be given several times.")
  var collection: [String] = []
  @Flag(help: "Local collections, too.")
  var local = false
  @Option(help: "The position to export the state at.")
  var at: String?

  @Option(
    help: "ndjson, turtle, trig, ntriples, nquads (the state), events or prov (the history).")
  var format = Format.ndjson
  @Option(help: "What the IRIs of RDF begin with. Default: urn:daybook:")
  var base: String?
  @Option(help: "Only the statements of RDF in this open graph: NAME, /SCHEMA/NAME or /.")
  var graph: String?

  func validate() throws {
    if format == .events || format == .prov, !collection.isEmpty {
      throw ValidationError("--collection is for the state; `evtool log --json` chooses events")
    }
    if base != nil, format == .ndjson || format == .events {
      throw ValidationError("--base is for RDF and --format prov")
    }
    if graph != nil, format.rdf == nil || !collection.isEmpty || base != nil {
      throw ValidationError(
        "--graph is for --format turtle, trig, ntriples and nquads, without --collection or --base")
    }
    _ = try naming()
  }

  private func naming() throws -> RDFNaming {
    guard let base else { return RDFNaming() }
    do { return RDFNaming(base: try IRI(base)) } catch {
      throw ValidationError("--base: \(error.message)")
    }
  }

  func run() async throws {
    if format == .events { return try await store.read { try await writeEvents($0) } }
    if format == .prov { return try await store.read { try await writeProvenance($0) } }
    let line = ProgressLine("export", unit: format.rdf == nil ? "entities" : "statements")
    defer { line.clear() }
    let write = try writer { line.update($0, fraction: nil) }
    let report = try await store.read { store in
      guard let at else {
        return try await store.read { db, schema in try write(db, schema) }
      }
      let past = try await store.at(try await store.position(at))
      let progress = RebuildProgressLine("making the state at \(at)")
      defer { progress.clear() }
      let folder = try CommandFolder()
      defer { folder.remove() }
      return try await past.read(in: folder.url, progress: { progress.update($0) }) { db, schema in
        progress.clear()
        return try write(db, schema)
      }
    }
    line.clear()
    show(report)
  }

  /// Returns what writes the tables of a read model to the output.
  private func writer(_ progress: @escaping @Sendable (Int) -> Void) throws
    -> @Sendable (Database, StoreSchema) throws -> ExportReport
  {
    let export = StateExport(
      collections: collection, includesLocal: local, progress: progress,
      emit: { try Self.emit($0 + [0x0A]) })
    guard let form = format.rdf else { return { db, schema in try export.write(db, schema) } }
    if let graph {
      return { db, schema in
        var report = ExportReport()
        var writer = try RDFWriter(form, write: Self.emit)
        let query = TripleQuery(in: graph)
        report.count = try query.write(to: &writer, db, schema, progress: progress)
        try writer.finish()
        return report
      }
    }
    let naming = try naming()
    return { db, schema in
      var (chosen, report) = try export.selection(db, schema)
      var writer = try RDFWriter(form, prefixes: naming.prefixes(chosen), write: Self.emit)
      let tables = RDFTables(chosen, schema, naming, hasGraphs: form.hasGraphs)
      try tables.forEach(db) {
        try writer.write($0)
        report.count += 1
        progress(report.count)
      }
      try writer.finish()
      return report
    }
  }

  private static func emit(_ bytes: [UInt8]) throws {
    try StandardOutput.check()
    StandardOutput.write(bytes)
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
    try await store.forEachEventLine(until: position, includesLocal: local) {
      try Self.emit($0 + [0x0A])
    }
  }

  private func writeProvenance(_ store: Store) async throws {
    var query = EventQuery()
    if let at { query.until = try await store.position(at) }
    let export = RDFExport(includesLocal: local, naming: try naming())
    try await store.exportProvenance(query, export, write: Self.emit)
  }
}
