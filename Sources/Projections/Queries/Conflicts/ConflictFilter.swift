/// The conflicts to list.
package struct ConflictFilter: Sendable {
  /// The only collection; nil for all.
  package var collection: String?
  /// The only entity; nil for all, and for definitions.
  package var id: String?
  /// The only field, by its current or first name; nil for all. The empty text means whether an
  /// entity exists, or a collection's own attributes.
  package var field: String?
  /// The actor of one of the writes; nil for any.
  package var actor: String?

  package init(
    collection: String? = nil, id: String? = nil, field: String? = nil, actor: String? = nil
  ) {
    self.collection = collection
    self.id = id
    self.field = field
    self.actor = actor
  }
}
