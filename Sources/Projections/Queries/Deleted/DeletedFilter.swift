package import DaybookEventCore

/// The deleted entities to list.
package struct DeletedFilter: Sendable {
  /// The only collection; nil for all that are declared.
  package var collection: String?
  /// The actor who deleted them; nil for any.
  package var actor: String?
  /// Words that must all occur in the entity's texts; nil for any texts.
  package var words: DeletedWords?
  /// Returns whether a deletion by this event, at these times, is to be listed.
  package var admits: @Sendable (EventID, EventTimes) -> Bool

  package init(
    collection: String? = nil, actor: String? = nil, matching words: String? = nil,
    admits: @escaping @Sendable (EventID, EventTimes) -> Bool = { _, _ in true }
  ) {
    self.collection = collection
    self.actor = actor
    self.words = words.map(DeletedWords.init)
    self.admits = admits
  }
}
