public import DaybookEngine
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

  /// Returns the events in which other stores have run a migration.
  private func runs(of number: Int) throws -> [EventID] {
    var ids: [String] = []
    try database.forEachRow("SELECT id FROM \(Migration.collection) WHERE number = \(number)") {
      ids.append($0.text(0))
    }
    return try ids.flatMap { id in
      try history(of: EntityKey(collection: Migration.collection, id: id))
        .filter { $0.kind == .insert }.map(\.event)
    }
  }
}
