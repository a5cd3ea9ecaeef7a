public import EventCore
import Foundation
import Projections

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
/// A migration is one event. A record of it is part of the same event and is synced, so a device
/// that has received it does not run the migration again. Two devices that run it independently
/// write the same values, if the migration follows from the data alone: it uses no clock, no random
/// numbers and no new ids. Then they converge without a conflict.
///
/// An app that is older goes on as before: it shows the fields that it knows, with the migrated
/// values, and what it writes afterwards is not migrated.
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
  ///   - body: the changes. An error undoes all of them, and the store is not opened.
  public init(
    _ number: Int, _ name: String, body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) {
    self.number = number
    self.name = name
    self.body = body
  }

  /// The collection of the records.
  static let collection = "daybook_migrations"

  /// A record's id follows from the number, so that two devices make the same one.
  static let definition = Definition(
    collection, [.integer("number"), .text("name")]
  ).keyed(by: "number")
}

extension Store {
  /// Runs the migrations of which the store has no record.
  /// - Throws: ``StoreError`` `invalidQuery` if two have the same number, or one is less than 1;
  ///   what a migration throws.
  func migrate(_ migrations: [Migration]) async throws {
    guard !migrations.isEmpty else { return }
    let numbers = migrations.map(\.number)
    guard Set(numbers).count == numbers.count, numbers.allSatisfy({ $0 > 0 }) else {
      throw StoreError(
        .invalidQuery, "the migrations have the numbers \(numbers)",
        hint: "Give each a number of its own, from 1")
    }
    let done = try await recordedMigrations()
    for migration in migrations.sorted(by: { $0.number < $1.number })
    where !done.contains(migration.number) {
      try await write(label: "migration \(migration.number)") { tx in
        // Another process may have been faster.
        let record: [String: Value] = [
          "number": .integer(Int64(migration.number)), "name": .text(migration.name),
        ]
        try tx.define(Migration.definition)
        let id = try KeyCheck.derivedID(record, try tx.collection(Migration.collection))
        guard try tx.fetch(Migration.collection, id) == nil else { return }
        try migration.body(tx)
        try tx.insert(Migration.collection, id, record)
      }
    }
  }

  private func recordedMigrations() async throws -> Set<Int> {
    try await read { db, schema in
      guard schema[Migration.collection] != nil else { return [] }
      var numbers: Set<Int> = []
      try db.forEachRow("SELECT number FROM \(Migration.collection)") { row in
        numbers.insert(Int(row.integer(0)))
      }
      return numbers
    }
  }
}
