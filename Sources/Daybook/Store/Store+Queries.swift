public import EventCore
import GRDB
public import Projections

extension Store {
  /// Full-text search, best first.
  /// - Parameters:
  ///   - query: words that must all occur; `"a phrase"`, `swif*` for a beginning, `-word` for what
  ///     must not occur, `a OR b`, `title:word` for one field.
  ///   - collection: where to look; nil for every collection with searchable fields.
  ///   - match: with `any`, one of the words is enough, and what has more of them, and rarer ones, comes
  ///     first: for questions as people type them. Cost: reads all that has any of the words.
  ///   - limit: the most hits to return, at least 0.
  ///   - markers: what to put before and after a word found in a snippet.
  /// - Throws: `ProjectionError` `unknownName`, `invalidQuery`; what SQLite throws.
  public func search(
    _ query: String, in collection: String? = nil, match: SearchMatch = .all, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) async throws -> [SearchHit] {
    let request = SearchRequest(
      query, in: collection, match: match, limit: limit, markers: markers)
    return try await view { view, _ in try view.search(request) }
  }

  /// The same where all words have to occur and, where nothing has all of them, once more by any of them.
  /// - Parameters: as of the other.
  /// - Returns: the hits, and how they were found; `any` only where some were.
  /// - Throws: as the other.
  public func searchAllOrAny(
    _ query: String, in collection: String? = nil, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) async throws -> (hits: [SearchHit], match: SearchMatch) {
    let request = SearchRequest(query, in: collection, limit: limit, markers: markers)
    return try await view { view, _ in try view.searchAllOrAny(request) }
  }

  /// Traversals over the relationships.
  public var graph: Graph { Graph(store: self) }

  /// Every write to an entity, in the total order: when, who, which fields from what to what. Empty
  /// for one that was never written. Fields are called as they are now.
  public func history(of id: String, in collection: String) async throws -> [HistoryItem] {
    try await view { view, _ in
      try view.history(of: id, in: collection).map { item in
        var item = item
        for index in item.changes.indices {
          let field = item.changes[index].field
          item.changes[index].field = view.schema[collection]?[field: field]?.name ?? field
        }
        return item
      }
    }
  }

  /// The registers on which authors disagree who had not seen each other's writes.
  public func conflicts() async throws -> [Conflict] {
    try await view { view, _ in try view.conflicts() }
  }

  /// Calls `body` with those registers one by one, and with who wrote what and when, in the order of
  /// collection, id and field, as long as it returns true. They are of one snapshot, and memory does not
  /// grow with how many there are.
  /// - Parameters:
  ///   - collection: one collection only.
  ///   - id: one entity of it only.
  /// - Throws: what `body`, SQLite and reading the log throw.
  public func forEachConflict(
    in collection: String? = nil, id: String? = nil,
    _ body: @escaping @Sendable (ExplainedConflict) throws -> Bool
  ) async throws {
    try await view { view, _ in try view.forEachConflict(in: collection, id: id, body) }
  }

  /// What tables do not show of live entities, and why: values that are not of their field's type,
  /// entities that are parked because an earlier one has the value of a unique field, references that
  /// make a cycle in a tree. All of it can be changed as if it were shown, and then is.
  ///
  /// Cost: a look-up for each value of a unique field; memory for what is hidden.
  public func hidden() async throws -> [HiddenValue] {
    try await view { view, _ in try view.hidden() }
  }

  /// The store as it was.
  /// - Throws: `ProjectionError` `unknownPosition`, ``StoreError`` `invalidPosition` for an event
  ///   that is not known here.
  public func at(_ position: Position) async throws -> PastStore {
    PastStore(store: self, selection: try await known(position))
  }

  /// When an event happened; nil for one that is not known here.
  public func times(of event: EventID) async throws -> EventTimes? {
    try await view { view, _ in try view.times(of: event) }
  }
}
