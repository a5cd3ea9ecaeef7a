package import GRDB

/// One entity that a search found.
public struct SearchHit: Hashable, Sendable {
  public var collection: String
  public var id: String
  /// How well it fits: bm25 with the fields' weights, turned so that more is better.
  public var score: Double
  /// The part of the text around the words found, which stand between the markers.
  public var snippet: String

  public init(collection: String, id: String, score: Double, snippet: String) {
    self.collection = collection
    self.id = id
    self.score = score
    self.snippet = snippet
  }
}

/// Full-text search over the searchable fields, best first.
package struct Search {
  private let db: Database
  private let schema: Schema

  package init(_ db: Database, schema: Schema) {
    self.db = db
    self.schema = schema
  }

  /// - Parameters:
  ///   - text: as ``SearchQuery`` reads it.
  ///   - collection: where to look; nil for everywhere.
  ///   - limit: the most hits to return.
  ///   - markers: what to put before and after a word found.
  /// - Throws: ``ProjectionError`` `unknownName` for a collection that is not declared or not
  ///   searchable, `invalidQuery` for a query that asks for nothing; what SQLite throws.
  package func hits(
    _ text: String, in collection: String?, limit: Int, markers: (open: String, close: String)
  ) throws -> [SearchHit] {
    var hits: [SearchHit] = []
    for collection in try collections(collection) {
      let query = try SearchQuery(text, fields: collection.searchable.map(\.name))
      hits += try self.hits(query, collection, limit: limit, markers: markers)
    }
    hits.sort {
      if $0.score != $1.score { return $0.score > $1.score }
      return $0.collection != $1.collection ? $0.collection < $1.collection : $0.id < $1.id
    }
    return Array(hits.prefix(limit))
  }

  /// The names of all search indexes.
  package static func indexes(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_schema
        WHERE name GLOB '_daybook_search_*' AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name
        """)
  }

  private func collections(_ name: String?) throws(ProjectionError) -> [CollectionSchema] {
    guard let name else { return schema.sorted.filter { !$0.searchable.isEmpty } }
    guard let collection = schema[name] else {
      throw ProjectionError(.unknownName, "there is no collection “\(name)”")
    }
    guard !collection.searchable.isEmpty else {
      throw ProjectionError(
        .unknownName, "no field of “\(name)” is searchable",
        hint: "Define one with \"search\":true")
    }
    return [collection]
  }

  private func hits(
    _ query: SearchQuery, _ collection: CollectionSchema, limit: Int,
    markers: (open: String, close: String)
  ) throws -> [SearchHit] {
    let table = Names.quoted(collection.name)
    let index = Names.quoted(CollectionTable.searchName(collection.name))
    // FTS5 makes a statement of its own to read weights, each time; without, all weigh the same.
    let weights = collection.searchable.map { $0.searchWeight ?? 1 }
    let ranking =
      weights.allSatisfy { $0 == 1 }
      ? "" : "AND s.rank MATCH 'bm25(\(weights.map { "\($0)" }.joined(separator: ", ")))'"
    let statement = try db.cachedStatement(
      sql: """
        SELECT t.id, -s.rank, snippet(\(index), -1, ?, ?, '…', 12)
        FROM \(index) AS s JOIN \(table) AS t ON t.rowid = s.rowid
        WHERE \(index) MATCH ? \(ranking)
        ORDER BY s.rank LIMIT ?
        """)
    let rows = try Row.fetchCursor(
      statement, arguments: [markers.open, markers.close, query.expression, limit])
    var hits: [SearchHit] = []
    while let row = try rows.next() {
      guard let id = String.fromDatabaseValue(row[0]), let score = Double.fromDatabaseValue(row[1])
      else { throw ProjectionError.damaged("a hit of a search has no id") }
      hits.append(
        SearchHit(
          collection: collection.name, id: id, score: score,
          snippet: String.fromDatabaseValue(row[2]) ?? ""))
    }
    return hits
  }
}
