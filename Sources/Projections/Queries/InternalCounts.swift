package import GRDB

/// The numbers of what a read model keeps aside.
package struct InternalCounts {
  /// Conflicts that are not settled.
  package var conflicts: Int
  /// Values that do not fit the type of their field.
  package var misfits: Int
  /// Values that another entity has, and that are unique.
  package var parked: Int
  /// References that would put an entity of a tree above itself.
  package var cycles: Int

  /// Counts. Cost: reads four tables.
  package init(_ db: Database) throws {
    func count(_ table: String) throws -> Int {
      try Int.fetchOne(db, sql: "SELECT count(*) FROM _daybook_\(table)") ?? 0
    }
    conflicts = try count("conflicts")
    misfits = try count("misfits")
    parked = try count("parked")
    cycles = try count("cycles")
  }

  /// Returns the number of conflicts that are not settled.
  package static func conflicts(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM _daybook_conflicts") ?? 0
  }

  /// Returns the number of entities of some collections that have a parked value.
  /// - Parameter identities: the names of the collections in the internal tables.
  package static func parkedEntities(of identities: Set<String>, _ db: Database) throws -> Int {
    var count = 0
    try db.forEachRow("SELECT DISTINCT collection, id FROM _daybook_parked") {
      if identities.contains($0.text(0)) { count += 1 }
    }
    return count
  }
}

/// The definitions of a collection, as a query looks them up that is for another version of it.
package enum KnownDefinitions {
  /// Returns whether a field of a collection was ever defined; an empty field means the collection.
  package static func contains(_ field: String, of collection: String, _ db: Database) throws
    -> Bool
  {
    let names = [false, true].map { CollectionIdentity.of(collection, isLocal: $0) }
    var isFound = false
    try db.forEachRow(
      "SELECT 1 FROM _daybook_definitions WHERE collection IN (?, ?) AND field = ? LIMIT 1",
      arguments: [names[0], names[1], field]
    ) { _ in isFound = true }
    return isFound
  }

  /// Returns the current names of a collection's renamed fields, by the names that they were
  /// defined with.
  package static func renamedFields(of collection: String, _ db: Database) throws
    -> [String: String]
  {
    var renamed: [String: String] = [:]
    try db.forEachRow(
      "SELECT field, name FROM _daybook_renamed WHERE collection = ?", arguments: [collection]
    ) {
      renamed[$0.text(0)] = $0.text(1)
    }
    return renamed
  }
}
