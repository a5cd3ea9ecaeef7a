package import DaybookEventCore
import DaybookProjections

extension WriteTransaction {
  /// The number of the migration that runs; nil outside of one.
  package var migration: Int? { migrated?.number }

  /// Returns the fields that a running migration may write; all of them outside of one.
  /// - Returns: nil if another store has migrated the entity, so that nothing may be written to it.
  func unmigrated(
    _ fields: [String: Value] = [:], of collection: CollectionSchema, _ id: String
  ) throws -> [String: Value]? {
    guard let migrated, !migrated.isEmpty else { return fields }
    let history = try history(before: EntityKey(collection: collection.name, id: id))
    guard let newer = try migrated.newerFields(history, projector.hasSeen) else { return nil }
    guard !newer.isEmpty else { return fields }
    return fields.filter { name, _ in
      !newer.contains(collection[field: name]?.identity ?? name)
    }
  }
}

extension WriteTransaction {
  /// Returns every write to an entity before this transaction, as it is first asked for.
  ///
  /// The log does not have this transaction's own writes, so a history with them cannot be read. If
  /// a rule about references has written to the entity before it was asked for, there is none.
  private func history(before entity: EntityKey) throws -> [HistoryItem] {
    if let known = migrated?.histories[entity] { return known }
    migrated?.note(operations)
    let isWritten = migrated?.written.contains(entity) ?? false
    let items = isWritten ? [] : try history(of: entity)
    migrated?.histories[entity] = items
    return items
  }
}

/// What other stores have migrated already, while a migration of an app runs.
package struct MigratedData {
  /// The number of the migration.
  let number: Int
  /// The histories of entities before the migration.
  fileprivate var histories: [EntityKey: [HistoryItem]] = [:]
  /// The entities that the transaction has written to, as far as its operations were noted.
  fileprivate private(set) var written: Set<EntityKey> = []
  private var notedCount = 0

  /// For each origin, the sequence of the event in which it ran the migration.
  private var since: [ReplicaID: UInt64] = [:]

  package init(runs: [EventID], number: Int) {
    self.number = number
    for run in runs { since[run.origin] = min(run.sequence, since[run.origin] ?? .max) }
  }

  var isEmpty: Bool { since.isEmpty }

  /// Notes the entities of operations that were added since the last call.
  fileprivate mutating func note(_ operations: [DaybookEventCore.Operation]) {
    // A nested transaction that failed has taken some back.
    if operations.count < notedCount { (written, notedCount) = ([], 0) }
    for operation in operations[notedCount...] {
      if let (collection, id) = operation.entity {
        written.insert(EntityKey(collection: collection, id: id))
      }
    }
    notedCount = operations.count
  }

  private func isSince(_ item: HistoryItem) -> Bool {
    since[item.event.origin].map { item.event.sequence >= $0 } ?? false
  }

  /// Whether a write is part of the migration as another store has run it.
  private func isRun(_ item: HistoryItem) -> Bool {
    item.event.sequence == since[item.event.origin]
  }

  /// Returns the fields of an entity, by their identities, that the migration must leave as they
  /// are, because a store that had migrated has written them.
  /// - Parameters:
  ///   - history: every write to the entity.
  ///   - hasSeen: whether the author of an event had seen another one.
  /// - Returns: nil if nothing may be written to the entity: such a store has inserted or migrated
  ///   it, and no older app has written to it since.
  func newerFields(
    _ history: [HistoryItem], _ hasSeen: (EventID, EventID) throws -> Bool
  ) rethrows -> Set<String>? {
    let newer = history.filter(isSince)
    let whole = newer.filter { $0.kind == .insert || isRun($0) }
    // What older apps have written, and no migration has seen.
    let late = try history.filter { item in
      try !isSince(item) && !item.changes.isEmpty
        && !whole.contains { try hasSeen($0.event, item.event) }
    }
    if !whole.isEmpty, late.isEmpty { return nil }
    var fields: Set<String> = []
    for item in newer where !isRun(item) {
      // Who has inserted the entity has not seen what was written to it later.
      let isOld = try item.kind == .insert && late.contains { try hasSeen($0.event, item.event) }
      for change in item.changes where change.isCurrent && !isOld { fields.insert(change.field) }
    }
    return fields
  }
}
