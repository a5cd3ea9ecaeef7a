import ArgumentParser
import Daybook

/// The command `evtool restore`.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Brings a deleted entity back.",
    discussion: """
      It returns with the values that it had, and those that others wrote meanwhile. What
      referred to it and went along with it stays away, unless --with-referrers is given.

      Example:
        evtool restore notes.daybook notes n1
      """)

  @Flag(help: "Also bring back what went along with it, because it referred to it.")
  var withReferrers = false

  @OptionGroup var write: WriteOptions

  func run() async throws {
    let (collection, id) = (write.collection, write.id)
    let withReferrers = withReferrers
    try await write.run("restored") {
      try $0.restore(collection, id, withReferrers: withReferrers)
    }
  }
}
