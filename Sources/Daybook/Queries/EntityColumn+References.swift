import DaybookEngine
import DaybookEventCore
import DaybookProjections

/// Ids of entities, and optional ones: what refers to an entity.
public protocol EntityReference<Target>: FieldValue {
  /// The type of the entities that it refers to.
  associatedtype Target: Entity
}
extension EntityID: EntityReference where E: Entity {
  public typealias Target = E
}
extension Optional: EntityReference where Wrapped: EntityReference {
  public typealias Target = Wrapped.Target
}

extension EntityReference {
  /// The id of the entity; nil if it refers to none.
  var target: EntityID<Target>? {
    guard case .text(let id) = storedValue else { return nil }
    return EntityID(rawValue: id)
  }
}

/// The fields of the entity that a field refers to.
///
/// ```swift
/// Note.where { $0.folder.name == "Inbox" }
/// Note.where { $0.folder.parent.name.hasPrefix("A") }.order { $0.folder.name }
/// ```
/// They hold nothing if the field refers to no entity, or to one that is deleted, hidden or not
/// here yet. So they are optional, as in `folder?.name`: nil equals nil, and differs from every
/// value.
///
/// In SQL: `LEFT JOIN folders ON folders.id = notes.folder`.
extension EntityColumn where V: EntityReference {
  /// A field of the entity that the field refers to.
  ///
  /// A property whose name a condition has itself, such as `count`, is written in brackets:
  /// `$0.folder[\.count]`.
  @_disfavoredOverload
  public subscript<W>(dynamicMember property: KeyPath<V.Target, W>) -> EntityColumn<Model, W?> {
    followed(property)
  }

  /// An optional field of the entity that the field refers to.
  public subscript<W>(dynamicMember property: KeyPath<V.Target, W?>) -> EntityColumn<Model, W?> {
    followed(property)
  }

  /// A field of the entity that the field refers to.
  @_disfavoredOverload
  public subscript<W>(_ property: KeyPath<V.Target, W>) -> EntityColumn<Model, W?> {
    followed(property)
  }

  /// An optional field of the entity that the field refers to.
  public subscript<W>(_ property: KeyPath<V.Target, W?>) -> EntityColumn<Model, W?> {
    followed(property)
  }

  private func followed<W>(_ property: PartialKeyPath<V.Target>) -> EntityColumn<Model, W> {
    if let place {
      let column: EntityColumn<V.Target, W> = place.followed(property, from: fragment)
      return EntityColumn<Model, W>(column)
    }
    return EntityColumn<Model, W>(
      SQLFragment(
        "NULL",
        error: fragment.error
          ?? StoreError(
            .invalidQuery, "\(fragment.shown) is computed, so that no reference can be followed",
            hint: "Follow a property of the type")), type)
  }

  /// Whether the field refers to one of a query's entities.
  ///
  /// ```swift
  /// let work = Folder.where { $0.name.hasPrefix("Work") }
  /// Note.where { $0.folder.in(work) }
  /// ```
  ///
  /// In SQL: `column IN (SELECT id FROM …)`.
  public func `in`(_ query: EntityQuery<V.Target>) -> EntityCondition<Model> {
    EntityCondition(fragment + " IN (" + query.selecting(query.table.id) + ")")
  }
}
