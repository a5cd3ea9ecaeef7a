import ArgumentParser
import Daybook

/// The command `evtool delete`.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes an entity; restore brings it back.",
    discussion: """
      Its row goes from the table, and edits of others do not undo that.

      Example:
        evtool delete notes.daybook notes n1
      """)

  @OptionGroup var write: WriteOptions

  func run() async throws {
    let (collection, id) = (write.collection, write.id)
    try await write.run("deleted") { try $0.delete(collection, id) }
  }
}
