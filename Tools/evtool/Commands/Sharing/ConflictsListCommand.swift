import ArgumentParser
import Daybook
import DaybookEventCore
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
    var list = output.list(.rows)
    try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      let conflicts = store.conflicts(in: collection, id: id, field: field, by: by)
      for try await conflict in conflicts.prefix(most.count) {
        try list.add(Self.report(conflict))
      }
    }
    list.end(none: "no conflicts")
  }

  private static func report(_ conflict: Conflict) -> Report {
    Report {
      $0.line(Terminal.bold(title(conflict)))
      $0.fact("collection", conflict.collection)
      $0.fact("id", conflict.id)
      $0.fact("field", conflict.field)
      if !conflict.attribute.isEmpty { $0.fact("attribute", conflict.attribute) }
      $0.fact(
        "writes", conflict.writes.map { report($0, of: conflict) },
        columns: ["", "value", "who", "when", "event"])
      $0.line("  " + reason(conflict))
      $0.line("")
    }
  }

  private static func report(_ write: Conflict.Write, of conflict: Conflict) -> Report {
    Report {
      let (author, times) = (write.author, write.author.times)
      $0.fact("event", write.event, column: "event")
      $0.fact("value", write.value, column: "value", value(write, conflict))
      $0.fact("deleted", write.isDeletion)
      $0.fact("wins", write.wins, column: "", write.wins ? "counts" : "")
      $0.fact("actor", author.actor, column: "who", Text.brief(author.actor, 40))
      $0.fact("label", author.label)
      $0.fact("authored", times.authored, column: "when", when(times))
      $0.fact("stamped", times.stamped)
    }
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
    if !conflict.field.isEmpty, conflict.writes.contains(where: { $0.isDeletion && !$0.wins }) {
      return "a deletion takes no value away: the field has this one if the entity is there again"
    }
    if stamped == times.count { return "the hub stamped it last" }
    if stamped == 0 {
      return "no hub has stamped them: its author's clock says it is the later one"
    }
    return "the hub has not stamped it yet: until then it counts as the later one"
  }
}
