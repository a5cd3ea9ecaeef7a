import EventCore
import GRDB
import Projections

extension FuzzTarget {
  /// What a person types into a search field: whatever it is, FTS5 understands what is made of it.
  static let search = FuzzTarget("search", bytesMax: 256) {
    [
      "oat milk", "\"oat milk\"", "swif*", "-milk oat", "oat OR birds", "title:oat",
      "-title:\"a b\"*",
      "12:30", "a NEAR(b, 2)", "\"", "OR", "caf\u{e9} cafe\u{301}", "\0", "\u{A0}x\u{FEFF}",
      "(a) AND NOT b", "title : ^a", "{title body}: a", "a + b", "漢字 🙂\u{200D}",
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
      let hits = try sample.model.queue.read { db in
        try Search(db, schema: sample.schema).hits(
          text, in: nil, limit: 10, markers: ("[", "]"))
      }
      try require(hits.allSatisfy { $0.collection == "notes" }, "hits of nowhere")
    } catch let error as ProjectionError {
      try require(error.code == .invalidQuery, "a query fails: \(error)")
    } catch let error as DatabaseError { throw FuzzFinding("SQLite refuses a query: \(error)") }
  }
}

extension SampleReadModel {
  /// With its schema, which searches do not change.
  nonisolated(unsafe) fileprivate static let forSearch = Result {
    let model = try SampleReadModel()
    let schema = try model.queue.read { db in
      let view = try ReadModelView(db, source: model.source)
      defer { view.close() }
      return view.schema
    }
    return (model: model, schema: schema)
  }
}
