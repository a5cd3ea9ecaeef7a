import DaybookDisk
package import DaybookEventCore
import Foundation
import GRDBSQLite

/// Makes a read model from the log in bulk: folds first, and writes each row once.
///
/// 1. *Scan* the log: index events, collect definitions and stamps, and copy every operation on an
///    entity to one of a few partitions by the hash of its collection and id.
/// 2. *Fold* partition by partition: group the operations by entity. An entity that was inserted
///    and never touched again, as most are, goes straight to its row. The others are folded as the
///    incremental projector folds them.
/// 3. *Write* the rows on a second thread, then the indexes in bulk. The search indexes are made in
///    a separate file on a third thread, and the keys of the largest indexes sorted on a fourth.
///
/// Memory is bounded by the partition size; data that exceeds it waits in a file.
package struct Rebuild {
  package struct Options: Sendable {
    /// The size in bytes up to which all operations stay in memory.
    package var memoryBytes = 64 << 20
    /// The size in bytes of a partition, if the operations exceed ``memoryBytes``: small enough for
    /// the processor's caches.
    package var partitionBytes = 8 << 20
    /// Whether primary keys may be created after the rows have been written.
    package var makesKeysLate = true
    /// Bytes of texts kept in memory by each sort that runs beside the writing.
    package var sortBytes = 4 << 20
    /// The replica whose log this is, if the read model is to be evidence of what the log has held.
    /// It is written before the file replaces another, since the file may be all that a power
    /// failure leaves.
    package var replica: ReplicaID?
    package var limits = ReadModelLimits.standard
    /// Configures the new file's connection.
    package var prepare: @Sendable (OpaquePointer) -> Void = { _ in }
    package init() {}

    package init(replica: ReplicaID) { self.replica = replica }

    /// Returns the approximate number of bytes that all packed operations will take.
    func estimate(_ source: any EventSource) throws -> Int {
      let events = try source.wholeVector.entries.reduce(0) { $0 + Int(clamping: $1.sequence) }
      let (bytes, overflows) = events.multipliedReportingOverflow(by: RebuildOperation.headerSize)
      return overflows ? Int.max / 2 : try source.rawBytes + bytes
    }

    func partitionCount(_ estimate: Int) -> Int {
      estimate <= memoryBytes ? 1 : estimate / max(partitionBytes, 1) + 1
    }
  }

  package struct Outcome: Sendable {
    package var events: Int
    package var entities: Int
    package var digest: StateDigest
    package var opaqueCount: Int
    package var vector: VersionVector
  }

  let source: any EventSource
  let options: Options
  let progress: (RebuildProgress) -> Void

  package init(
    source: any EventSource, options: Options = Options(),
    progress: @escaping (RebuildProgress) -> Void = { _ in }
  ) {
    self.source = source
    self.options = options
    self.progress = progress
  }

  /// Builds the read model in a new file, and makes it durable.
  /// - Parameters:
  ///   - path: the path of the new file; a file that an earlier attempt left there is removed.
  ///   - selection: which events to fold.
  /// - Throws: ``ProjectionError``, and what reading the log throws. The unfinished file is
  ///   removed, since it may be what fills the disk.
  package func run(into path: String, selection: Selection = .all) throws -> Outcome {
    // SQLite may refuse collections. Each refusal names one; try again without its table.
    var refused: [String: String] = [:]
    while true {
      Self.remove(path)
      do { return try make(path, selection, refused) } catch {
        Self.remove(path)
        guard let refusal = error as? ProjectionError, let collection = refusal.collection,
          refused.updateValue(refusal.message, forKey: collection) == nil
        else { throw error }
      }
    }
  }

  private static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal", ".search"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  private func make(_ path: String, _ selection: Selection, _ refused: [String: String]) throws
    -> Outcome
  {
    let connection = try RebuildConnection(path)
    options.prepare(connection.pointer)
    defer { connection.close() }
    let sql = connection.sql
    try ReadModelFormat.createTables(sql, replica: options.replica)
    let projector = try Projector(
      connection: connection.pointer, source: source, limits: options.limits)
    defer { projector.close() }
    try projector.leaveOut(refused)

    let estimate = try options.estimate(source)
    let partitions = RebuildPartitions(
      count: options.partitionCount(estimate), bytes: estimate, folder: path + ".spill")
    defer { partitions.remove() }
    var scan = RebuildScan(projector: projector, partitions: partitions, selection: selection)
    let events = try scan.run(source) { progress(.init(phase: .reading, done: $0, total: $1)) }
    let indexes = try RebuildIndexes(sql, isWanted: options.makesKeysLate)
    try projector.adoptRebuiltDefinitions(scan.definitions, indexes)

    let search = try RebuildSearch.start(
      tables: projector.declaredTables, isInMemory: partitions.count == 1, path: path + ".search")
    defer { search?.remove() }
    let keys =
      indexes.isPossible
      ? RebuildKeys(
        tables: projector.declaredTables, memoryBytes: options.sortBytes, path: path + ".keys")
      : nil
    defer { keys?.cancel() }
    let feed = try connection.feed(
      columns: max(3, 2 + (projector.declaredTables.map(\.columns.count).max() ?? 0)))
    let writer = try RebuildWriter(projector: projector, feed: feed, search: search, keys: keys)
    defer { writer.cancel() }
    // With one partition, the sort waits until the fold and the writer need the processor no more.
    // With several, it starts at once, to free memory.
    if partitions.count > 1 { keys?.begin() }
    var entities = 0
    var digest = StateDigest()
    for partition in 0..<partitions.count {
      let fold = RebuildFold(projector: projector, buffer: try partitions.take(partition))
      entities += try fold.run(into: writer)
      digest.add(fold.digest.sum)
      progress(.init(phase: .writing, done: partition + 1, total: partitions.count))
    }
    try writer.finish()
    keys?.close()
    search?.begin()
    projector.addToDigest(digest)
    progress(.init(phase: .indexing, done: 0, total: 1))
    try projector.finishBulk(indexes, keys, search, feed)
    try connection.commit()
    try projector.measureRebuilt()
    try connection.makeDurable()
    progress(.init(phase: .indexing, done: 1, total: 1))
    return Outcome(
      events: events, entities: entities, digest: projector.digest,
      opaqueCount: projector.opaqueCount, vector: projector.vector)
  }
}

