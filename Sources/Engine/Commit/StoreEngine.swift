package import DaybookEventCore
package import DaybookFrames
package import DaybookLogEngine
package import DaybookProjections
import Dispatch
import Foundation
package import GRDB
import GRDBSQLite

/// The synchronous part of a store that writes: log, read model and identity.
///
/// Only the thread that has the turn (``CommitThread``) uses it, except for members that are
/// `Sendable` themselves. The simulator of a zone runs it on simulated disks, with the read model
/// in memory.
package final class StoreEngine: @unchecked Sendable {
  let files: StoreFiles
  package let log: EventLog
  package let feed: LogFeed
  package let readModel: any DatabaseWriter
  let recovery: RecoveryReport
  package let identity: StoreIdentity
  package let projector: Projector
  let checkpointer: WALCheckpointer
  let environment: StoreEnvironment
  let telemetry: StoreTelemetry
  var clock = HybridClock()
  var dataVersion: Int64 = -1
  /// The replica that the read model names as its own, as far as is known; nil if unknown.
  var signature: ReplicaID?
  /// The version of SQLite's schema that GRDB knows; nil if unknown.
  private var notifiedSchema: Int64?
  /// Whether the read model may be behind the log, because a commit failed after its events were
  /// durable.
  package var isBehind = false

  /// The bulk load of the store; nil if commits bring the read model up to the log.
  package var bulkLoad: BulkLoad?

  /// The types with which the store was opened.
  package var types = AppTypes() {
    didSet { types.compare(with: projector.schema) }
  }

  /// The version of the definitions that the types have been compared with.
  private var comparedDefinitions: Int64?

  /// Whether the next commit may begin to fill the store.
  var mayBulkLoad: Bool

  /// Has a job run later.
  var enqueue: @Sendable (StoreJob) -> Void = { _ in }

  /// The time after a change until the search index follows, unless a search comes before.
  var indexingDelay = DispatchTimeInterval.seconds(1)

  /// Whether changed rows will be indexed soon.
  var isIndexingScheduled = false

  let packer = FramePacker()

  /// Gets the frames of a group before the log does; a crash may leave any number of them there.
  package var willAppend: ([Frame]) -> Void = { _ in }

  /// Gets what each commit of the read model has changed.
  var announce: (ShownChanges) -> Void = { _ in }

  /// The events that the read model has shown before this store's own transaction.
  var shown = VersionVector()

  /// The number of rebuilds as this store's transactions have left or found it.
  private var rebuilds: Int64?

  /// The number of the log's events that the read model does not show.
  private var lag: UInt64 { isBehind ? log.wholeVector.lead(over: projector.wholeVector) : 0 }

  private init(
    files: StoreFiles, log: EventLog, feed: LogFeed, readModel: any DatabaseWriter,
    recovery: RecoveryReport, identity: StoreIdentity, environment: StoreEnvironment,
    telemetry: StoreTelemetry, mayBulkLoad: Bool, checkpointer: WALCheckpointer,
    projector: Projector
  ) {
    self.files = files
    self.log = log
    self.feed = feed
    self.readModel = readModel
    self.recovery = recovery
    self.identity = identity
    self.environment = environment
    self.telemetry = telemetry
    self.mayBulkLoad = mayBulkLoad
    self.checkpointer = checkpointer
    self.projector = projector
  }

  /// Reads the state of the read model, and takes a new identity if the recovery asks for one.
  /// - Parameters:
  ///   - files: the paths of the store's files.
  ///   - log: the store's log, which has been recovered.
  ///   - feed: the events of the log.
  ///   - readModel: the database of the read model.
  ///   - recovery: what the recovery of the log has found.
  ///   - identity: the store's identity.
  ///   - environment: the clock and the randomness of the machine.
  ///   - telemetry: the log messages and metrics.
  ///   - defersProjection: whether an empty store may be filled.
  package static func open(
    files: StoreFiles, log: EventLog, feed: LogFeed, readModel: any DatabaseWriter,
    recovery: RecoveryReport, identity: StoreIdentity, environment: StoreEnvironment,
    telemetry: StoreTelemetry, defersProjection: Bool
  ) throws -> StoreEngine {
    let checkpointer = WALCheckpointer(path: files.readModel, telemetry: telemetry)
    let projector: Projector = try readModel.writeWithoutTransaction { db in
      checkpointer.observe(try connection(db))
      // In one transaction, because other processes may write while this one reads.
      let projector = try db.reading {
        try Projector(connection: connection(db), source: feed)
      }
      // GRDB records all that is compiled on a connection, until it compiles a statement itself.
      projector.willChangeTables = { _ = try? db.makeStatement(sql: "SELECT 1") }
      return projector
    }
    if recovery.mustRenewIdentity {
      try log.lock()
      defer { log.unlock() }
      try identity.take()
    }
    return StoreEngine(
      files: files, log: log, feed: feed, readModel: readModel, recovery: recovery,
      identity: identity, environment: environment, telemetry: telemetry,
      mayBulkLoad: defersProjection, checkpointer: checkpointer, projector: projector)
  }

  private static func connection(_ db: Database) throws -> OpaquePointer {
    guard let connection = db.sqliteConnection else {
      throw StoreError(.closed, "the store is closed")
    }
    return connection
  }

  package var replica: ReplicaID { identity.replica }

  // MARK: - Committing

  static let groupJobsMax = 256

  /// Commits transactions as one group: each is an event of its own, and all of them share an
  /// fsync.
  package func commit(_ jobs: [WriteJob]) {
    let began = ContinuousClock.now
    let group: GroupOutcome
    do { group = try commitGroup(jobs) } catch {
      telemetry.refused(jobs.count, error)
      let error = StoreError.orNoSpace(error, "the transaction was not written", in: files.folder)
      for job in jobs { job.end(.failure(error)) }
      return
    }
    if let written = group.written {
      telemetry.committed(written, behind: lag, after: ContinuousClock.now - began)
    }
    for (job, outcome) in zip(jobs, group.outcomes) { job.end(outcome) }
    moveWriteAheadLog()
    // The jobs that did not fit this group make the next one.
    if group.outcomes.count < jobs.count { commit(Array(jobs[group.outcomes.count...])) }
  }

  private func commitGroup(_ jobs: [WriteJob]) throws -> GroupOutcome {
    if mayBulkLoad { bulkLoad = try BulkLoad.begin(self) }
    if let bulkLoad { return try bulkLoad.commit(jobs) }
    try log.lock()
    defer { log.unlock() }
    // If many events were received, a rebuild is quicker than applying them.
    if isBehind, log.isWorthRebuilding(from: projector.wholeVector) { try makeUp() }
    return try readModel.writeWithoutTransaction { db in
      // Catch up first: no write is acknowledged that readers would not see.
      if isBehind { try catchUp(db) }
      let group = try begin(db) { try run(jobs, db) }
      conclude(group, db)
      _ = try? log.rollIfNeeded()
      return group
    }
  }

  /// Moves the write-ahead log into the read model's file if it is long.
  ///
  /// Called after every commit, also of received events: nothing else keeps the write-ahead log
  /// from growing.
  package func moveWriteAheadLog() {
    checkpointer.afterCommit { readModel.writeWithoutTransaction { $0.sqliteConnection } }
  }

  /// Ends the read model's transaction of a group: commits it if the group has made events durable,
  /// else rolls it back.
  ///
  /// If the commit fails, the read model is caught up at once or, if that fails too, before the
  /// next write.
  func conclude(_ group: GroupOutcome, _ db: Database) {
    guard group.written != nil else { return takeBack(db) }
    do { try commit(db) } catch {
      isBehind = true
      telemetry.fellBehind(lag, error)
    }
    // The events are acknowledged either way; readers should see them before that.
    if isBehind { try? catchUp(db) }
  }

  /// Brings the read model up to the log.
  /// - Throws: the error of applying the events or of committing the read model.
  package func catchUp(_ db: Database) throws {
    try begin(db) {}
    try commit(db)
    isBehind = false
  }

  /// Runs `body` in a new transaction of the read model that has caught up with the log, and leaves
  /// it open.
  ///
  /// Rolls it back if `body` throws.
  package func begin<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    try beginFresh(db)
    do { return try body() } catch {
      takeBack(db)
      throw error
    }
  }

  /// Begins a transaction of the read model that has caught up with the log.
  private func beginFresh(_ db: Database) throws {
    while true {
      try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
      do { return try refresh(db) } catch {
        takeBack(db)
        guard let refusal = error as? ProjectionError else { throw error }
        try setAside(after: refusal, db)
      }
    }
  }

  /// Drops the table of a collection that SQLite cannot hold, so that the other collections
  /// continue.
  ///
  /// Another replica has defined that collection, and the log keeps its events.
  /// - Throws: `refusal` if it concerns no collection.
  private func setAside(after refusal: ProjectionError, _ db: Database) throws {
    guard refusal.collection != nil else { throw refusal }
    do {
      try db.inTransaction(.immediate) {
        try projector.setAside(after: refusal)
        return .commit
      }
      telemetry.setAside(refusal)
    } catch {
      takeBack(db)
      throw error
    }
  }

  /// Rolls the read model's transaction back.
  package func takeBack(_ db: Database) {
    if db.isInsideTransaction { try? db.rollback() }
    // If the projector cannot be reloaded now, it is reloaded before its next use.
    do { try projector.reload() } catch { dataVersion = -1 }
  }

  /// Commits the read model's transaction, and tells listeners and GRDB's observers.
  package func commit(_ db: Database) throws {
    let changes = projector.takeChanges()
    do {
      try db.requireTransaction()
      try sign(db)
      try notify(db, of: changes)
      try db.cachedStatement(sql: "COMMIT").execute()
    } catch {
      signature = nil
      takeBack(db)
      throw error
    }
    announceShown(changes)
  }

  /// Announces the rows that a commit has changed; nil if any row may have changed.
  func announceShown(_ changes: RowChanges?) {
    let before = (shown: shown, rebuilds: rebuilds)
    shown = projector.wholeVector
    rebuilds = try? projector.rebuilds()
    if comparedDefinitions != projector.definitionsVersion {
      comparedDefinitions = projector.definitionsVersion
      types.compare(with: projector.schema)
    }
    announce(
      ShownChanges(
        rows: changes, before: before.shown, after: shown, rebuilds: (before.rebuilds, rebuilds)))
  }

  /// Tells GRDB's observers which tables the transaction has changed; nil if any may have.
  private func notify(_ db: Database, of changes: RowChanges?) throws {
    guard let changes else {
      db.clearSchemaCache()
      notifiedSchema = nil
      return try db.notifyChanges(in: .fullDatabase)
    }
    guard !changes.isEmpty else { return }
    // GRDB does not see the statements that make tables, and would not know new ones.
    let version = try projector.schemaVersion()
    if version != notifiedSchema {
      db.clearSchemaCache()
      notifiedSchema = version
    }
    for table in changes.collections.keys { try db.notifyChanges(in: Table(table)) }
  }

  /// Tells GRDB's observers what has changed in the read model by a transaction that is not theirs;
  /// nil if any row may have changed.
  func notifyObservers(of changes: RowChanges?) throws {
    try readModel.writeWithoutTransaction { try notifyObservers(of: changes, $0) }
  }

  /// Tells GRDB's observers in a transaction that takes no lock: another process may write
  /// meanwhile. GRDB reports its end like that of one with changes.
  func notifyObservers(of changes: RowChanges?, _ db: Database) throws {
    try db.inTransaction(.deferred) {
      try notify(db, of: changes)
      return .commit
    }
  }

  /// Reads again what other processes have written, and applies the log's events that the read
  /// model lacks.
  func refresh(_ db: Database) throws {
    let version = try projector.dataVersion()
    if version != dataVersion {
      // True also the first time: another process may have written since this one read the state.
      try projector.reload()
      dataVersion = version
      signature = nil
      shown = projector.wholeVector
      rebuilds = try projector.rebuilds()
    }
    if projector.wholeVector != log.wholeVector, log.damage.isEmpty { try projector.catchUp() }
  }

  /// Runs transactions in a transaction of the read model, and makes their events durable.
  ///
  /// If none of them has written anything, the caller rolls back.
  func run(_ jobs: [WriteJob], _ db: Database) throws -> GroupOutcome {
    try requireOwn()
    let writer = EventWriter(
      projector: projector, database: db, identity: try identity.current(), packer: packer,
      bulkLoad: bulkLoad, types: types, tick: tick)
    let outcomes = try CommitGroup(writer, isShared: jobs.count > 1).run(jobs)
    guard writer.isFruitful else {
      return GroupOutcome(outcomes: outcomes, written: nil, isClean: writer.isClean)
    }
    try writer.mend()
    let frames = try writer.frames()
    try db.requireTransaction()
    willAppend(frames)
    do {
      for frame in frames { try log.append(frame) }
      // The events are on their way to the disk while the read model takes the last write.
      try log.beginSync()
      try writer.reconcile()
      for frame in frames { projector.setChain(of: frame.header.origin, frame.header.chain) }
      if bulkLoad == nil {
        try projector.save()
        try writePages(db)
      }
      try db.requireTransaction()
    } catch {
      try log.abandon()
      throw error
    }
    try log.sync()
    return GroupOutcome(outcomes: outcomes, written: writer.figures, isClean: false)
  }

  /// Writes the changed pages of the transaction to the write-ahead log before the commit.
  ///
  /// They have no effect before the commit. A disk without room for them is found out while the
  /// events can still be refused.
  package func writePages(_ db: Database) throws {
    let code = CheckedFile.flush(try Self.connection(db))
    guard code == SQLITE_OK else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: "the read model cannot be written")
    }
  }

  /// Closes the log and the read model.
  ///
  /// The store's files are then complete on their own.
  /// - Returns: whether the store was being filled, so that the next opening must build the read
  ///   model.
  func close() throws -> Bool {
    let wasBulkLoad = bulkLoad != nil
    if let bulkLoad {
      bulkLoad.abandon()
    } else if projector.hasSearchBacklog {
      // If this fails, the next opening has them.
      try? indexChangedRows()
    }
    projector.close()
    try? readModel.writeWithoutTransaction { db in
      let connection = try Self.connection(db)
      checkpointer.finish(connection)
      // Truncates as far as readers elsewhere allow. The next checkpoint of any process moves the
      // rest.
      sqlite3_busy_timeout(connection, 0)
      _ = try db.checkpoint(.truncate)
    }
    try readModel.close()
    try log.close()
    return wasBulkLoad
  }
}
