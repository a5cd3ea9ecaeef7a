import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
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
    if output.json {
      StandardOutput.line(Self.json(parts))
    } else {
      let width = parts.map { Text.width($0.actor) }.max() ?? 0
      for part in parts {
        let who = Text.padded(Text.oneLine(part.actor), width)
        StandardOutput.line(
          "\(Text.second(part.times.authored))  \(Terminal.bold(who))  "
            + "\(Terminal.dim(Text.event(part.event)))  \(Text.quotedValue(.text(part.text)))")
      }
    }
    guard !parts.isEmpty else {
      throw Failure(
        .problem,
        "\(field.quotedForMessage) of \(id.quotedForMessage) in \(collection) shows no text")
    }
  }

  private static func json(_ parts: [Store.TextBlame]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for part in parts {
        writer.object {
          $0.member("from", part.range.lowerBound)
          $0.member("to", part.range.upperBound)
          $0.member("text", part.text)
          $0.member("event", "\(part.event)")
          $0.member("operation", Int(part.operation))
          $0.key("authored")
          $0.timestamp(part.times.authored.milliseconds)
          $0.member("actor", part.actor)
          $0.member("label", part.label)
        }
      }
    }
    return writer.bytes
  }
}