/// A connection to a new file that no other connection has open and that is useless until complete:
/// no journal, one transaction and one for the statistics, one fsync at the end.
private final class RebuildConnection {
  let pointer: OpaquePointer
  let sql: StatementCache
  private let path: String
  private var feed: RowFeed?

  init(_ path: String) throws(ProjectionError) {
    self.path = path
    var pointer: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &pointer, flags, CheckedFile.vfs)
    guard code == SQLITE_OK, let pointer else {
      defer { sqlite3_close_v2(pointer) }
      throw ProjectionError(
        code & 0xFF == SQLITE_FULL ? .noSpace : .sqlite, "SQLite cannot make “\(path)”")
    }
    self.pointer = pointer
    sql = StatementCache(pointer)
    CheckedFile.reserve(pointer)
    for pragma in [
      "journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE", "cache_size=-32768",
      "temp_store=FILE", "secure_delete=OFF",
    ] {
      try sql.execute("PRAGMA \(pragma)")
    }
    try sql.execute("BEGIN IMMEDIATE")
  }

  /// Returns the virtual table that feeds rows to statements, for as long as
  /// the connection is open.
  func feed(columns: Int) throws(ProjectionError) -> RowFeed {
    let feed = try RowFeed(pointer, columns: columns)
    self.feed = feed
    return feed
  }

  func commit() throws(ProjectionError) { try sql.execute("COMMIT") }

  func makeDurable() throws(ProjectionError) {
    do {
      let descriptor = try SystemCalls.open(path, .read)
      defer { SystemCalls.close(descriptor) }
      try SystemCalls.sync(descriptor)
    } catch {
      throw ProjectionError(
        error.isFull ? .noSpace : .sqlite,
        "the rebuilt read model could not be made durable: \(error)",
        hint: "Check the disk, and run the rebuild again")
    }
  }

  func close() {
    sql.removeAll()
    sqlite3_close_v2(pointer)
  }
}
