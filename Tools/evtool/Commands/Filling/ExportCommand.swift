import ArgumentParser
import Daybook
import DaybookRDF
import Foundation

/// The command `evtool export`.
struct ExportCommand: AsyncParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case ndjson, events, turtle, ntriples, prov
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

      With --format turtle or ntriples the state comes as RDF: a statement for each value, with \
      entities as IRIs that begin with --base. With --format prov it is the history, as \
      provenance by the W3C's PROV-O, in Turtle: who wrote what and when, and what came from what.

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

  @Option(help: "ndjson, turtle, ntriples (the state), events or prov (the history).")
  var format = Format.ndjson
  @Option(help: "What the IRIs of RDF begin with. Default: urn:daybook:")
  var base: String?

  func validate() throws {
    if format == .events || format == .prov, !collection.isEmpty {
      throw ValidationError("--collection is for the state; `evtool log --json` chooses events")
    }
    if base != nil, format == .ndjson || format == .events {
      throw ValidationError("--base is for --format turtle, ntriples and prov")
    }
    _ = try naming()
  }

  private func naming() throws -> RDFNaming {
    guard let base else { return RDFNaming() }
    do { return RDFNaming(base: try IRI(base)) } catch {
      throw ValidationError("--base: \(error.message)")
    }
  }

  private func form() throws -> ExportWriter.Form {
    switch format {
    case .ndjson, .events, .prov: .interchange
    case .turtle: .rdf(.turtle, try naming())
    case .ntriples: .rdf(.ntriples, try naming())
    }
  }

  func run() async throws {
    if format == .events { return try await store.read { try await writeEvents($0) } }
    if format == .prov { return try await store.read { try await writeProvenance($0) } }
    let line = ProgressLine("export", unit: "entities")
    defer { line.clear() }
    let writer = ExportWriter(
      collections: collection, writesLocal: local, form: try form(), line: line)
    try await store.read { store in
      guard let at else {
        return try await store.read { db, schema in try writer.write(db, schema) }
      }
      let past = try await store.at(try await store.position(at))
      let progress = RebuildProgressLine("making the state at \(at)")
      defer { progress.clear() }
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      try await past.read(in: folder.url, progress: { progress.update($0) }) { db, schema in
        progress.clear()
        try writer.write(db, schema)
      }
    }
  }

  private func writeEvents(_ store: Store) async throws {
    var query = EventQuery()
    if let at { query.until = try await store.position(at) }
    let schema = try await store.schema()
    let writesLocal = local
    try await store.forEachEvent(query) { logged in
      guard writesLocal || !logged.event.id.origin.isPrivate else { return true }
      if let failure = StandardOutput.failure { throw failure }
      StandardOutput.line(LogCommand.json(logged, schema))
      return true
    }
  }

  private func writeProvenance(_ store: Store) async throws {
    var query = EventQuery()
    if let at { query.until = try await store.position(at) }
    let export = RDFExport(includesLocal: local, naming: try naming())
    try await store.exportProvenance(query, export, write: ExportWriter.output)
  }
}
