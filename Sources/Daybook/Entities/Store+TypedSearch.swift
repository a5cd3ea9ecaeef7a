import EventCore
import GRDB
public import Projections

/// An entity that a search has found.
public struct EntityHit<Model: Entity>: Sendable {
  /// The entity.
  public var entity: Model
  /// The relevance: bm25 with the fields' weights, negated so that more is better.
  public var score: Double
  /// The part of the text around the words found, which are enclosed in the markers.
  public var snippet: String
}

/// How a search takes the words that a person has typed.
public enum WordMatch: Sendable {
  /// Each word occurs as it is, or in another form of the same stem.
  case words
  /// Each word is the beginning of one that occurs: “prog” finds “Programming”.
  case beginnings
}

extension Store {
  /// Searches the entities of a type for what a person has typed, and returns the best first.
  ///
  /// All words must occur in the searched fields. What is typed is never an error: a text without a
  /// word finds nothing.
  /// - Parameters:
  ///   - type: the type of the entities; it has searched fields.
  ///   - text: the words; `"a phrase"`, `swif*` for a beginning, `-word` for what must not occur,
  ///     `a OR b`, `title:word` for one field.
  ///   - words: whether each word may be the beginning of a longer one.
  ///   - limit: the most hits, at least 0.
  ///   - markers: the texts before and after a found word in a snippet.
  /// - Throws: ``StoreError`` `unknownName` if no field of the type is searched; `invalidQuery` for
  ///   a negative limit.
  public func search<E: Entity>(
    _ type: E.Type, for text: String, matching words: WordMatch = .words, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) async throws -> [EntityHit<E>] {
    let request = Self.request(E.self, text, words, limit, markers)
    return try await view { view, db in try Self.hits(request, view, db) }
  }

  private static func request<E: Entity>(
    _ type: E.Type, _ text: String, _ words: WordMatch, _ limit: Int,
    _ markers: (open: String, close: String)
  ) -> SearchRequest {
    var request = SearchRequest(text, in: E.collection, limit: limit, markers: markers)
    request.takesBeginnings = words == .beginnings
    request.isTyped = true
    return request
  }

  private static func hits<E: Entity>(
    _ request: SearchRequest, _ view: ReadModelView, _ db: Database
  ) throws -> [EntityHit<E>] {
    let hits = try view.search(request)
    let ids = hits.map { E.ID(rawValue: $0.id) }
    let found = try E.where { $0.id.in(ids) }.fetchAll(db)
    let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    return hits.compactMap { hit in
      byID[E.ID(rawValue: hit.id)].map {
        EntityHit(entity: $0, score: hit.score, snippet: hit.snippet)
      }
    }
  }

  /// Returns the hits of a search: now, and after every change; see
  /// ``search(_:for:matching:limit:markers:)``.
  public func observe<E: Entity>(
    search type: E.Type, for text: String, matching words: WordMatch = .words, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) -> LiveValues<[EntityHit<E>]> {
    LiveValues(store: self, scope: ChangeFeed.Scope(collections: [E.collection])) { store in
      let request = Self.request(E.self, text, words, limit, markers)
      return try await store.view { view, db in
        let hits: [EntityHit<E>] = try Self.hits(request, view, db)
        let (_, hash) = try EntityRows<E>(
          db, E.where { $0.id.in(hits.map(\.entity.id)) }.statement
        ).hashed()
        return (
          hits, ValueMark(HitMark(rows: hash, texts: hits.map { "\($0.score)\($0.snippet)" }))
        )
      }
    }
  }
}

/// What tells the hits of a search from others.
private struct HitMark: Equatable, Sendable {
  var rows: RowHash
  var texts: [String]
}
