import ArgumentParser
import Daybook

/// The command `evtool update`.
struct UpdateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Changes fields of an entity that is there.",
    discussion: """
      \(FieldAssignment.discussion)

      Example:
        evtool update notes.daybook notes n1 pinned=false
      """)

  @OptionGroup var write: WriteOptions
  @Argument(help: FieldAssignment.help)
  var fields: [FieldAssignment]

  func run() async throws {
    let (collection, id, fields) = (write.collection, write.id, fields)
    try await write.run("updated") {
      try $0.update(collection, id, try FieldAssignment.values(fields, collection, $0.schema))
    }
  }
}
