import DaybookEventCore

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// What the reference model knows of single writes: for comparison with histories and conflicts.
struct ExpectedHistory {
  struct Item {
    let reference: OperationReference
    let key: OrderKey
    let operation: Operation
    let change: ReferenceEntity.Change
  }

  let model: ReferenceModel
  /// Every operation of every transaction that can be read.
  private(set) var operations: [OperationReference: Operation] = [:]
  /// The writes to each entity, in the total order.
  private(set) var items: [ReferenceName: [ReferenceName: [Item]]] = [:]

  init(_ events: [ReplicaID: [EncodedEvent]], _ model: ReferenceModel) {
    self.model = model
    for (origin, encoded) in events {
      for event in ReferenceEvent.read(encoded, of: origin)
      where event.envelope?.kind == .transaction {
        let order = model.order.order(
          of: event.id, authored: event.envelope?.authored ?? .zero, seen: event.seen)
        for (position, operation) in (event.operations ?? []).enumerated() {
          let reference = OperationReference(event: event.id, operation: UInt32(position))
          operations[reference] = operation
          let key = OrderKey(order, operation: UInt32(position))
          guard
            let (collection, id, change) = ReferenceModel.change(
              operation, key, event.envelope?.authored ?? .zero, event.seen)
          else { continue }
          items[collection, default: [:]][id, default: []].append(
            Item(reference: reference, key: key, operation: operation, change: change))
        }
      }
    }
    for (collection, byID) in items {
      items[collection] = byID.mapValues { $0.sorted { $0.key < $1.key } }
    }
  }

  static func kind(_ operation: Operation) -> HistoryItem.Kind? {
    switch operation {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    case .restore: .restore
    case .erase: .erase
    case .edit: .edit
    case .undo(let undo): undo.isUndone ? .undo : .redo
    default: nil
    }
  }

  static func fields(_ operation: Operation) -> [String: Value] {
    switch operation {
    case .insert(_, _, let fields), .update(_, _, let fields): fields
    default: [:]
    }
  }

  /// What a write gives to each field that it names: the written values, or the text after an edit.
  static func fields(_ items: [Item], at index: Int) -> [String: Value] {
    guard case .edit(let edit) = items[index].operation else {
      return fields(items[index].operation)
    }
    let then = ReferenceEntity(items[...index].map(\.change))
    return [edit.field: then.fields[ReferenceName(edit.field)]?.value ?? .null]
  }

  /// Whether the entity shows a write in a field.
  static func isCurrent(_ item: Item, _ field: ReferenceName, _ entity: ReferenceEntity?) -> Bool {
    if let entity, ReferenceEntity.isUndone(item.change, by: entity.changes) { return false }
    guard case .edit = item.operation else {
      return entity?.fields[field]?.reference == item.reference
    }
    guard let entity, entity.editCounts[field] ?? 0 > 0 else { return false }
    return entity.fields[field]?.reference == item.change.baseReference
      && !entity.unfit.contains { $0.field == field && $0.edit == item.reference }
  }

  /// The text of an edit's base with all edits of it, and whether the field shows it.
  private func line(_ item: Item, _ all: [Item], _ field: ReferenceName, _ entity: ReferenceEntity?)
    -> (text: Value, wins: Bool)
  {
    guard let base = all.first(where: { $0.reference == item.change.baseReference }) else {
      return (.null, false)
    }
    let written = Self.fields(base.operation)
    if case .edit = base.operation { return (.null, false) }
    if base.change.kind != .insert, written[field.text] == nil { return (.null, false) }
    let own = all.map(\.change).filter {
      $0.edit.map { ReferenceName($0.field) } == field && $0.baseReference == base.reference
    }
    let assigned = written[field.text] ?? .null
    let undos = all.map(\.change).filter { $0.kind == .undo }
    let merged = ReferenceTexts.merge(own, undos, base: base.change.write(.null), assigned)
    let shown = entity?.base(of: field) == base.reference
    return (merged.count > 0 ? .text(merged.text) : assigned, shown)
  }

