import DaybookEngine
public import DaybookProjections
import Foundation

/// Lists of what needs a look, for the types of an app.
extension Store {
  /// Returns the open conflicts of a type's entities.
  /// - Parameters:
  ///   - type: the type.
  ///   - id: the only entity; nil for all.
  ///   - actor: the actor of one of the writes; nil for any.
  public func conflicts<E: Entity>(
    in type: E.Type, id: EntityID<E>? = nil, by actor: String? = nil
  ) -> Listing<Conflict> {
    conflicts(in: E.collection, id: id?.rawValue, by: actor)
  }

  /// Returns the open conflicts of a type's entities as they are now, all at once.
  ///
  /// A loop over them can settle each of them, and meets those of its beginning only. Cost: that of
  /// a loop over the list, and memory for all of it.
  /// - Parameters:
  ///   - type: the type.
  ///   - id: the only entity; nil for all.
  ///   - actor: the actor of one of the writes; nil for any.
  @_disfavoredOverload
  public func conflicts<E: Entity>(
    in type: E.Type, id: EntityID<E>? = nil, by actor: String? = nil
  ) async throws -> [Conflict] {
    let list: Listing<Conflict> = conflicts(in: E.self, id: id, by: actor)
    return try await list.all()
  }

  /// Returns the deleted entities of a type, the newest deletion first.
  /// - Parameters:
  ///   - type: the type.
  ///   - actor: the actor who deleted them; nil for any.
  ///   - after: only deletions that this position does not select, for example `.time(lastWeek)`.
  ///   - until: only deletions that this position selects.
  ///   - words: words between white space; nil for any texts.
  public func deleted<E: Entity>(
    in type: E.Type, by actor: String? = nil, after: Position? = nil, until: Position? = nil,
    matching words: String? = nil
  ) -> Listing<Store.DeletedEntity> {
    deleted(in: E.collection, by: actor, after: after, until: until, matching: words)
  }
}
