import DaybookEventCore
import DaybookProjections
import GRDB

extension FuzzTarget {
  /// Text from a search field.
  ///
  /// FTS5 must accept the expression made of any text, unless the query is refused as invalid.
  static let search = FuzzTarget("search", bytesMax: 256) {
    [
      "oat milk", "\"oat milk\"", "swif*", "-milk oat", "oat OR birds", "title:oat",
      "-title:\"a b\"*",
      "12:30", "a NEAR(b, 2)", "\"", "OR", "caf\u{e9} cafe\u{301}", "\0", "\u{A0}x\u{FEFF}",
      "(a) AND NOT b", "title : ^a", "{title body}: a", "a + b", "漢字 🙂\u{200D}",
      "किताब", "כִּתְבֵי", "كِتَابٌ", "Straße ŁØı", "🇩🇪🇫", "か\u{3099}",
      "\u{1112}\u{1161}\u{11AB}", "o*",
    ].map { Array($0.utf8) }
  } check: { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let sample = try SampleReadModel.forSearch.get()
    do {
      let query = try SearchQuery(text, fields: ["title", "tags"])
      let scalars = query.expression.unicodeScalars
      try require(
        scalars.count { $0 == "\"" } % 2 == 0 && !scalars.contains("\0"),
        "an expression with an open quote: \(query.expression)")
      let (hits, some) = try sample.queue.read { db in
        let view = try ReadModelView(db, source: sample.source)
        defer { view.close() }
        var request = SearchRequest(text, limit: 10, markers: ("[", "]"))
        let hits = try view.search(request)
        request.match = .any
        return (hits, try view.search(request))
      }
      try require(some.count >= hits.count, "fewer have any word than all")
      try require(hits.allSatisfy { $0.collection == "notes" }, "hits of nowhere")
      try require(some.allSatisfy { $0.snippet.contains("[") }, "a snippet misses what was found")
      let words = SearchTokenizer.words(of: text).map(\.bytes)
      try require(
        zip(words, words.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
          && words.allSatisfy { !$0.isEmpty && $0.upperBound <= text.utf8.count },
        "words overlap")
    } catch let error as ProjectionError {
      try require(error.code == .invalidQuery, "a query fails: \(error)")
    } catch let error as DatabaseError { throw FuzzFinding("SQLite refuses a query: \(error)") }
  }
}

extension SampleReadModel {
  nonisolated(unsafe) fileprivate static let forSearch = Result { try SampleReadModel() }
}
