import ArgumentParser
import Daybook

/// The command `evtool put`.
struct PutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "put",
    abstract: "Makes an entity, or changes fields of one that is there.",
    discussion: """
      \(FieldAssignment.discussion)

      In a collection whose ids follow from a key, - stands for the id that does.

      Example:
        evtool put notes.daybook notes n1 title='Oat milk' pinned=true due:null
      """)

  @OptionGroup var write: WriteOptions
  @Argument(help: FieldAssignment.help)
  var fields: [FieldAssignment] = []

  func run() async throws {
    let (collection, id, fields) = (write.collection, write.id, fields)
    try await write.run("put") { transaction -> String in
      let values = try FieldAssignment.values(fields, collection, transaction.schema)
      if id == "-", transaction.schema[collection]?.key.isEmpty == false {
        return try transaction.put(collection, values)
      }
      try transaction.put(collection, id, values)
      return id
    }
  }
}
