package import DaybookEventCore

/// The state of a set of events by the folding rules, computed in the plainest way: take the
/// events, put their operations in order, and fold. The projector must show the same state.
///
/// Nothing here is optimized or cached, and no code is shared with the projector.
package struct ReferenceModel {
  let isComplete: Bool
  /// Whether this software understands all private events.
  let isLocalComplete: Bool
  private(set) var tables: [String: ReferenceTable] = [:]
  private(set) var misfits: [ReferenceMisfit] = []
  private(set) var conflicts: [ReferenceConflict] = []
  /// Live entities that are not shown, because another entity owns one of their unique values.
  private(set) var parked: [ReferenceParked] = []

  /// References that read NULL, because they would close a cycle.
  private(set) var cycles: [ReferenceCycle] = []

  let order: ReferenceOrder
  let schema: ReferenceSchema
  /// The winner of each definition register.
  let definitions: [DefinitionRegister: ReferenceWrite]
  /// Every entity that an operation ever named, by collection and id.
  let entities: [ReferenceName: [ReferenceName: ReferenceEntity]]

  /// Folds a set of events.
  /// - Parameters:
  ///   - events: each origin's events, from the first on.
  ///   - selection: the events that count.
  ///   - limits: the limits on what is shown.
  init(
    events: [ReplicaID: [EncodedEvent]], until selection: ReferenceSelection = .everything,
    limits: ReferenceLimits = .standard
  ) {
    let known = events.flatMap { ReferenceEvent.read($0.value, of: $0.key) }
    let order = ReferenceOrder(selection.stamping(known))
    let selected = known.filter { selection.selects($0, order) }
    self.order = order
    isComplete = selected.allSatisfy { $0.id.origin.isPrivate || $0.isComplete }
    isLocalComplete = selected.allSatisfy { !$0.id.origin.isPrivate || $0.isComplete }

    var definitionWrites: [DefinitionRegister: [ReferenceWrite]] = [:]
    var changes: [ReferenceName: [ReferenceName: [ReferenceEntity.Change]]] = [:]
    for event in selected where event.envelope?.kind == .transaction {
      let authored = event.envelope?.authored ?? .zero
      let eventOrder = order.order(of: event.id, authored: authored, seen: event.seen)
      for (index, operation) in (event.operations ?? []).enumerated() {
        let key = OrderKey(eventOrder, operation: UInt32(index))
        let migration = DefinitionRegister.migration(of: operation)
        for (register, value) in DefinitionRegister.writes(of: operation, by: event.id.origin) {
          definitionWrites[register, default: []].append(
            ReferenceWrite(
              key: key, value: value, seen: event.seen,
              migration: register.attribute == "exists" ? 0 : migration))
        }
        if let (collection, id, change) = Self.change(operation, key, authored, event.seen) {
          changes[collection, default: [:]][id, default: []].append(change)
        }
      }
    }

    var winners: [DefinitionRegister: ReferenceWrite] = [:]
    for (register, writes) in definitionWrites {
      winners[register] = writes.winner(of: register)
    }
    definitions = winners
    schema = ReferenceSchema(definitions, limits)
    entities = changes.mapValues { $0.mapValues(ReferenceEntity.init) }
    fillTables(rowBytes: limits.rowBytes)
    listConflicts(definitionWrites, changes)
  }

  /// Folds a set of events, all of which count.
  package init(_ events: [ReplicaID: [EncodedEvent]]) { self.init(events: events) }

  static func change(
    _ operation: Operation, _ key: OrderKey, _ authored: HybridTime, _ seen: VersionVector
  ) -> (ReferenceName, ReferenceName, ReferenceEntity.Change)? {
    func change(
      _ kind: ReferenceEntity.ChangeKind, _ collection: String, _ id: String,
      _ fields: [String: Value] = [:]
    ) -> (ReferenceName, ReferenceName, ReferenceEntity.Change) {
      var named: [ReferenceName: Value] = [:]
      for (name, value) in fields { named[ReferenceName(name)] = value }
      let change = ReferenceEntity.Change(
        kind: kind, key: key, authored: authored, fields: named, seen: seen)
      return (
        ReferenceScope.collection(collection, by: key.event.id.origin), ReferenceName(id), change
      )
    }
    return switch operation {
    case .insert(let collection, let id, let fields): change(.insert, collection, id, fields)
    case .update(let collection, let id, let fields): change(.update, collection, id, fields)
    case .delete(let collection, let id): change(.delete, collection, id)
    case .restore(let collection, let id): change(.restore, collection, id)
    case .erase(let collection, let id): change(.erase, collection, id)
    case .edit(let edit):
      (
        ReferenceScope.collection(edit.collection, by: key.event.id.origin),
        ReferenceName(edit.id),
        ReferenceEntity.Change(
          kind: .edit, key: key, authored: authored, fields: [:], seen: seen, edit: edit)
      )
    case .undo(let undo):
      (
        ReferenceScope.collection(undo.collection, by: key.event.id.origin),
        ReferenceName(undo.id),
        ReferenceEntity.Change(
          kind: .undo, key: key, authored: authored, fields: [:], seen: seen, undo: undo)
      )
    case .define, .drop, .stamp, .identity, .unknown: nil
    }
  }

  private mutating func fillTables(rowBytes: Int) {
    for (name, collection) in schema.collections {
      let live = (entities[name] ?? [:]).filter(\.value.isLive).sorted { $0.key < $1.key }
      let clashes = Self.clashes(name, collection, live)
      parked += clashes
      let hidden = Set(clashes.map(\.id))
      let cuts = Self.cuts(name, collection, live)
      cycles += cuts
      var rows: [[ReferenceCell]] = []
      for (id, entity) in live where !hidden.contains(id) {
        var row: [ReferenceCell] = [.text(id)]
        var cells = collection.columns.map { $0.cell(entity) }
        Self.fit(&cells, collection, rowBytes)
        for (column, cell) in zip(collection.columns, cells) {
          if cell == nil {
            misfits.append(ReferenceMisfit(collection: name, id: id, field: column.identity))
          }
          let isCut = cuts.contains { $0.id == id && $0.field == column.identity }
          let shown = column.showsPreset(entity) ? column.preset : cell ?? column.preset
          row.append(isCut ? .null : shown)
        }
        rows.append(row)
      }
      tables[name.shown.text] = ReferenceTable(
        columns: ["id"] + collection.columns.map(\.name.text), rows: rows)
    }
    misfits.sort()
    parked.sort()
    cycles.sort()
  }

  /// Removes the values for which a row has no room. Columns with rules stay, and of the others the
  /// first that fit.
  private static func fit(
    _ cells: inout [ReferenceCell?], _ collection: ReferenceSchema.Collection, _ rowBytes: Int
  ) {
    func isRuled(_ column: ReferenceSchema.Column) -> Bool {
      column.isTree || collection.rules.contains { $0.columns.contains(column) }
        || collection.isRelationship && (column.identity == "source" || column.identity == "target")
    }
    let ruled = zip(collection.columns, cells).filter { isRuled($0.0) && $0.1 != $0.0.preset }
    var room = rowBytes - ruled.reduce(0) { $0 + ($1.1?.byteCount ?? 0) }
    for (index, column) in collection.columns.enumerated()
    where !isRuled(column) && column.kept == nil && cells[index] != column.preset {
      let bytes = cells[index]?.byteCount ?? 0
      if bytes == 0 { continue }
      if bytes <= room { room -= bytes } else { cells[index] = nil }
    }
  }

  private mutating func listConflicts(
    _ definitionWrites: [DefinitionRegister: [ReferenceWrite]],
    _ changes: [ReferenceName: [ReferenceName: [ReferenceEntity.Change]]]
  ) {
    for (register, writes) in definitionWrites {
      guard let frontier = writes.clash else { continue }
      conflicts.append(
        ReferenceConflict(
          collection: register.collection, id: nil, field: register.field,
          attribute: register.attribute, frontier: frontier))
    }
    for (collection, ids) in changes {
      for (id, changes) in ids {
        for (field, frontier) in ReferenceEntity.clashes(changes) {
          conflicts.append(
            ReferenceConflict(
              collection: collection, id: id, field: field, attribute: "", frontier: frontier))
        }
      }
    }
    conflicts.sort()
  }
}

extension ReferenceModel {
  package var state: ProjectedState {
    ProjectedState(
      tables: tables, misfits: misfits, unfit: unfitEdits, conflicts: conflicts, parked: parked,
      cycles: cycles,
      digest: digest,
      isComplete: isComplete, isLocalComplete: isLocalComplete)
  }

  private var unfitEdits: [ReferenceUnfitEdit] {
    entities.flatMap { collection, ids in
      ids.flatMap { id, entity in
        entity.unfit.map {
          ReferenceUnfitEdit(collection: collection, id: id, field: $0.field, edit: $0.edit)
        }
      }
    }.sorted()
  }

  func entity(_ collection: String, _ id: String) -> ReferenceEntity? {
    entities[ReferenceName(collection)]?[ReferenceName(id)]
  }

  /// Returns the write that decides a field, whether its entity is live or not; nil
  /// if no write counts.
  func fieldWinner(_ collection: String, _ id: String, _ field: String) -> (
    value: Value, write: OperationReference
  )? {
    guard let write = entity(collection, id)?.fields[ReferenceName(field)] else { return nil }
    return (write.value, write.reference)
  }
}
