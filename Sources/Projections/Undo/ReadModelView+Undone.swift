package import DaybookEventCore

extension ReadModelView {
  /// Returns whether an event is undone for an entity; nil if the entity is not known.
  ///
  /// Cost: a look-up.
  package func isUndone(_ event: EventID, for collection: String, _ id: String) throws -> Bool? {
    try record(collection, isLocal: event.origin.isPrivate, id).map { record in
      record.state.undone?.contains(event) ?? false
    }
  }
}
