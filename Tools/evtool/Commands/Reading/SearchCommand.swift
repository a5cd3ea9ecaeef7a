import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections

/// The command `evtool search`.
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Finds entities by the words in their searchable fields, best first.",
    discussion: """
      All words must occur; "a phrase" stands in double quotes; swif* is a beginning; -word must \
      not occur; a OR b; title:word looks in one field. Words are stemmed: "running" finds \
      "run". Case, accents and the points of Arabic and Hebrew do not matter. If nothing has all \
      of the words, the results have any of them, more and rarer words first, and the error stream \
      says so. --all prevents this, and --any does it at once. The exit code is 1 if nothing is \
      found.

      Examples:
        evtool search notes.daybook 'oat milk'
        evtool search notes.daybook 'where did I put the oat milk' --any
        evtool search notes.daybook '"large cat" OR lion' --collection notes --limit 5
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "What to look for.")
  var query: String
  @Option(help: "Look in this collection only.")
  var collection: String?
  @Option(help: "At most so many.")
  var limit = 20
  @Flag(help: "Find only what has all of the words.")
  var all = false
  @Flag(help: "Find what has any of the words, those with more and rarer words first.")
  var any = false
  @OptionGroup var output: JSONOption

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1") }
    if all, any { throw ValidationError("--all and --any exclude each other") }
  }

  func run() async throws {
    // Markers that no text contains, so that matches are still known after the text is cleaned.
    let isForPrograms = output.json
    let markers = isForPrograms ? (open: "[", close: "]") : (open: "\u{E000}", close: "\u{E001}")
    let (count, advice) = try await store.read { store in
      let schema = try await store.schema()
      if let hint = ImportNotes.unsearchable(schema) {
        throw Failure(.usage, "no field is searchable, so there is nothing to find", hint: hint)
      }
      let (hits, match) = try await hits(store, markers)
      let searched = schema.sorted.filter { collection == nil || $0.name == collection }
      let fields = Set(searched.flatMap(\.searchable).map(\.name)).sorted()
      let advice = SearchQuery.advice(on: query, fields: fields)
      for sentence in advice where !hits.isEmpty { StandardError.line("evtool: \(sentence)") }
      if match == .any, !any {
        StandardError.line(
          "evtool: nothing has all of these words; what follows has some of them")
      }
      var list = output.list(.array)
      for (number, hit) in hits.enumerated() {
        // Only people see titles.
        let entity = isForPrograms ? nil : try await store.fetch(hit.collection, hit.id)
        let title = entity.flatMap { Entities.title($0, schema) }
        try list.add(Self.report(number + 1, hit, match, title: title))
      }
      list.end()
      return (hits.count, advice)
    }
    guard count > 0 else {
      throw Failure(
        .problem, "nothing matches \(query.quotedForMessage)",
        hint: advice.isEmpty ? nil : advice.joined(separator: "; "))
    }
  }

  /// Returns the hits, and whether they match all or any of the words.
  private func hits(_ store: Store, _ markers: (open: String, close: String)) async throws -> (
    [SearchHit], SearchMatch
  ) {
    if !all, !any {
      return try await store.searchAllOrAny(
        query, in: collection, limit: limit, markers: markers)
    }
    let match = any ? SearchMatch.any : .all
    return (
      try await store.search(
        query, in: collection, match: match, limit: limit, markers: markers), match
    )
  }

  private static func report(
    _ number: Int, _ hit: SearchHit, _ match: SearchMatch, title: String?
  ) -> Report {
    Report {
      let name = Text.oneLine(hit.id)
      var head = Text.padded("\(number).", 4) + Terminal.bold(title ?? name)
      if let title, title != name { head += "  \(name)" }
      head += "  " + Terminal.dim("\(hit.collection)  \(Text.fixed(hit.score, 2))")
      $0.line(head)
      $0.fact("collection", hit.collection)
      $0.fact("id", hit.id)
      $0.fact("score", hit.score)
      $0.fact("snippet", hit.snippet, marked(hit.snippet))
      $0.fact("match", match.rawValue)
    }
  }

  /// Returns the line of a snippet, with its matches marked; nil if it is empty.
  private static func marked(_ snippet: String) -> String? {
    let open = Terminal.isStyled ? "\u{1B}[1;33m" : "["
    let close = Terminal.isStyled ? "\u{1B}[0m" : "]"
    let shown = Text.oneLine(snippet).replacing("\u{E000}", by: open)
      .replacing("\u{E001}", by: close)
    return shown.isEmpty ? nil : "    \(shown)"
  }
}
