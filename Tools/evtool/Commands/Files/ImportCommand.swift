import ArgumentParser
import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookInterchange
import DaybookProjections
import DaybookRDF
import Foundation

/// The command `evtool import`.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Brings files into a store: interchange (NDJSON), CSV, TSV, SQLite, RDF.",
    discussion: """
      ndjson: one operation a line, as JSON:
        {"op":"define","collection":"notes","fields":[{"name":"title","type":"text","search":true}]}
        {"op":"define","collection":"links","relationship":true,"fields":[]}
        {"op":"insert","collection":"notes","id":"n1","fields":{"title":"Oat milk"}}
        {"op":"insert","collection":"links","id":"l1","source":"n1","target":"n2"}
      update, put (insert or update), delete, restore, erase and drop likewise. An array of such \
      operations, or objects that go over several lines, will do as well.

      csv, tsv: a table, whose first line names the columns. Each row becomes an entity of the \
      collection that is named like the file (--collection). Types are inferred from all values \
      and shown first (--dry-run only shows them); --type price=real overrides. Ids come from \
      --id COLUMN or the column id; else they are made of the file's hash and the row's line. \
      Cells are separated by what the file shows (comma, semicolon, tab, bar), or by --delimiter.

      sqlite: a database, read and never written. Tables become collections, rows entities, \
      foreign keys references; tables that only connect two others become relationships.

      events: what `evtool export --format events` and `evtool log --json` write. Each event \
      becomes one event again, with its actor, label and annotations.

      turtle, trig, ntriples, nquads: RDF, whose statements become relationships TRIPLE of the \
      open graph that --graph names, which is created if need be, or else of the main graph. \
      Statements that are there already are left as they are.

      A define with "local":true makes a collection that never leaves this replica, as --local \
      does for a table.

      Operations become events, --batch of them each, those on local collections apart. A line \
      that is wrong stops the import: nothing of its batch is in the store, all batches before \
      are. Ctrl-C finishes the batches under way. Each event notes the file's hash and line, so \
      that --resume goes on where an import of the same content stopped, even after a crash.

      Examples:
        evtool import notes.daybook notes.ndjson
        evtool import notes.daybook books.csv --id isbn --type pages=integer
        evtool import notes.daybook prices.csv --delimiter ';' --decimal-comma
        xzcat packages.ndjson.xz | evtool import packages.daybook - --batch 5000
        evtool import notes.daybook notes.ndjson --resume
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The files to import; - is the standard input.", completion: .file())
  var file: [String]
  @Option(
    help: """
      The files' format: ndjson, csv, tsv, sqlite, events, turtle, trig, ntriples, nquads. \
      Default: by content and ending.
      """)
  var format: ImportChoice?
  @OptionGroup(title: "Tables") var table: TableOptions
  @Option(help: "The open graph that statements of RDF go to: NAME or /SCHEMA/NAME.")
  var graph: String?
  @Option(help: "Operations in one event; fewer if they would exceed 8 MiB.")
  var batch = 1000
  @Flag(help: "Go on where an import of the same content stopped.")
  var resume = false
  @Flag(help: "Only say what would be imported, and as what.")
  var dryRun = false
  @Flag(help: "Import the file again although the store has (part of) it.")
  var again = false
  @Option(help: "Begin with this line of the file; of a file that is an array, with this element.")
  var from: Int?
  @Option(help: "Who does it, for the history. Default: $DAYBOOK_ACTOR, else $USER.")
  var actor: String?
  @Option(help: "What it is for, in words. Default: the file's name.")
  var label: String?
  @OptionGroup var output: JSONOption
  private static let progress = ImportProgressLine()

  func validate() throws {
    if batch < 1 { throw ValidationError("--batch must be at least 1") }
    if let from, from < 1 { throw ValidationError("--from must be at least 1") }
    if [resume, again, from != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--resume, --again and --from exclude one another")
    }
    if file.count > 1, from != nil { throw ValidationError("--from is for one file") }
  }

  func run() async throws {
    defer { Self.progress.clear() }
    do {
      try requireRDFForGraph()
      if dryRun { return try await rehearse() }
      try await bringIn()
    } catch let error as ImportError {
      throw ImportNotes.failure(error, isDryRun: dryRun)
    }
  }

  private func bringIn() async throws {
    // The read model of an empty store is made on closing. That time counts for the last file.
    var reports: [(Double) throws -> Void] = []
    var end = ContinuousClock.now
    defer {
      let seconds = (ContinuousClock.now - end) / .seconds(1)
      for (index, report) in reports.enumerated() {
        // None of their lines can fail.
        try? report(index == reports.count - 1 ? seconds : 0)
      }
    }
    try await store.write(actor: actor, fills: true) { store in
      for path in file {
        if let rdf = rdf(path) {
          try await load(path, rdf, store)
          continue
        }
        let file = try open(path)
        defer { file.close() }
        defer { end = ContinuousClock.now }
        try await run(file, store, &reports)
      }
      try await ImportNotes.showSearchable(store)
    }
  }

  private var options: ImportOptions {
    var options = ImportOptions()
    if case .file(let format) = format { options.format = format }
    options.operationsPerEvent = batch
    options.start = again ? .again : resume ? .resuming : from.map { .line($0) } ?? .new
    options.label = label
    options.tables = table.tables
    return options
  }

  /// Opens a file, and refuses options that are not for its format.
  private func open(_ path: String) throws -> FileImport {
    try FileImport(path: path, options, Self.progress.hooks) { source, format in
      guard let option = table.foreign(to: format) else {
        if format == .sqlite, from != nil {
          throw Failure(.usage, "--from is for files with lines", hint: "--resume goes on")
        }
        return
      }
      throw Failure(
        .usage,
        "\(option) is for \(TableOptions.formats(of: option)), and \(source.name) is read as "
          + "\(format)",
        hint: option == "--search"
          ? "Say `\"search\":true` in its define lines" : "Say --format if it is something else")
    }
  }

  private func firstLine(of file: FileImport, in store: Store) async throws -> Int {
    switch try await file.firstLine(in: store) {
    case .line(let line): return line
    case .afterOtherReading:
      ImportNotes.showOtherReading(file.source, file.reading)
      return 1
    }
  }

  private func run(
    _ file: FileImport, _ store: Store, _ reports: inout [(Double) throws -> Void]
  ) async throws {
    let clock = ContinuousClock.now
    Interrupt.listen()
    let firstLine = try await firstLine(of: file, in: store)
    let plan = try file.plan(try await store.schema(), from: firstLine)
    defer { plan.end() }
    show(plan)
    let outcome = try await file.importer(plan, from: firstLine, into: store).run()
    Self.progress.clear()
    let seconds = (ContinuousClock.now - clock) / .seconds(1)
    reports.append { try report(file.source, plan, outcome, seconds + $0) }
    if outcome.isInterrupted {
      throw Failure(
        .interrupted,
        "interrupted; \(ImportNotes.inStore(outcome.lastLine, plan.unit)) in the store",
        hint: "Go on with the same command and --resume")
    }
  }

  private func show(_ plan: any ImportPlan) {
    Self.progress.clear()
    (plan as? any ShownPlan)?.show()
  }

  /// Rehearses all files in one transaction, so that later files see the definitions of earlier
  /// ones.
  private func rehearse() async throws {
    try await store.write(actor: actor) { store in
      Interrupt.listen()
      var files: [(file: FileImport, firstLine: Int)] = []
      defer { for (file, _) in files { file.close() } }
      for path in file {
        guard rdf(path) == nil else {
          throw Failure(
            .usage, "--dry-run is not for RDF", hint: "Import it into another store first")
        }
        let opened = try open(path)
        files.append((opened, 1))
        files[files.count - 1].firstLine = try await firstLine(of: opened, in: store)
      }
      let scopes = try await store.schema().collections.mapValues(\.isLocal)
      try await store.rehearse { [files] rehearsal in
        var scopes = scopes
        for (file, firstLine) in files {
          let schema = try rehearsal.run(SeriesWrite { $0.schema })
          let plan = try file.plan(schema, from: firstLine)
          defer { plan.end() }
          show(plan)
          let importer = file.importer(plan, from: firstLine, into: store)
          try report(file.source, plan, try importer.run(in: rehearsal, &scopes), 0)
        }
      }
    }
  }

  /// Returns the format of RDF that a file has; nil if it is none.
  private func rdf(_ path: String) -> RDFFormat? {
    switch format {
    case .rdf(let rdf): rdf
    case .file: nil
    case nil:
      path.parts(between: ".").last.flatMap { RDFFormat(fileEnding: Names.folded(String($0))) }
    }
  }

  /// - Throws: ``Failure`` if a graph is named, and a file is not RDF.
  private func requireRDFForGraph() throws {
    guard graph != nil, let path = file.first(where: { rdf($0) == nil }) else { return }
    throw Failure(
      .usage, "--graph is for RDF, and \(path) is taken for another format",
      hint: "Say the format by --format turtle, or leave --graph out")
  }

  /// Loads statements into an open graph. Statements that the graph has are not written again, so
  /// there is nothing to resume.
  private func load(_ path: String, _ format: RDFFormat, _ store: Store) async throws {
    if resume || from != nil {
      throw Failure(
        .usage, "--resume and --from are not for RDF",
        hint: "Import the file again: statements that are in the store are left as they are")
    }
    let source = try ImportSource(path: path)
    defer { source.close() }
    Interrupt.listen()
    let clock = ContinuousClock.now
    let base = path == "-" ? nil : try? IRI(URL(fileURLWithPath: path).absoluteString)
    let reader = RDFReader(format, base: base) { count in
      if Interrupt.isRequested { throw CancellationError() }
      return try source.next(count)
    }
    let found: (new: Int, all: Int)
    do {
      found = try await store.load(
        reader, into: graph, scope: source.hash.description, actor: actor,
        label: label ?? "import \(source.fileName)", batch: batch)
    } catch let error as RDFError {
      if Interrupt.isRequested {
        throw Failure(.interrupted, "interrupted", hint: "Import the file again to go on")
      }
      throw Failure(.usage, "\(source.name): \(error.explanation)", hint: error.hint)
    }
    let seconds = (ContinuousClock.now - clock) / .seconds(1)
    try output.confirm(
      Report {
        $0.fact("file", source.name)
        $0.fact("source", source.hash.description)
        $0.fact("statements", found.all)
        $0.fact("new", found.new)
        $0.line(
          "imported \(Text.count(found.new, "statement")) of \(source.name), which has "
            + "\(Text.grouped(found.all)), in \(Text.seconds(seconds))")
      })
  }

  private func report(
    _ source: ImportSource, _ plan: any ImportPlan, _ outcome: ImportReport, _ seconds: Double
  ) throws {
    let shown = plan as? any ShownPlan
    let report = Report {
      $0.fact("file", source.name)
      $0.fact("dryRun", dryRun)
      $0.fact("source", source.hash.description)
      $0.fact("operations", outcome.operations)
      $0.fact("events", outcome.events)
      $0.fact("lastLine", outcome.lastLine)
      $0.fact("interrupted", outcome.isInterrupted)
      $0.fact("finerTimestamps", plan.finerTimestamps + outcome.finerTimestamps)
      if outcome.finerTimestamps > 0 {
        $0.note("evtool: note: \(source.name): \(ImportNotes.finer(outcome.finerTimestamps))")
      }
      $0.fact("seconds", seconds, summary(source, plan, outcome, seconds))
      if !dryRun, outcome.operations > 0 { $0.line(shown?.leftOut) }
      shown?.state(in: &$0)
    }
    if dryRun { try output.show(report) } else { try output.confirm(report) }
  }

  private func summary(
    _ source: ImportSource, _ plan: any ImportPlan, _ outcome: ImportReport, _ seconds: Double
  ) -> String {
    let became =
      "\(Text.count(outcome.operations, "operation")) of \(source.name) as "
      + Text.count(outcome.events, "event")
    if dryRun { return "nothing has been imported, as --dry-run asks; else \(became)" }
    guard outcome.operations > 0 else {
      return outcome.lastLine > 0
        ? "nothing left to import: \(source.name) is in the store up to \(plan.unit) "
          + Text.grouped(outcome.lastLine)
        : "nothing to import: \(source.name) holds no operation"
    }
    let rate = Int(saturating: Double(outcome.operations) / max(seconds, 0.001))
    return "imported \(became) in \(Text.seconds(seconds)) (\(Text.grouped(rate))/s)"
  }
}

/// An argument for the format of files.
enum ImportChoice: ExpressibleByArgument {
  case file(ImportFormat)
  case rdf(RDFFormat)

  init?(argument: String) {
    if let format = ImportFormat(rawValue: argument) {
      self = .file(format)
    } else if let format = RDFFormat(rawValue: argument) {
      self = .rdf(format)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] {
    ImportFormat.allCases.map(\.rawValue) + RDFFormat.allCases.map(\.rawValue)
  }
}
