import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookJSON
import DaybookProjections
import DaybookTexts

/// The command `evtool log`.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Shows the events of the log, one a line.",
    discussion: """
      A ✓ marks what a hub has stamped, a ⌂ what is about local collections and never leaves this \
      replica. With --json an event's operations come in the form that `evtool import` reads.

      \(positionHelp) \(sinceHelp)

      Examples:
        evtool log notes.daybook --newest --limit 20
        evtool log notes.daybook --collection notes --id n1 --json
        evtool log notes.daybook --after 2026-11-20 --until 3f2a:17
        evtool log notes.daybook --by ann --since 2026-11-20
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only events that this position does not hold.")
  var after: String?
  @Option(help: "Only events since this time, or after this position.")
  var since: String?
  @Option(help: "Only events that this position holds.")
  var until: String?
  @Option(help: "Only events about this collection.")
  var collection: String?
  @Option(help: "Only events about this entity of the collection.")
  var id: String?
  @Option(help: "Only events by this actor.")
  var by: String?
  @Option(help: "Only events with this label.")
  var label: String?
  @Option(help: "At most so many.")
  var limit: Int?
  @Flag(help: "From the newest back.")
  var newest = false
  @OptionGroup var output: JSONOption

  func validate() throws {
    if id != nil, collection == nil { throw ValidationError("--id needs --collection") }
    if since != nil, after != nil {
      throw ValidationError("--since and --after exclude each other")
    }
    if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
  }

  func run() async throws {
    try await store.read { store in
      var query = EventQuery(
        collection: collection, id: id, actor: by, label: label, limit: limit,
        isNewestFirst: newest)
      if let since { query.after = try await store.position(since: since) }
      if let after { query.after = try await store.position(after) }
      if let until { query.until = try await store.position(until) }
      let schema = try await store.schema()
      let output = output
      try await store.forEachEvent(query) { logged in
        try output.show(Report(EventLine(logged, schema), Self.line(logged)))
        return true
      }
    }
  }

  static func line(_ logged: LoggedEvent) -> String {
    let event = logged.event
    // Local events are never stamped.
    let mark =
      event.id.origin.isPrivate ? "⌂" : logged.times.stamped == nil ? " " : "✓"
    var line =
      "\(Text.second(logged.times.authored)) \(mark) "
      + Terminal.dim(Text.padded(Text.event(event.id), 14))
    guard let body = event.body else { return line + "  (sealed, erased, or of a later version)" }
    if !body.actor.isEmpty { line += "  \(Text.brief(body.actor, 100)):" }
    line += "  \(summary(body.operations))"
    if !body.label.isEmpty { line += "  \(Terminal.dim("“\(Text.brief(body.label, 100))”"))" }
    return line
  }

  /// Returns a summary: the operation itself if there is only one, else the number of each kind.
  static func summary(_ operations: [DaybookEventCore.Operation]) -> String {
    if operations.count == 1, let only = operations.first { return only.summary }
    var kinds: [String] = []
    var counts: [String: Int] = [:]
    for operation in operations {
      let kind = operation.kindAndCollection
      if counts[kind] == nil { kinds.append(kind) }
      counts[kind, default: 0] += 1
    }
    let shown = kinds.prefix(4).map { kind in
      let count = counts[kind] ?? 0
      return count == 1 ? kind : "\(Text.grouped(count)) × \(kind)"
    }
    return shown.joined(separator: ", ") + (kinds.count > 4 ? ", …" : "")
  }
}

/// An event in JSON, in the form that `evtool import` reads.
private struct EventLine: ReportValue {
  let logged: LoggedEvent
  let schema: StoreSchema

  init(_ logged: LoggedEvent, _ schema: StoreSchema) {
    (self.logged, self.schema) = (logged, schema)
  }

  func write(to writer: inout JSONWriter) { writer.raw(logged.line(schema)) }
}

extension DaybookEventCore.Operation {
  var kindAndCollection: String {
    switch self {
    case .define(let definition): "define \(definition.collection)"
    case .drop(let collection, let field): "drop \(collection)\(field.map { ".\($0)" } ?? "")"
    case .insert(let collection, _, _): "insert \(collection)"
    case .update(let collection, _, _): "update \(collection)"
    case .delete(let collection, _): "delete \(collection)"
    case .restore(let collection, _): "restore \(collection)"
    case .erase(let collection, _): "erase \(collection)"
    case .edit(let edit): "edit \(edit.collection).\(edit.field)"
    case .undo(let undo): "\(undo.isUndone ? "undo" : "redo") \(undo.collection)"
    case .stamp: "stamp"
    case .identity: "identity"
    case .unknown(let kind, _): "unknown operation \(kind)"
    }
  }

  fileprivate var summary: String {
    switch self {
    case .insert(_, let id, let fields), .update(_, let id, let fields):
      let names = fields.keys.sorted(by: utf8Less)
      let shown = names.prefix(3).map { name in
        "\(Text.oneLine(name)) \(Text.quotedValue(fields[name] ?? .null, width: 30))"
      }
      return "\(kindAndCollection) \(Text.oneLine(id))  " + shown.joined(separator: ", ")
        + (names.count > 3 ? ", …" : "")
    case .delete(_, let id), .restore(_, let id), .erase(_, let id):
      return "\(kindAndCollection) \(Text.oneLine(id))"
    case .undo(let undo):
      let runs = undo.events.prefix(3).map(\.name)
      return "\(kindAndCollection) \(Text.oneLine(undo.id))  " + runs.joined(separator: ", ")
        + (undo.events.count > 3 ? ", …" : "")
    case .edit(let edit):
      let script = edit.script.withUnsafeBytes { try? TextScript(decoding: $0) }
      let shown = script.map { Text.oneLine($0.description) } ?? "malformed"
      return
        "edit \(edit.collection) \(Text.oneLine(edit.id))  \(Text.oneLine(edit.field)) \(shown)"
    case .stamp(let stamp):
      return "stamp \(Text.origin(stamp.origin)):\(stamp.from)…\(stamp.through)"
    case .define, .drop, .identity, .unknown: return kindAndCollection
    }
  }
}

/// The description of positions, for the help of commands that take one.
let positionHelp = """
  A position is a time (2026-11-21T09:30:00Z; without a zone it is UTC, and a date alone means its \
  end), an event with all that its author had seen (ORIGIN:SEQUENCE, with at least four digits of \
  the origin), or a version vector as `evtool digest --json` prints it.
  """
