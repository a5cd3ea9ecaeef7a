package import DaybookEventCore

/// Why an entity is not live any more.
package struct EntityRemoval: Sendable {
  package enum Kind: Sendable { case deletion, erasure, undo }

  package var kind: Kind
  package var event: EventID
  /// The actor of the event; nil if the event cannot be read.
  package var actor: String?
  /// What was deleted, if it can be restored and the event can be read.
  package var entity: DeletedEntity?
}

extension ReadModelView {
  /// Returns why an entity is not live any more; nil if it is live, or if no write says so.
  package func removal(_ collection: String, _ id: String) throws -> EntityRemoval? {
    guard let record = try record(collection, id), !record.state.isLive else { return nil }
    let state = record.state
    let cause: (kind: EntityRemoval.Kind, ref: WriteRef)? =
      if let existence = state.existence, UInt64(existence.kind) == OperationKind.delete {
        (.deletion, existence.ref)
      } else if let floor = state.floor {
        (.erasure, floor)
      } else {
        try state.undone?.last.max { try index.isOrdered($0, before: $1) }.map { (.undo, $0) }
      }
    guard let cause else { return nil }
    let event = EventID(index.origin(cause.ref.origin).id, cause.ref.sequence)
    // An event that is being written is not in the log yet.
    guard let body = try? body(of: event) else {
      return EntityRemoval(kind: cause.kind, event: event)
    }
    var removal = EntityRemoval(kind: cause.kind, event: event, actor: body.actor)
    if cause.kind == .deletion, state.insertion != nil {
      removal.entity = DeletedEntity(
        collection: record.table.name, id: record.id,
        fields: record.table.shown(record.values, try projector.entities.facts(of: record)),
        event: event, times: try times(of: event) ?? .unknown, actor: body.actor,
        label: body.label)
    }
    return removal
  }
}
