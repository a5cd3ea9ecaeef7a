import DaybookEngine
import DaybookEventCore
import DaybookProjections
import GRDB

extension Store {
  /// How a search takes the words that a person has typed.
  public enum WordMatch: Sendable {
    /// Each word occurs as it is, or in another form of the same stem.
    case words
    /// Each word is the beginning of one that occurs: “prog” finds “Programming”.
    case beginnings
  }
}

extension Store {
  /// Searches the entities of a type for what a person has typed, and returns the best first.
  ///
  /// All words must occur in the searched fields. No text is an error: one without a word finds
  /// nothing.
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
    _ type: E.Type, for text: String, matching words: Store.WordMatch = .words, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) async throws -> [EntityHit<E>] {
    let search = TypedSearch(types: [E.self], text: text, words: words, limit: limit, markers)
    return try await searching(search.request.collections) { snapshot in
      try search.hits(snapshot.view, snapshot.database).compactMap { $0.typed() }
    }
  }

  /// Searches the entities of several types for what a person has typed, and returns the best
  /// first.
  ///
  /// All words must occur in the searched fields of one entity. What is typed is never an error: a
  /// text without a word finds nothing.
  /// - Parameters:
  ///   - types: the types of the entities; each has searched fields.
  ///   - text: the words; `"a phrase"`, `swif*` for a beginning, `-word` for what must not occur,
  ///     `a OR b`, `title:word` for one field.
  ///   - words: whether each word may be the beginning of a longer one.
  ///   - limit: the most hits of all types together, at least 0.
  ///   - markers: the texts before and after a found word in a snippet.
  /// - Throws: ``StoreError`` `unknownName` if no field of one of the types is searched;
  ///   `invalidQuery` for a negative limit.
  public func search(
    _ types: [any Entity.Type], for text: String, matching words: Store.WordMatch = .words,
    limit: Int = 20, markers: (open: String, close: String) = ("[", "]")
  ) async throws -> [AnyEntityHit] {
    let search = TypedSearch(types: types, text: text, words: words, limit: limit, markers)
    return try await searching(search.request.collections) {
      try search.hits($0.view, $0.database)
    }
  }

  /// Returns the hits of a search: now, and after every change; see
  /// ``search(_:for:matching:limit:markers:)->[EntityHit<E>]``.
  public func observe<E: Entity>(
    search type: E.Type, for text: String, matching words: Store.WordMatch = .words,
    limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) -> LiveValues<[EntityHit<E>]> {
    let search = TypedSearch(types: [E.self], text: text, words: words, limit: limit, markers)
    return LiveValues(store: self, scope: ChangeFeed.Scope(collections: [E.collection])) { store in
      try await store.searching(search.request.collections) { snapshot in
        let hits: [EntityHit<E>] = try search.hits(snapshot.view, snapshot.database).compactMap {
          $0.typed()
        }
        let (_, rows) = try EntityRows<E>(
          snapshot.database, E.where { $0.id.in(hits.map(\.entity.id)) }.statement
        ).hashed()
        return (
          hits, ValueMark(HitMark(rows: rows, texts: hits.map { "\($0.score)\($0.snippet)" }))
        )
      }
    }
  }
}

extension Store {
  /// Returns where a search finds entities of a type, without reading them: now, and after every
  /// change. They may be long, and a list shows little of them.
  package func observe<E: Entity>(
    matchesOf type: E.Type, for text: String, matching words: Store.WordMatch = .words,
    limit: Int = 20
  ) -> LiveValues<[EntityMatch<E>]> {
    let search = TypedSearch(types: [E.self], text: text, words: words, limit: limit, ("", ""))
    return LiveValues(store: self, scope: ChangeFeed.Scope(collections: [E.collection])) { store in
      try await store.searching(search.request.collections) { snapshot in
        let matches = try snapshot.view.search(search.request).map { hit in
          EntityMatch<E>(
            id: E.ID(rawValue: hit.id), score: hit.score, excerpt: Store.SearchExcerpt(hit.snippet))
        }
        return (matches, ValueMark(matches))
      }
    }
  }
}

/// A search for entities of some types.
struct TypedSearch: Sendable {
  let types: [any Entity.Type]
  let request: SearchRequest
  let markers: (open: String, close: String)

  init(
    types: [any Entity.Type], text: String, words: Store.WordMatch, limit: Int,
    _ markers: (open: String, close: String)
  ) {
    var request = SearchRequest(text, limit: limit, markers: Store.SearchExcerpt.internalMarkers)
    request.collections = types.map { $0.collection }
    request.takesBeginnings = words == .beginnings
    request.isTyped = true
    for type in types { request.weights[type.collection] = type.searchWeights }
    (self.types, self.request, self.markers) = (types, request, markers)
  }

  func hits(_ view: ReadModelView, _ db: Database) throws -> [AnyEntityHit] {
    let found = try view.search(request)
    var entities: [Graph.Vertex: any Entity] = [:]
    for type in types {
      let ids = found.filter { $0.collection == type.collection }.map(\.id)
      try type.add(ids, to: &entities, db)
    }
    return found.compactMap { hit in
      entities[Graph.Vertex(hit.collection, hit.id)].map { entity in
        let excerpt = Store.SearchExcerpt(hit.snippet)
        return AnyEntityHit(
          entity: entity, score: hit.score, excerpt: excerpt, snippet: excerpt.marked(markers))
      }
    }
  }
}

extension Entity {
  /// What a word counts in each searched field, by the field's first name.
  fileprivate static var searchWeights: [String: Double] {
    var weights: [String: Double] = [:]
    for field in layoutDefinition.fields {
      guard let weight = DefinitionCheck.weight(field.attributes["search"]) else { continue }
      weights[field.name] = weight
    }
    return weights
  }

  /// Adds the entities of these ids, by collection and id.
  fileprivate static func add(
    _ ids: [String], to entities: inout [Graph.Vertex: any Entity], _ db: Database
  ) throws {
    for (id, entity) in try fetch(ids.map { ID(rawValue: $0) }, db) {
      entities[Graph.Vertex(id)] = entity
    }
  }
}

extension AnyEntityHit {
  /// The same hit, if its entity is of a type.
  func typed<E: Entity>() -> EntityHit<E>? {
    (entity as? E).map {
      EntityHit(entity: $0, score: score, excerpt: excerpt, snippet: snippet)
    }
  }
}

/// What tells the hits of a search from others.
private struct HitMark: Equatable, Sendable {
  var rows: [RowHash]
  var texts: [String]
}
