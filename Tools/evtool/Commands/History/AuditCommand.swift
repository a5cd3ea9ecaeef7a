import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The command `evtool audit`.
struct AuditCommand: AsyncParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument { case csv, ndjson }

  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Lists every write to every field: who, when, and what.",
    discussion: """
      One line for each field that an event wrote, as CSV with a header (RFC 4180) or as NDJSON. \
      `evtool history` also says what an entity showed before.

      \(positionHelp) \(sinceHelp)

      Examples:
        evtool audit notes.daybook --since 2026-11-20 > audit.csv
        evtool audit notes.daybook --collection notes --field title --by ann
        evtool audit notes.daybook --collection notes --id n1 --format ndjson --newest
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "csv or ndjson.")
  var format = Format.csv
  @Option(help: "Only writes to this collection.")
  var collection: String?
  @Option(help: "Only writes to this entity of the collection.")
  var id: String?
  @Option(help: "Only writes to this field of the collection.")
  var field: String?
  @Option(help: "Only writes by this actor.")
  var by: String?
  @Option(help: "Only writes since this time, or after this position.")
  var since: String?
  @Option(help: "Only writes up to this position.")
  var until: String?
  @OptionGroup var most: LimitOption
  @Flag(help: "From the newest back.")
  var newest = false

  func validate() throws {
    if id != nil, collection == nil { throw ValidationError("--id needs --collection") }
    if field != nil, collection == nil { throw ValidationError("--field needs --collection") }
  }

  func run() async throws {
    try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      var (after, end): (Position?, Position?)
      if let since { after = try await store.position(since: since) }
      if let until { end = try await store.position(until) }
      if format == .csv { StandardOutput.line(Store.AuditEntry.csvHeader) }
      let entries = store.audit(
        in: collection, id: id, field: field, by: by, after: after, until: end,
        isNewestFirst: newest)
      for try await entry in entries.prefix(most.count) {
        try StandardOutput.check()
        StandardOutput.line(format == .csv ? entry.csv : entry.json)
      }
    }
  }
}
