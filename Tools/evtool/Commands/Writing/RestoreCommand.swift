import ArgumentParser
import Daybook

/// The command `evtool restore`.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Brings a deleted entity back.",
    discussion: """
      It returns with the values that it had, and those that others wrote meanwhile.

      Example:
        evtool restore notes.daybook notes n1
      """)

  @OptionGroup var write: WriteOptions

  func run() async throws {
    let (collection, id) = (write.collection, write.id)
    try await write.run("restored") { try $0.restore(collection, id) }
  }
}
