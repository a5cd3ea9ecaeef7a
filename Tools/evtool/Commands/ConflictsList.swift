import ArgumentParser
import Daybook
import EventCore
import JSON
import Projections
import Synchronization

/// The command `evtool conflicts list`.
struct ConflictsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists conflicts: who wrote what, which write counts, and why.",
    discussion: """
      Examples:
        evtool conflicts notes.daybook --collection notes
        evtool conflicts notes.daybook --limit 10 --json
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only this collection.")
  var collection: String?
  @Option(help: "At most so many.")
  var limit: Int?
  @OptionGroup var output: JSONOption

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
  }

  func run() async throws {
    let (isJSON, limit) = (output.json, limit ?? .max)
    let count = Atomic(0)
    let rows = JSONRows()
    try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      try await store.forEachConflict(in: collection) { explained in
        if let failure = StandardOutput.failure { throw failure }
        if isJSON { rows.add(Self.json(explained)) } else { Self.print(explained) }
        return count.add(1, ordering: .relaxed).newValue < limit
      }
    }
    let isEmpty = count.load(ordering: .relaxed) == 0
    if isJSON {
      rows.end()
    } else if isEmpty {
      StandardOutput.line("no conflicts")
    }
  }

  // MARK: - For people

  private static func print(_ explained: ExplainedConflict) {
    let conflict = explained.conflict
    StandardOutput.line(Terminal.bold(title(conflict)))
    var table = Table(["", "value", "who", "when", "event"])
    for write in conflict.writes {
      let author = explained.authors[write.event]
      table.add([
        write.wins ? "counts" : "", value(write, conflict), Text.brief(author?.actor ?? "", 40),
        author.map { when($0.times) } ?? "", write.event.description,
      ])
    }
    table.end()
    StandardOutput.line("  " + reason(explained))
    StandardOutput.line()
  }

  private static func title(_ conflict: Conflict) -> String {
    let place =
      conflict.id.map { "\(conflict.collection) \(Text.oneLine($0))" } ?? conflict.collection
    let field =
      conflict.field.isEmpty
      ? (conflict.id == nil ? "" : ": whether it is there") : ", \(conflict.field)"
    return place + field + (conflict.attribute.isEmpty ? "" : " (\(conflict.attribute))")
  }

  private static func value(_ write: Conflict.Write, _ conflict: Conflict) -> String {
    if write.isDeletion { return "deleted" }
    if conflict.id != nil, conflict.field.isEmpty { return "there" }
    return Text.value(write.value, valueWidth)
  }

  private static let valueWidth = 60

  private static func when(_ times: EventTimes) -> String {
    if let stamped = times.stamped { return "stamped \(Text.moment(stamped.milliseconds))" }
    return "written \(Text.moment(times.authored.milliseconds)), not stamped yet"
  }

  private static func reason(_ explained: ExplainedConflict) -> String {
    let times = explained.conflict.writes.compactMap { explained.authors[$0.event]?.times }
    let stamped = times.count { $0.stamped != nil }
    let isAny = explained.conflict.writes.contains(where: \.wins)
    if !isAny { return "none of them counts: something later does" }
    if stamped == times.count { return "the hub stamped it last" }
    if stamped == 0 {
      return "no hub has stamped them: its author's clock says it is the later one"
    }
    return "the hub has not stamped it yet: until then it counts as the later one"
  }

  // MARK: - For programs

  private static func json(_ explained: ExplainedConflict) -> [UInt8] {
    let conflict = explained.conflict
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("collection", conflict.collection)
      writer.key("id")
      if let id = conflict.id { writer.text(id) } else { writer.null() }
      writer.member("field", conflict.field)
      if !conflict.attribute.isEmpty { writer.member("attribute", conflict.attribute) }
      writer.key("writes")
      writer.array { writer in
        for write in conflict.writes {
          writer.object { json(write, explained.authors[write.event], &$0) }
        }
      }
    }
    return writer.bytes
  }

  private static func json(
    _ write: Conflict.Write, _ author: ExplainedConflict.Author?, _ writer: inout JSONWriter
  ) {
    writer.member("event", write.event.description)
    writer.key("value")
    writer.value(write.value)
    writer.member("deleted", write.isDeletion)
    writer.member("wins", write.wins)
    guard let author else { return }
    writer.member("actor", author.actor)
    writer.member("label", author.label)
    writer.key("authored")
    writer.timestamp(author.times.authored.milliseconds)
    writer.key("stamped")
    if let stamped = author.times.stamped {
      writer.timestamp(stamped.milliseconds)
    } else {
      writer.null()
    }
  }
}
