import DaybookEventCore
import DaybookProjections
import Foundation
import GRDB

/// A change of data that an app makes once when it is upgraded.
///
/// ```swift
/// let migrations = [
///   Migration(1, "split names") { tx in
///     try tx.update(where: Person.all) { person in … }
///   }
/// ]
/// let store = try await Store.open(at: folder, schema: [Person.self], migrations: migrations)
/// ```
/// Each store runs a migration once, as one event. A record of that is part of the event and is
/// synced. It tells other stores which data this one has migrated, and that what it writes from
/// then on needs no migration. A store that runs the migration later passes over the entities that
/// such a store has inserted or migrated, unless an older app has written to them since. It also
/// passes over the fields that such a store has updated last. So nothing is migrated twice, and
/// what an older app has written is migrated as soon as that app is upgraded.
///
/// Two devices that run a migration independently write the same values, if it follows from the
/// data alone: it uses no clock, no random numbers and no new ids. Then they converge without a
/// conflict.
///
/// An app that is older goes on as before: it shows the fields that it knows, with the migrated
/// values. Its own writes are migrated only when it is upgraded.
public struct Migration: Sendable {
  /// The number, at least 1; migrations run in the order of their numbers.
  public var number: Int
  /// What it does, in words.
  public var name: String
  let body: @Sendable (WriteTransaction) throws -> Void

  /// Makes a migration.
  /// - Parameters:
  ///   - number: at least 1, and never used for another migration.
  ///   - name: what it does, in words.
  ///   - body: the changes, to shared collections only. It may run twice, at first as a trial that
  ///     is taken back. An error undoes all of it, and the store is not opened.
  public init(
    _ number: Int, _ name: String, body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) {
    self.number = number
    self.name = name
    self.body = body
  }

  /// The collection of the records.
  static let collection = "daybook_migration_runs"

  /// A record for each store: its id follows from the number and the replica.
  static let definition = Definition(
    collection, [.integer("number"), .text("name"), .text("replica")]
  ).keyed(by: "number", "replica")

  /// Returns the error that the migration has failed, or one of the store itself as it is.
  fileprivate func failure(_ cause: any Error) -> any Error {
    if let error = cause as? StoreError {
      switch error.code {
      case .noSpace, .ioFailed, .locked, .poisoned, .damaged, .damagedReadModel, .replaced,
        .closed, .readOnly:
        return error
      default: break
      }
    }
    let words = (cause as? StoreError)?.description ?? StoreError.words(cause)
    var error = StoreError(
      .migrationFailed, "migration \(number) “\(name)” has failed: \(words)",
      hint: "Correct the migration, and open the store again")
    error.cause = cause
    return error
  }
}

extension WriteTransaction {
  /// Runs a migration, and records that this store has done so.
  /// - Throws: ``StoreError`` `migrationFailed` with what the migration throws as its cause; an
  ///   error of the store itself, such as a full disk, as it is.
  func run(_ migration: Migration) throws {
    try define(Migration.definition)
    let record: [String: Value] = [
      "number": .integer(Int64(migration.number)), "name": .text(migration.name),
      "replica": .text("\(event.origin)"),
    ]
    let id = try KeyCheck.derivedID(record, try collection(Migration.collection))
    // Another process may have been faster.
    guard try fetch(Migration.collection, id) == nil else { return }
    migrated = MigratedData(runs: try runs(of: migration.number), number: migration.number)
    defer { migrated = nil }
    do { try migration.body(self) } catch { throw migration.failure(error) }
    migrated = nil
    try insert(Migration.collection, id, record)
  }

  /// The number of the migration that runs; nil outside of one.
  var migration: Int? { migrated?.number }

  /// Returns the events in which other stores have run a migration.
  private func runs(of number: Int) throws -> [EventID] {
    var ids: [String] = []
    try database.forEachRow("SELECT id FROM \(Migration.collection) WHERE number = \(number)") {
      ids.append($0.text(0))
    }
    return try ids.flatMap { id in
      try history(of: UndoneEntity(collection: Migration.collection, id: id))
        .filter { $0.kind == .insert }.map(\.event)
    }
  }

  /// Returns the fields that a running migration may write; all of them outside of one.
  /// - Returns: nil if another store has migrated the entity, so that nothing may be written to it.
  func unmigrated(
    _ fields: [String: Value] = [:], of collection: StoreSchema.Collection, _ id: String
  ) throws -> [String: Value]? {
    guard let migrated, !migrated.isEmpty else { return fields }
    let history = try history(before: UndoneEntity(collection: collection.name, id: id))
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
  private func history(before entity: UndoneEntity) throws -> [HistoryItem] {
    if let known = migrated?.histories[entity] { return known }
    migrated?.note(operations)
    let isWritten = migrated?.written.contains(entity) ?? false
    let items = isWritten ? [] : try history(of: entity)
    migrated?.histories[entity] = items
    return items
  }
}

/// What other stores have migrated already, while a migration runs.
struct MigratedData {
  /// The number of the migration.
  let number: Int
  /// The histories of entities before the migration.
  fileprivate var histories: [UndoneEntity: [HistoryItem]] = [:]
  /// The entities that the transaction has written to, as far as its operations were noted.
  fileprivate private(set) var written: Set<UndoneEntity> = []
  private var notedCount = 0

  /// For each origin, the sequence of the event in which it ran the migration.
  private var since: [ReplicaID: UInt64] = [:]

  init(runs: [EventID], number: Int) {
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
        written.insert(UndoneEntity(collection: collection, id: id))
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