  /// A conflict as the read model should list it.
  func conflict(_ conflict: ReferenceConflict) -> Conflict {
    Conflict(
      collection: conflict.collection.shown.text, id: conflict.id?.text, field: conflict.field.text,
      attribute: conflict.attribute.text,
      writes: conflict.frontier.map { reference in
        let all = conflict.id.flatMap { items[conflict.collection]?[$0] } ?? []
        if let item = all.first(where: { $0.reference == reference }), item.change.edit != nil,
          let id = conflict.id
        {
          let entity = model.entities[conflict.collection]?[id]
          let line = line(item, all, conflict.field, entity)
          return Conflict.Write(
            event: reference.event, operation: reference.operation, value: line.text,
            wins: line.wins)
        }
        return Conflict.Write(
          event: reference.event, operation: reference.operation,
          value: value(of: reference, in: conflict), isDeletion: isDeletion(reference),
          wins: winner(of: conflict) == reference)
      }, isLocal: conflict.collection.isLocal)
  }

  private func isDeletion(_ reference: OperationReference) -> Bool {
    switch operations[reference] {
    case .delete, .erase: true
    default: false
    }
  }

  private func winner(of conflict: ReferenceConflict) -> OperationReference? {
    guard let id = conflict.id else {
      return model.definitions[Self.register(conflict)]?.reference
    }
    let entity = model.entities[conflict.collection]?[id]
    return conflict.field.text.isEmpty
      ? entity?.existence?.write(.null).reference : entity?.fields[conflict.field]?.reference
  }

  private func value(of reference: OperationReference, in conflict: ReferenceConflict) -> Value {
    guard let operation = operations[reference] else { return .null }
    if conflict.id == nil {
      let register = Self.register(conflict)
      return DefinitionRegister.writes(of: operation, by: reference.event.origin)[register] ?? .null
    }
    if conflict.field.text.isEmpty {
      switch operation {
      case .insert, .restore: return .boolean(true)
      default: return .null
      }
    }
    return Self.fields(operation)[conflict.field.text] ?? .null
  }

  private static func register(_ conflict: ReferenceConflict) -> DefinitionRegister {
    DefinitionRegister(
      collection: conflict.collection, field: conflict.field, attribute: conflict.attribute)
  }
}

extension ReferenceEntity {
  /// As users see it; nil where it is not live.
  func shown(_ collection: ReferenceName, _ id: String, by schema: ReferenceSchema) -> StoredEntity?
  {
    guard isLive else { return nil }
    let writes = fields.values.map { ($0.key, $0.reference) }
    let edit = lastEdit.map { [($0.key, $0.reference)] } ?? []
    let all = writes + edit + (existence.map { [($0.key, $0.write(.null).reference)] } ?? [])
    guard let last = all.max(by: { $0.0 < $1.0 }) else { return nil }
    var values: [String: Value] = [:]
    let columns = schema.collections[collection]?.columns ?? []
    for (name, write) in fields where write.value != .null { values[name.text] = write.value }
    for column in columns {
      values[column.identity.text] = nil
      values[column.name.text] = nil
    }
    for column in columns {
      values[column.name.text] =
        column.showsPreset(self) ? column.presetValue : fields[column.identity]?.value ?? .null
      if let kept = column.kept { values[column.name.text] = fact(kept) }
      if values[column.name.text] == .null { values[column.name.text] = nil }
    }
    return StoredEntity(
      collection: collection.shown.text, id: id, fields: values,
      version: EntityVersion(event: last.1.event, operation: last.1.operation))
  }

  private func fact(_ kept: KeptFact) -> Value {
    // 9999-12-31 23:59:59.999, the last moment that a timestamp can hold.
    func time(_ milliseconds: Int64) -> Value { .timestamp(min(milliseconds, 253_402_300_799_999)) }
    return switch kept {
    case .created: created.map(time) ?? .null
    case .modified: time(modified)
    case .version: .integer(Int64(version))
    }
  }
}
