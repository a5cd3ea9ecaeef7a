import ArgumentParser
import Daybook
import EventCore
import Projections

/// `evtool conflicts list`.
struct ConflictsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists conflicts: who wrote what, which write counts, and why.",
    discussion: """
      Ends with 1 where there are none.

      Example:
        evtool conflicts notes.daybook --collection notes
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only this collection.")
  var collection: String?
  @OptionGroup var output: JSONOption

  /// A conflict with who wrote, and when.
  struct Explained: Sendable {
    var conflict: Conflict
    var authors: [EventID: Author]
  }

  struct Author: Sendable {
    var actor: String
    var label: String
    var times: EventTimes
  }

  func run() async throws {
    let found = try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      var found: [Explained] = []
      for conflict in try await store.conflicts()
      where collection == nil || conflict.collection == collection {
        var explained = Explained(conflict: conflict, authors: [:])
        for write in conflict.writes {
          guard let times = try await store.times(of: write.event) else { continue }
          let event = try await store.event(write.event)
          explained.authors[write.event] = Author(
            actor: event?.event.body?.actor ?? "", label: event?.event.body?.label ?? "",
            times: times)
        }
        found.append(explained)
      }
      return found
    }
    if output.json {
      StandardOutput.line(Self.json(found))
    } else if found.isEmpty {
      StandardOutput.line("no conflicts")
    } else {
      for one in found { Self.print(one) }
    }
    if found.isEmpty { throw Failure.silent(.problem) }
  }

  // MARK: For people

  private static func print(_ explained: Explained) {
    let conflict = explained.conflict
    StandardOutput.line(Terminal.bold(title(conflict)))
    var table = Table(["", "value", "who", "when", "event"])
    for write in conflict.writes {
      let author = explained.authors[write.event]
      table.add([
        write.wins ? "counts" : "", value(write, conflict), Text.oneLine(author?.actor ?? ""),
        author.map { when($0.times) } ?? "", write.event.description,
      ])
    }
    table.print()
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
    return Text.value(write.value)
  }

  private static func when(_ times: EventTimes) -> String {
    if let stamped = times.stamped { return "stamped \(Text.moment(stamped.milliseconds))" }
    return "written \(Text.moment(times.authored.milliseconds)), not stamped yet"
  }

  private static func reason(_ explained: Explained) -> String {
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

  // MARK: For programs

  private static func json(_ found: [Explained]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for explained in found {
        writer.object { writer in
          let conflict = explained.conflict
          writer.member("collection", conflict.collection)
          writer.key("id")
          if let id = conflict.id { writer.text(id) } else { writer.null() }
          writer.member("field", conflict.field)
          if !conflict.attribute.isEmpty { writer.member("attribute", conflict.attribute) }
          writer.key("writes")
          writer.array { writer in
            for write in conflict.writes {
              writer.object { writer in
                writer.member("event", write.event.description)
                writer.key("value")
                writer.value(write.value)
                writer.member("deleted", write.isDeletion)
                writer.member("wins", write.wins)
                guard let author = explained.authors[write.event] else { return }
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
          }
        }
      }
    }
    return writer.bytes
  }
}
