import DaybookEngine
public import DaybookEventCore
public import DaybookProjections
import GRDB

extension Store {
  /// Searches the full text and returns the best hits first.
  /// - Parameters:
  ///   - query: words that must all occur; `"a phrase"`, `swif*` for a beginning, `-word` for what
  ///     must not occur, `a OR b`, `title:word` for one field.
  ///   - collection: the collection to search; nil for every collection with searchable fields.
  ///   - match: with `any`, one of the words is enough. Hits with more of the words, and with rarer
  ///     ones, come first, which suits questions as people type them. Cost: reads everything that
  ///     has any of the words.
  ///   - limit: the most hits to return, at least 0.
  ///   - markers: the texts before and after a found word in a snippet.
  /// - Throws: ``StoreError`` `unknownName` or `invalidQuery`.
  public func search(
    _ query: String, in collection: String? = nil, match: SearchMatch = .all, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) async throws -> [SearchHit] {
    let request = SearchRequest(
      query, in: collection, match: match, limit: limit, markers: markers)
    return try await searching(request.collections) { try $0.view.search(request) }
  }

  /// Searches for all words and, if nothing has all of them, once more for any of them.
  /// - Parameters:
  ///   - query: as in ``search(_:in:match:limit:markers:)``.
  ///   - collection: the collection to search; nil for every collection with searchable fields.
  ///   - limit: the most hits to return, at least 0.
  ///   - markers: the texts before and after a found word in a snippet.
  /// - Returns: the hits, and how they were found; `any` only if the second search has hits.
  /// - Throws: ``StoreError`` `unknownName` or `invalidQuery`.
  public func searchAllOrAny(
    _ query: String, in collection: String? = nil, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) async throws -> (hits: [SearchHit], match: SearchMatch) {
    let request = SearchRequest(query, in: collection, limit: limit, markers: markers)
    return try await searching(request.collections) { snapshot in
      try snapshot.view.searchAllOrAny(request)
    }
  }

  /// Returns every write to an entity, in the total order: when, by which actor, and each field's
  /// old and new value.
  ///
  /// The list is empty if the entity was never written. Fields have their current names.
  public func history(of collection: String, _ id: String) async throws -> [HistoryItem] {
    try await core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      return try view.history(of: id, in: collection).map { view.schema.named($0, in: collection) }
    }
  }

  /// Returns when an event happened; nil if it is not known here.
  public func times(of event: EventID) async throws -> Store.EventTimes? {
    try await core.reads.asynchronously { try $0.view.times(of: event) }
  }
}
