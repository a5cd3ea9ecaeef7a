import ArgumentParser
import Daybook
import EventCore
import Projections

/// `evtool search`.
struct Search: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds entities by the words in their searchable fields, best first.",
    discussion: """
      All words must occur; "a phrase" stands in double quotes; swif* is a beginning; -word must \
      not occur; a OR b; title:word looks in one field. Words are stemmed, so that "running" finds \
      "run". Ends with 1 where nothing is found.

      Examples:
        evtool search notes.daybook 'oat milk'
        evtool search notes.daybook '"large cat" OR lion' --collection notes --limit 5
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "What to look for.")
  var query: String
  @Option(help: "Look in this collection only.")
  var collection: String?
  @Option(help: "At most so many.")
  var limit = 20
  @OptionGroup var output: JSONOption

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1") }
  }

  func run() async throws {
    // Marks that no text holds, so that what is found is still known after cleaning the text.
    let markers = output.json ? (open: "[", close: "]") : (open: "\u{E000}", close: "\u{E001}")
    let count = try await store.read { store in
      let hits = try await store.search(query, in: collection, limit: limit, markers: markers)
      let schema = try await store.schema()
      var json = JSONWriter()
      if output.json {
        json.array { writer in for hit in hits { Self.json(hit, &writer) } }
        StandardOutput.line(json.bytes)
        return hits.count
      }
      for (number, hit) in hits.enumerated() {
        let entity = try await store.fetch(hit.collection, hit.id)
        print(number + 1, hit, title: entity.flatMap { Entities.title($0, schema) })
      }
      return hits.count
    }
    guard count > 0 else {
      throw Failure(.problem, "nothing matches \(query.quotedForMessage)")
    }
  }

  private static func json(_ hit: SearchHit, _ writer: inout JSONWriter) {
    writer.object {
      $0.key("collection")
      $0.text(hit.collection)
      $0.key("id")
      $0.text(hit.id)
      $0.key("score")
      $0.real(hit.score)
      $0.key("snippet")
      $0.text(hit.snippet)
    }
  }

  private func print(_ number: Int, _ hit: SearchHit, title: String?) {
    let name = Text.oneLine(hit.id)
    var head = Text.padded("\(number).", 4) + Terminal.bold(title ?? name)
    if let title, title != name { head += "  \(name)" }
    StandardOutput.line(
      head + "  " + Terminal.dim("\(hit.collection)  \(Text.fixed(hit.score, 2))"))
    let open = Terminal.isStyled ? "\u{1B}[1;33m" : "["
    let close = Terminal.isStyled ? "\u{1B}[0m" : "]"
    let snippet = Text.oneLine(hit.snippet)
      .replacing("\u{E000}", with: open).replacing("\u{E001}", with: close)
    if !snippet.isEmpty { StandardOutput.line("    \(snippet)") }
  }
}
