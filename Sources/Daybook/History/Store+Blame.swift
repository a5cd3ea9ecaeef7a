import DaybookEngine
public import DaybookEventCore
public import DaybookProjections

extension Store {
  /// The write that an entity shows in one of its fields.
  public struct FieldBlame: Hashable, Sendable {
    /// The field's current name.
    public var field: String
    /// The value that was written.
    public var value: Value
    /// The event that wrote it.
    public var event: EventID
    /// The times of the event.
    public var times: Store.EventTimes
    /// The actor who wrote it.
    public var actor: String
    /// The purpose of the write, in its author's words.
    public var label: String
    /// Whether another author wrote another value, and neither had seen the other's write.
    public var isConflict: Bool
  }
}

extension Store {
  /// Returns for each field of an entity the write whose value it shows, by the names of the
  /// fields.
  ///
  /// A field that was never written, and shows its default, is left out. The values of a deleted
  /// entity are those that it would show again.
  ///
  /// Cost: reads each event of the entity from the log.
  /// - Throws: ``StoreError``; what SQLite and reading the log throw.
  public func blame(of collection: String, _ id: String) async throws -> [Store.FieldBlame] {
    // Of a text with edits, the last one.
    var blame: [String: Store.FieldBlame] = [:]
    for item in try await history(of: collection, id) {
      for change in item.changes where change.isCurrent {
        blame[change.field] = Store.FieldBlame(
          field: change.field, value: change.to, event: item.event, times: item.times,
          actor: item.actor, label: item.label, isConflict: change.isConflict)
      }
    }
    return blame.values.sorted { utf8Less($0.field, $1.field) }
  }

  /// Returns for each part of the text that a field shows the event that wrote it, in the order of
  /// the text.
  ///
  /// Cost: reads all edits of the text from the log.
  /// - Parameters:
  ///   - collection: the collection.
  ///   - id: the id of the entity.
  ///   - field: the name of a text field.
  /// - Returns: the parts; empty if the entity was never written, or if the field shows no text.
  /// - Throws: ``StoreError`` `unknownName`; what SQLite and reading the log throw.
  public func blame(of collection: String, _ id: String, text field: String) async throws
    -> [Store.TextBlame]
  {
    try await core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      guard let schema = view.schema[collection] else {
        throw FieldCheck.unknownCollection(collection, view.schema)
      }
      guard let declared = schema[field: field] else {
        throw FieldCheck.unknownField(field, schema)
      }
      return try view.textBlame(collection, id, declared.identity)
    }
  }

  /// Returns for each field of an entity the write whose value it shows; see ``blame(of:_:)``.
  public func blame<E: Entity>(of id: EntityID<E>) async throws -> [Store.FieldBlame] {
    try await blame(of: E.collection, id.rawValue)
  }
}
