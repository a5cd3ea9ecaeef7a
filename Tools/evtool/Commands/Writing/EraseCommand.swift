import ArgumentParser
import Daybook

/// The command `evtool erase`.
struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Takes an entity and all that was written to it out of the state.",
    discussion: """
      The events stay in the log, and history shows them; restore does not bring it back. Another \
      insert begins anew.

      Example:
        evtool erase notes.daybook notes n1
      """)

  @OptionGroup var write: WriteOptions

  func run() async throws {
    let (collection, id) = (write.collection, write.id)
    try await write.run("erased") { try $0.erase(collection, id) }
  }
}
