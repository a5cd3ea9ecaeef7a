public import DaybookEventCore

/// An entity that was deleted and can be restored: it was neither erased nor inserted again.
public struct DeletedEntity: Hashable, Sendable {
  /// The collection.
  public var collection: String
  /// The id, by which the entity is restored.
  public var id: String
  /// The values that it would show if it were restored, by the fields' names; a field that is
  /// absent is NULL.
  public var fields: [String: Value]
  /// The event that deleted it. If several did, the one that ranks highest.
  public var event: EventID
  /// The times of that event.
  public var times: EventTimes
  /// The actor of that event.
  public var actor: String
  /// The label of that event.
  public var label: String

  /// Makes a deleted entity, for example for a preview or a test.
  public init(
    collection: String, id: String, fields: [String: Value], event: EventID, times: EventTimes,
    actor: String, label: String
  ) {
    self.collection = collection
    self.id = id
    self.fields = fields
    self.event = event
    self.times = times
    self.actor = actor
    self.label = label
  }

  /// The value that a field would show; NULL if it has none.
  public subscript(field: String) -> Value { fields[field] ?? .null }
}
