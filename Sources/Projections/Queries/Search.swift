import EventCore
import Foundation
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

/// What is looked for, where, and how much of it is returned.
package struct SearchRequest: Sendable {
  /// As ``SearchQuery`` reads it.
  package var text: String
  /// Where to look; nil for everywhere.
  package var collection: String?
  package var match: SearchMatch
  /// The most hits to return.
  package var limit: Int
  /// What to put before and after a word found.
  package var markers: (open: String, close: String)

  package init(
    _ text: String, in collection: String? = nil, match: SearchMatch = .all, limit: Int,
    markers: (open: String, close: String)
  ) {
    self.text = text
    self.collection = collection
    self.match = match
    self.limit = limit
    self.markers = markers
  }
}

package enum Search {
  /// The names of all search indexes.
  package static func indexes(_ db: Database) throws -> [String] {
    try db.texts(
      """
      SELECT name FROM sqlite_schema
      WHERE name GLOB '_daybook_search_*' AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name
      """)
  }

  /// The name of a collection's search index: it goes by the number that the collection has in this read
  /// model.
  package static func index(of collection: CollectionSchema, _ db: Database) throws -> String {
    let statement = try db.cachedStatement(
      sql: "SELECT number FROM _daybook_collections WHERE name = ?")
    guard let number = try Int.fetchOne(statement, arguments: [collection.identity]) else {
      throw ProjectionError.damaged("the collection \(collection.name) has no number")
    }
    return CollectionTable.searchName(number)
  }
}

extension ReadModelView {
  /// Full-text search over the searchable fields, best first.
  /// - Throws: ``ProjectionError`` `unknownName` for a collection that is not declared or not
  ///   searchable, `invalidQuery` for a query that asks for nothing or a negative limit; what SQLite
  ///   throws.
  package func search(_ request: SearchRequest) throws(ProjectionError) -> [SearchHit] {
    guard request.limit >= 0 else {
      throw ProjectionError(
        .invalidQuery, "a limit of \(request.limit) makes no sense",
        hint: "Give a number of at least 0")
    }
    let collections = try searched(request.collection)
    var hits: [SearchHit] = []
    for collection in collections { try search(request, collection, &hits) }
    guard collections.count > 1 else { return hits }
    hits.sort {
      if $0.score != $1.score { return $0.score > $1.score }
      return $0.collection != $1.collection
        ? utf8Less($0.collection, $1.collection) : utf8Less($0.id, $1.id)
    }
    return Array(hits.prefix(request.limit))
  }

  /// By all words and, where nothing has all of them, by any.
  package func searchAllOrAny(_ request: SearchRequest) throws(ProjectionError) -> (
    hits: [SearchHit], match: SearchMatch
  ) {
    var request = request
    request.match = .all
    let hits = try search(request)
    // One word is all of them.
    guard hits.isEmpty, request.limit > 0, try hasChoice(request) else { return (hits, .all) }
    request.match = .any
    let found = try search(request)
    return (found, found.isEmpty ? .all : .any)
  }

  private func hasChoice(_ request: SearchRequest) throws(ProjectionError) -> Bool {
    for collection in try searched(request.collection) {
      let query = try SearchQuery(request.text, fields: collection.searchable.map(\.name))
      if query.hasChoice { return true }
    }
    return false
  }

  private func searched(_ name: String?) throws(ProjectionError) -> [CollectionSchema] {
    guard let name else { return schema.sorted.filter { !$0.searchable.isEmpty } }
    guard let collection = schema[name] else {
      throw ProjectionError(
        .unknownName, "there is no collection \(name.quotedForMessage)",
        hint: NameSuggestion.hint(
          for: name, among: schema.sorted.map(\.name), none: "Nothing is defined yet"))
    }
    guard !collection.searchable.isEmpty else {
      throw ProjectionError(
        .unknownName, "no field of “\(name)” is searchable",
        hint: "Define one with \"search\":true")
    }
    return [collection]
  }

  private func search(
    _ request: SearchRequest, _ collection: CollectionSchema, _ hits: inout [SearchHit]
  ) throws(ProjectionError) {
    let query = try SearchQuery(
      request.text, fields: collection.searchable.map(\.name), match: request.match)
    // Of a script in which each character is a word, twelve words say little.
    let isUnspaced = request.text.unicodeScalars.contains(where: SearchTokenizer.isUnspaced)
    guard let index = projector.knownTable(collection.identity)?.searchName else {
      throw ProjectionError.damaged("the collection \(collection.name) has no number")
    }
    let statement = try sql(
      Self.searchSQL(collection, index, snippetWords: isUnspaced ? 40 : 12))
    defer { statement.reset() }
    try statement.bind(1, request.markers.open)
    try statement.bind(2, request.markers.close)
    try statement.bind(3, query.expression)
    try statement.bind(4, request.limit)
    while try statement.step() {
      hits.append(
        SearchHit(
          collection: collection.name, id: statement.text(0), score: statement.real(1),
          snippet: statement.text(2)))
    }
  }

  private static func searchSQL(
    _ collection: CollectionSchema, _ index: String, snippetWords: Int
  ) -> String {
    let table = Names.quoted(collection.name)
    // FTS5 makes a statement of its own to read weights, each time; without, all weigh the same.
    let weights = collection.searchable.map { $0.searchWeight ?? 1 }
    let ranking =
      weights.allSatisfy { $0 == 1 }
      ? "" : "AND s.rank MATCH 'bm25(\(weights.map(weightSQL).joined(separator: ", ")))'"
    return """
      SELECT t.id, -s.rank, snippet(\(index), -1, ?1, ?2, '…', \(snippetWords))
      FROM \(index) AS s JOIN \(table) AS t ON t._rowid_ = s.rowid
      WHERE \(index) MATCH ?3 \(ranking)
      ORDER BY s.rank LIMIT ?4
      """
  }

  /// FTS5 reads no exponents, and adds weights up. Those beyond a thousand million, or below one part of
  /// that, count as these.
  private static func weightSQL(_ weight: Double) -> String {
    String(format: "%.9f", min(max(weight, 1e-9), 1e9))
  }
}
