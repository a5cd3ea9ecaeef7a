import DaybookEventCore

/// The internal tables of the read model; `docs/read-model.md` describes each of them.
package enum ReadModelFormat {
  /// The version of the internal tables, which rises when their meaning changes, or when more rules
  /// about unique values are known; and that of the
  /// rules by which search indexes have taken texts apart. A read model of another version is
  /// rebuilt.
  package static let version = 14 * 1_000_000_000 + SearchTokenizer.version

  static let tables = [
    """
    CREATE TABLE _daybook_checkpoint(
      id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL, rules INTEGER NOT NULL,
      digest BLOB NOT NULL, opaque INTEGER NOT NULL, opaque_local INTEGER NOT NULL,
      replica BLOB, definitions INTEGER NOT NULL)
    """,
    """
    CREATE TABLE _daybook_origins(
      number INTEGER PRIMARY KEY, origin BLOB NOT NULL, sequence INTEGER NOT NULL,
      chain BLOB NOT NULL, authored INTEGER NOT NULL, flags INTEGER NOT NULL, times BLOB NOT NULL,
      far INTEGER NOT NULL)
    """,
    """
    CREATE TABLE _daybook_mentions(
      author INTEGER NOT NULL, number INTEGER NOT NULL, seen INTEGER NOT NULL,
      through INTEGER NOT NULL, PRIMARY KEY (author, number)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_context(
      author INTEGER NOT NULL, seen INTEGER NOT NULL, sequence INTEGER NOT NULL,
      through INTEGER NOT NULL, PRIMARY KEY (author, seen, sequence)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_authored(
      origin INTEGER NOT NULL, block INTEGER NOT NULL, times BLOB NOT NULL,
      PRIMARY KEY (origin, block)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_stamps(
      origin INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      time INTEGER NOT NULL, hub INTEGER NOT NULL, sequence INTEGER NOT NULL,
      PRIMARY KEY (origin, first)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_superseded_stamps(
      origin INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      time INTEGER NOT NULL, hub INTEGER NOT NULL, sequence INTEGER NOT NULL,
      PRIMARY KEY (origin, first, last, hub, sequence, time)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_definitions(
      collection TEXT NOT NULL, field TEXT NOT NULL, attribute TEXT NOT NULL,
      origin INTEGER NOT NULL, sequence INTEGER NOT NULL, operation INTEGER NOT NULL,
      value BLOB NOT NULL, migration INTEGER NOT NULL)
    """,
    """
    CREATE TABLE _daybook_renamed(
      collection TEXT NOT NULL, field TEXT NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (collection, field)) WITHOUT ROWID
    """,
    "CREATE TABLE _daybook_collections(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    """
    CREATE TABLE _daybook_fields(
      collection INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (collection, number)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_entities(
      number INTEGER PRIMARY KEY, collection INTEGER, id TEXT, state BLOB NOT NULL)
    """,
    """
    CREATE TABLE _daybook_values(
      entity INTEGER NOT NULL, field INTEGER NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (entity, field)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_unindexed(
      collection INTEGER NOT NULL, entity INTEGER NOT NULL, place INTEGER NOT NULL, value,
      PRIMARY KEY (collection, entity, place)) WITHOUT ROWID
    """,
    "CREATE TABLE _daybook_refused(collection TEXT PRIMARY KEY, reason TEXT NOT NULL)",
    """
    CREATE TABLE _daybook_history(
      entity INTEGER NOT NULL, chunk INTEGER NOT NULL, entries BLOB NOT NULL,
      PRIMARY KEY (entity, chunk)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_misfits(
      collection TEXT NOT NULL, id TEXT NOT NULL, field TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (collection, id, field)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_unfit(
      collection TEXT NOT NULL, id TEXT NOT NULL, field TEXT NOT NULL, origin INTEGER NOT NULL,
      sequence INTEGER NOT NULL, operation INTEGER NOT NULL,
      PRIMARY KEY (collection, id, field, origin, sequence, operation)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_conflicts(
      collection TEXT NOT NULL, id TEXT, field TEXT NOT NULL, attribute TEXT NOT NULL,
      writes BLOB NOT NULL)
    """,
    """
    CREATE TABLE _daybook_unique(
      collection INTEGER NOT NULL, field INTEGER NOT NULL, value NOT NULL, rank BLOB NOT NULL,
      entity INTEGER NOT NULL, id TEXT NOT NULL,
      PRIMARY KEY (collection, field, value, rank)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_cycles(
      collection TEXT NOT NULL, field TEXT NOT NULL, id TEXT NOT NULL, target TEXT NOT NULL,
      PRIMARY KEY (collection, field, id)) WITHOUT ROWID
    """,
    """
    CREATE TABLE _daybook_parked_members(
      collection INTEGER NOT NULL, entity INTEGER NOT NULL,
      PRIMARY KEY (collection, entity)) WITHOUT ROWID
    """,
    "CREATE INDEX _daybook_unique_entity ON _daybook_unique(collection, entity)",
    """
    CREATE VIEW _daybook_parked(collection, id, field, value, owner) AS
      SELECT c.name, u.id, f.name, u.value,
        (SELECT o.id FROM _daybook_unique o
          WHERE o.collection = u.collection AND o.field = u.field AND o.value = u.value
          ORDER BY o.rank LIMIT 1)
      FROM _daybook_unique u JOIN _daybook_collections c ON c.number = u.collection
        JOIN _daybook_fields f ON f.collection = u.collection AND f.number = u.field
      WHERE EXISTS (SELECT 1 FROM _daybook_unique o
        WHERE o.collection = u.collection AND o.field = u.field AND o.value = u.value
          AND o.rank < u.rank)
    """,
  ]

  static let conflictIndex =
    "CREATE UNIQUE INDEX _daybook_conflict ON _daybook_conflicts(collection, id, field, attribute)"

  /// The index on entities without a row. A bulk rebuild makes it last.
  static let absentIndex = """
    CREATE UNIQUE INDEX _daybook_absent ON _daybook_entities(collection, id)
      WHERE collection IS NOT NULL
    """

  /// Makes the internal tables in an empty database.
  package static func create(_ sql: StatementCache) throws(ProjectionError) {
    try createTables(sql)
    try sql.execute(absentIndex)
  }

  /// Makes the internal tables, without the index on entities that have no row.
  /// - Parameters:
  ///   - sql: the statements of an empty database.
  ///   - replica: the replica from whose log the read model is made; nil if unknown.
  static func createTables(_ sql: StatementCache, replica: ReplicaID? = nil)
    throws(ProjectionError)
  {
    for statement in tables + [conflictIndex] { try sql.execute(statement) }
    // Makes `sqlite_stat1`; SQLite keeps no statistics about the schema.
    try sql.execute("ANALYZE main.sqlite_schema")
    let checkpoint = try sql("INSERT INTO _daybook_checkpoint VALUES (1, ?, ?, ?, 0, 0, ?, 0)")
    try checkpoint.bind(1, version)
    try checkpoint.bind(2, StateDigest.rules)
    try checkpoint.bind(3, StateDigest().sum.bytes)
    if let replica { try checkpoint.bind(4, replica.bytes) }
    try checkpoint.run()
  }

  package static func exists(_ sql: StatementCache) throws(ProjectionError) -> Bool {
    let query = try sql("SELECT 1 FROM sqlite_schema WHERE name = '_daybook_checkpoint'")
    defer { query.reset() }
    return try query.step()
  }
}
