package import DaybookEventCore

/// A live entity as a snapshot shows it, with what is needed to tell later what has become of it.
package struct ShownEntity: Sendable {
  package var entity: StoredEntity
  /// The texts of the fields whose changes merge, by the fields' first names.
  package var texts: [String: ShownText]
  /// The events that the snapshot shows, private ones included.
  package var vector: VersionVector
}

extension ReadModelView {
  /// Returns a live entity with its texts; nil if there is none.
  ///
  /// Cost: a read of the entity, and a copy of the list of origins.
  package func shownEntity(_ collection: String, _ id: String) throws -> ShownEntity? {
    guard let record = try record(collection, id), let entity = try projector.entity(record) else {
      return nil
    }
    let vector = wholeVector
    var texts: [String: ShownText] = [:]
    for field in schema[collection]?.fields ?? [] where field.merges {
      texts[field.identity] = shownText(of: record, field.identity, vector)
    }
    return ShownEntity(entity: entity, texts: texts, vector: vector)
  }

  /// Returns an event of a vector that is not known here, and whether its origin is known at all;
  /// nil if all are known.
  package func unknownEvent(of vector: VersionVector) -> (event: EventID, isOfKnownOrigin: Bool)? {
    for (origin, sequence) in vector.entries {
      let known = index.knownNumber(of: origin).map { index.origin($0).sequence } ?? 0
      if known < sequence { return (EventID(origin, sequence), known > 0) }
    }
    return nil
  }
}
