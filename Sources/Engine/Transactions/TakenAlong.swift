package import DaybookEventCore
package import DaybookProjections

/// What an event has taken along with entities that went in it: what referred to one of them and
/// was deleted, or has lost its reference.
///
/// It does not matter which rules the references have now. Something that another entity of the
/// event has taken along as well stays away until that one is back, too.
package struct TakenAlong {
  /// A reference that an event has taken away.
  package struct Released {
    package var schema: CollectionSchema
    package var id: String
    var field: FieldSchema
    /// What it referred to.
    var target: String
  }

  /// Something with a reference to an entity that went.
  private enum Referrer {
    case deleted(CollectionSchema, String)
    case released(Released)
  }

  private struct Target: Hashable {
    var collection: String
    /// As bytes: texts that Unicode holds to be equivalent are different ids.
    var id: [UInt8]

    init(_ collection: String, _ id: String) {
      self.collection = collection
      self.id = Array(id.utf8)
    }
  }

  private var referrers: [Target: [Referrer]] = [:]
  /// The references that the event has taken away, by the entities that had them.
  private var released: [Target: [Released]] = [:]
  /// The entities that the event has taken away, each with what else it cannot be without.
  private var gone: [Target: [Target]] = [:]

  /// Reads an event.
  ///
  /// Cost: a look-up for each of its operations, and for each reference that it has taken away a
  /// read of the log.
  /// - Parameters:
  ///   - event: the event, whose other writes are passed over.
  ///   - transaction: the transaction that takes it back; its own event may be meant.
  package init(_ event: EventID, transaction: WriteTransaction) throws {
    let projector = try transaction.projected()
    let types = transaction.writer.types
    let operations =
      event == transaction.event && !transaction.isEmpty
      ? transaction.operations : try projector.operations(of: event)
    for operation in operations {
      guard let (collection, id) = operation.entity, let schema = transaction.schema[collection]
      else { continue }
      switch operation {
      case .delete:
        let handle = try projector.handle(schema, id)
        guard handle.deletion == event else { continue }
        let values = handle.values
        var needed: [Target] = []
        for field in schema.fields.map({ types.ruled($0, of: schema) }) {
          guard let collection = field.references, case .text(let id)? = values[field.identity]
          else { continue }
          let target = Target(collection, id)
          referrers[target, default: []].append(.deleted(schema, handle.id))
          if field.onDelete == .cascade { needed.append(target) }
        }
        gone[Target(collection, id)] = needed
      case .undo:
        if try !projector.handle(schema, id).isLive { gone[Target(collection, id)] = [] }
      case .update(_, _, let fields):
        for field in schema.fields.map({ types.ruled($0, of: schema) })
        where fields[field.identity] == .null {
          guard let collection = field.references else { continue }
          let handle = try projector.handle(schema, id)
          guard handle.writer(of: field.identity) == event,
            case .text(let target) = try handle.earlierValue(of: field.identity)
          else { continue }
          let reference = Released(schema: schema, id: id, field: field, target: target)
          referrers[Target(collection, target), default: []].append(.released(reference))
          released[Target(schema.name, id), default: []].append(reference)
        }
      default: continue
      }
    }
  }

  /// Returns what went along with entities, and with what went along with these.
  /// - Parameter entities: entities that the event has deleted, or that have gone by it.
  /// - Returns: the entities that were deleted, each behind one that it refers to; and the
  ///   references to all of these, and of these, that were taken away.
  package func all(with entities: [(CollectionSchema, String)]) -> (
    deleted: [(schema: CollectionSchema, id: String)], released: [Released]
  ) {
    var excluded: Set<Target> = []
    while true {
      let (deleted, released, seen) = reach(from: entities, without: excluded)
      let lacking = deleted.map { Target($0.schema.name, $0.id) }.filter { entity in
        (gone[entity] ?? []).contains { gone[$0] != nil && !seen.contains($0) }
      }
      guard !lacking.isEmpty else { return (deleted, released) }
      excluded.formUnion(lacking)
    }
  }

  private func reach(
    from entities: [(CollectionSchema, String)], without excluded: Set<Target>
  )
    -> (
      deleted: [(schema: CollectionSchema, id: String)], released: [Released],
      seen: Set<Target>
    )
  {
    var queue = entities.map { (schema: $0.0, id: $0.1) }
    var released: [Released] = []
    var seen = Set(entities.map { Target($0.0.name, $0.1) })
    var next = 0
    while next < queue.count {
      let entity = queue[next]
      next += 1
      for referrer in referrers[Target(entity.schema.name, entity.id)] ?? [] {
        switch referrer {
        case .released(let reference): released.append(reference)
        case .deleted(let schema, let id):
          let target = Target(schema.name, id)
          guard !excluded.contains(target), seen.insert(target).inserted else { continue }
          queue.append((schema, id))
          released += self.released[target] ?? []
        }
      }
    }
    return (Array(queue[entities.count...]), released, seen)
  }
}
