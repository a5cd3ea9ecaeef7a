import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// The command `evtool conflicts list`.
struct ConflictsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists conflicts: who wrote what, which write counts, and why.",
    discussion: """
      Examples:
        evtool conflicts notes.daybook --collection notes
        evtool conflicts notes.daybook --limit 10 --json
        evtool conflicts notes.daybook --collection notes --id n1 --by ann
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only this collection.")
  var collection: String?
  @Option(help: "Only this entity.")
  var id: String?
  @Option(help: "Only this field.")
  var field: String?
  @Option(help: "Only conflicts that this actor has part in.")
  var by: String?
  @OptionGroup var most: LimitOption
  @OptionGroup var output: JSONOption

  func run() async throws {
    let rows = JSONRows()
    var isEmpty = true
    try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      let conflicts = store.conflicts(in: collection, id: id, field: field, by: by)
      for try await conflict in conflicts.prefix(most.count) {
        if let failure = StandardOutput.failure { throw failure }
        isEmpty = false
        if output.json { rows.add(Self.json(conflict)) } else { Self.print(conflict) }
      }
    }
    if output.json {
      rows.end()
    } else if isEmpty {
      StandardOutput.line("no conflicts")
    }
  }

  // MARK: - For people

  private static func print(_ conflict: Conflict) {
    StandardOutput.line(Terminal.bold(title(conflict)))
    var table = Table(["", "value", "who", "when", "event"])
    for write in conflict.writes {
      table.add([
        write.wins ? "counts" : "", value(write, conflict), Text.brief(write.author.actor, 40),
        when(write.author.times), write.event.description,
      ])
    }
    table.end()
    StandardOutput.line("  " + reason(conflict))
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

  private static func when(_ times: Store.EventTimes) -> String {
    if let stamped = times.stamped { return "stamped \(Text.moment(stamped.milliseconds))" }
    return "written \(Text.moment(times.authored.milliseconds)), not stamped yet"
  }

  private static func reason(_ conflict: Conflict) -> String {
    let times = conflict.writes.map(\.author.times)
    let stamped = times.count { $0.stamped != nil }
    let isAny = conflict.writes.contains(where: \.wins)
    if !isAny { return "none of them counts: something later does" }
    if stamped == times.count { return "the hub stamped it last" }
    if stamped == 0 {
      return "no hub has stamped them: its author's clock says it is the later one"
    }
    return "the hub has not stamped it yet: until then it counts as the later one"
  }

  // MARK: - For programs

  private static func json(_ conflict: Conflict) -> [UInt8] {
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
          writer.object { json(write, &$0) }
        }
      }
    }
    return writer.bytes
  }

  private static func json(_ write: Conflict.Write, _ writer: inout JSONWriter) {
    writer.member("event", write.event.description)
    writer.key("value")
    writer.value(write.value)
    writer.member("deleted", write.isDeletion)
    writer.member("wins", write.wins)
    writer.member("actor", write.author.actor)
    writer.member("label", write.author.label)
    writer.key("authored")
    writer.timestamp(write.author.times.authored.milliseconds)
    writer.key("stamped")
    if let stamped = write.author.times.stamped {
      writer.timestamp(stamped.milliseconds)
    } else {
      writer.null()
    }
  }
}
