import ArgumentParser
import Daybook

/// `evtool put`.
struct Put: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes an entity, or changes fields of one that is there.",
    discussion: """
      \(FieldAssignment.discussion)

      Example:
        evtool put notes.daybook notes n1 title='Oat milk' pinned=true due:null
      """)

  @OptionGroup var write: WriteOptions
  @Argument(help: FieldAssignment.help)
  var fields: [FieldAssignment] = []

  func run() async throws {
    let (collection, id, fields) = (write.collection, write.id, fields)
    try await write.run("put") {
      try $0.put(collection, id, try FieldAssignment.values(fields, collection, $0.schema))
    }
  }
}
