import DaybookEventCore
import Foundation
package import GRDB

package enum Search {
  /// Returns the names of all search indexes.
  package static func indexes(_ db: Database) throws -> [String] {
    try db.texts(
      """
      SELECT name FROM sqlite_schema
      WHERE name GLOB '_daybook_search_*' AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name
      """)
  }

  /// Returns the name of a collection's search index, which contains the collection's number in
  /// this read model.
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
  /// Whether collections have changed rows that search does not find yet by what they show.
  /// - Parameter names: the collections; nil for all. Unknown names are left out.
  package func hasSearchBacklog(_ names: [String]?) throws(ProjectionError) -> Bool {
    guard let names else {
      let query = try sql("SELECT 1 FROM _daybook_unindexed LIMIT 1")
      defer { query.reset() }
      return try query.step()
    }
    let query = try sql("SELECT 1 FROM _daybook_unindexed WHERE collection = ? LIMIT 1")
    defer { query.reset() }
    for name in names {
      guard let identity = schema[name]?.identity, let table = projector.knownTable(identity) else {
        continue
      }
      query.reset()
      try query.bind(1, table.number)
      if try query.step() { return true }
    }
    return false
  }

  /// Returns the entities whose searchable fields match, best first.
  /// - Throws: ``ProjectionError`` `unknownName` if the collection is not declared or not
  ///   searchable, `invalidQuery` if the query asks for nothing or the limit is negative; what
  ///   SQLite throws.
  package func search(_ request: SearchRequest) throws(ProjectionError) -> [SearchHit] {
    guard request.limit >= 0 else {
      throw ProjectionError(
        .invalidQuery, "a limit of \(request.limit) makes no sense",
        hint: "Give a number of at least 0")
    }
    let collections = try searched(request.collections)
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

  /// Searches for all words and, if no entity has all of them, for any.
  /// - Returns: the hits, and which of the two has found them.
  package func searchAllOrAny(_ request: SearchRequest) throws(ProjectionError) -> (
    hits: [SearchHit], match: SearchMatch
  ) {
    var request = request
    request.match = .all
    let hits = try search(request)
    // A query of one word would find the same again.
    guard hits.isEmpty, request.limit > 0, try hasChoice(request) else { return (hits, .all) }
    request.match = .any
    let found = try search(request)
    return (found, found.isEmpty ? .all : .any)
  }

  private func hasChoice(_ request: SearchRequest) throws(ProjectionError) -> Bool {
    for collection in try searched(request.collections) {
      let query = try SearchQuery(request.text, fields: collection.searchable.map(\.name))
      if query.hasChoice { return true }
    }
    return false
  }

  private func searched(_ names: [String]?) throws(ProjectionError) -> [CollectionSchema] {
    guard let names else { return schema.sorted.filter { !$0.searchable.isEmpty } }
    var collections: [CollectionSchema] = []
    for name in names {
      guard let collection = schema[name] else { throw unknown(name) }
      guard !collection.searchable.isEmpty else {
        throw Self.unsearched(name)
      }
      if !collections.contains(where: { $0.name == name }) { collections.append(collection) }
    }
    return collections
  }

  private static func unsearched(_ name: String) -> ProjectionError {
    ProjectionError(
      .unknownName, "no field of “\(name)” is searchable",
      hint: "Define one with \"search\":true")
  }

  private func search(
    _ request: SearchRequest, _ collection: CollectionSchema, _ hits: inout [SearchHit]
  ) throws(ProjectionError) {
    if request.isTyped, !SearchQuery.asksForAWord(request.text) { return }
    let query = try SearchQuery(
      request.text, fields: collection.searchable.map(\.name), match: request.match,
      takesBeginnings: request.takesBeginnings)
    guard let table = projector.knownTable(collection.identity) else {
      throw ProjectionError.damaged("the collection \(collection.name) has no number")
    }
    // In a script in which each character is a word, twelve words say little.
    let isUnspaced = SearchTokenizer.words(of: request.text).contains(where: \.isAlone)
    let snippet = SearchSnippet(
      reach: isUnspaced ? Self.charactersMax : Self.wordsMax, markers: request.markers)
    let weights = SearchWeights(collection, request.weights[collection.name])
    guard !weights.isEmpty else { throw Self.unsearched(collection.name) }
    let rows = try rows(of: query, table, weights, reach: snippet.reach, limit: request.limit)
    guard !rows.isEmpty else { return }
    let texts = try SearchedTexts(sql, table)
    let ids = try sql("SELECT id FROM \(table.quotedName) WHERE _rowid_ = ?")
    for row in rows {
      ids.reset()
      try ids.bind(1, row.number)
      guard try ids.step() else { continue }
      let id = ids.text(0)
      let text = try texts.text(row.number, row.places.column)
      hits.append(
        SearchHit(
          collection: collection.name, id: id, score: row.score,
          snippet: try snippet.text(text, row.places)))
    }
    ids.reset()
  }

  /// The most words of a snippet, and the most if characters are words.
  private static let (wordsMax, charactersMax) = (12, 40)

  /// A row that matches a query.
  private struct FoundRow {
    var number: Int64
    var score: Double
    var places: SearchPlaces
  }

  /// Returns the rows that match a query, best first.
  private func rows(
    of query: SearchQuery, _ table: CollectionTable, _ weights: SearchWeights, reach: Int,
    limit: Int
  ) throws(ProjectionError) -> [FoundRow] {
    // FTS5's own order by rank would compute each rank twice, and look up each beginning of a word
    // three times.
    let index = table.searchName
    let statement = try sql(
      """
      SELECT rowid, daybook_rank(\(index)\(weights.sql)), daybook_places(\(index), ?1) FROM \(index)
      WHERE \(index) MATCH ?2 ORDER BY 2, 1 LIMIT ?3
      """)
    defer { statement.reset() }
    try statement.bind(1, reach)
    try statement.bind(2, weights.limiting(query.expression))
    try statement.bind(3, limit)
    var rows: [FoundRow] = []
    while try statement.step() {
      rows.append(
        FoundRow(
          number: statement.integer(0), score: -statement.real(1),
          places: SearchPlaces(statement.blob(2))))
    }
    return rows
  }
}

/// What words count in the searched fields of a collection.
private struct SearchWeights {
  /// By searched column; nil for one in which nothing is looked for.
  private let weights: [Double?]

  /// - Parameter given: the weights of some fields, by their first names; nil for those of the
  ///   store.
  init(_ collection: CollectionSchema, _ given: [String: Double]?) {
    weights = collection.searchable.map { field in
      given.map { $0[field.identity] } ?? field.searchWeight
    }
  }

  /// Whether nothing is looked for in any column.
  var isEmpty: Bool { weights.allSatisfy { $0 == nil } }

  /// The weights as further arguments of the rank.
  var sql: String {
    let weights = weights.map { $0 ?? 1 }
    return weights.allSatisfy { $0 == 1 }
      ? "" : weights.map { ", \(Self.weightSQL($0))" }.joined()
  }

  /// Returns an expression of FTS5 that looks only into the columns with a weight.
  func limiting(_ expression: String) -> String {
    guard weights.contains(where: { $0 == nil }) else { return expression }
    let columns = weights.indices.filter { weights[$0] != nil }.map { "c\($0)" }
    return "{\(columns.joined(separator: " "))} : (\(expression))"
  }

  /// Returns a weight between a thousand-millionth and a thousand million. Occurrences are added up
  /// by their weights, so larger and smaller ones are clamped.
  private static func weightSQL(_ weight: Double) -> String {
    String(format: "%.9f", min(max(weight, 1e-9), 1e9))
  }
}
