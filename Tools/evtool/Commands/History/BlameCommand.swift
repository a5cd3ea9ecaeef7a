import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The command `evtool blame`.
struct BlameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Shows which event wrote each part of a text.",
    discussion: """
      Parts come in the order of the text, with the author and the time.

      Example:
        evtool blame notes.daybook notes n1 body
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The collection.")
  var collection: String
  @Argument(help: "The entity's id.")
  var id: String
  @Argument(help: "A text field.")
  var field: String
  @OptionGroup var output: JSONOption

  func run() async throws {
    let parts = try await store.read { store in
      try await Entities.requireCollection(collection, store)
      return try await store.blame(of: collection, id, text: field)
    }
    let width = parts.map { Text.width($0.actor) }.max() ?? 0
    try output.show(parts.map { Self.report($0, width) })
    guard !parts.isEmpty else {
      throw Failure(
        .problem,
        "\(field.quotedForMessage) of \(id.quotedForMessage) in \(collection) shows no text")
    }
  }

  private static func report(_ part: Store.TextBlame, _ width: Int) -> Report {
    Report {
      let who = Text.padded(Text.oneLine(part.actor), width)
      $0.line(
        "\(Text.second(part.times.authored))  \(Terminal.bold(who))  "
          + "\(Terminal.dim(Text.event(part.event)))  \(Text.quotedValue(.text(part.text)))")
      $0.fact("from", part.range.lowerBound)
      $0.fact("to", part.range.upperBound)
      $0.fact("text", part.text)
      $0.fact("event", part.event)
      $0.fact("operation", part.operation)
      $0.fact("authored", part.times.authored)
      $0.fact("actor", part.actor)
      $0.fact("label", part.label)
    }
  }
}
