import EventCore
import Foundation
import GRDB
import GRDBSQLite
import LogEngine
import Projections

/// The synchronous part of a store that writes: log, read model and identity. Used by the commit
/// thread only, but for what is `Sendable` of its own.
final class StoreEngine: @unchecked Sendable {
  let files: StoreFiles
  let log: EventLog
  let feed: LogFeed
  let pool: DatabasePool
  let recovery: RecoveryReport
  private let projector: Projector
  private let checkpointer: WALCheckpointer
  private let environment: StoreEnvironment
  private(set) var identityFile: IdentityFile
  private var identity: Identity?
  private var clock = HybridClock()
  private var dataVersion: Int64 = -1
  /// The read model may be behind the log: a commit failed after its events were durable.
  private(set) var isBehind = false

  init(
    files: StoreFiles, log: EventLog, feed: LogFeed, pool: DatabasePool,
    recovery: RecoveryReport, identityFile: IdentityFile, environment: StoreEnvironment
  ) throws {
    self.files = files
    self.log = log
    self.feed = feed
    self.pool = pool
    self.recovery = recovery
    self.identityFile = identityFile
    self.environment = environment
    identity = recovery.mustRenewIdentity ? nil : identityFile.identity(files)
    checkpointer = WALCheckpointer(path: files.readModel)
    projector = try pool.writeWithoutTransaction { db in
      try Projector(connection: Self.connection(db), source: feed)
    }
  }

  private static func connection(_ db: Database) throws -> OpaquePointer {
    guard let connection = db.sqliteConnection else {
      throw StoreError(.closed, "the store is closed")
    }
    return connection
  }

  var replica: ReplicaID { identityFile.replica }

  // MARK: Committing

  /// A group's frame takes no further transaction once it has so many bytes.
  private static let groupBytes = 1 << 20
  static let groupJobsMax = 256

  /// Runs transactions as one group: each is an event of its own, all of them share a frame and an
  /// fsync.
  func commit(_ jobs: [WriteJob]) {
    var outcomes: [WriteOutcome] = []
    do {
      try log.lock()
      defer { log.unlock() }
      try pool.writeWithoutTransaction { db in
        // Nothing more is acknowledged that readers would not see.
        if isBehind { try catchUp(db) }
        try inTransaction(db) { outcomes = try self.run(jobs, db) }
        // The events are durable, so they are acknowledged; readers should see them before that.
        if isBehind { try? catchUp(db) }
      }
      _ = try? log.rollIfNeeded()
      checkpointer.noteCommit()
    } catch let nothing as NothingWritten {
      for job in jobs { job.finish(.success(nothing.value)) }
      return
    } catch let fruitless as Fruitless {
      for (job, outcome) in zip(jobs, fruitless.outcomes) { job.finish(outcome) }
      return
    } catch {
      let error = StoreError.orNoSpace(error, "the transaction was not written", in: files.folder)
      for job in jobs { job.finish(.failure(error)) }
      return
    }
    for (job, outcome) in zip(jobs, outcomes) { job.finish(outcome) }
    // What did not fit the frame makes the next group.
    if outcomes.count < jobs.count { commit(Array(jobs[outcomes.count...])) }
  }

  /// `BEGIN`, the body, `COMMIT`. The body makes the events durable before it returns; a commit that
  /// fails after that is made good before the next write.
  private func inTransaction(_ db: Database, _ body: () throws -> Void) throws {
    try begin(db, body)
    do { try commit(db) } catch { isBehind = true }
  }

  /// Brings the read model up to the log.
  /// - Throws: also where it cannot be committed.
  private func catchUp(_ db: Database) throws {
    try begin(db) {}
    try commit(db)
    isBehind = false
  }

  private func begin(_ db: Database, _ body: () throws -> Void) throws {
    try db.beginTransaction(.immediate)
    do {
      try refresh(db)
      try body()
    } catch {
      try? db.rollback()
      try? projector.reload()
      throw error
    }
  }

  private func commit(_ db: Database) throws {
    do { try db.commit() } catch {
      if db.isInsideTransaction { try? db.rollback() }
      try? projector.reload()
      throw error
    }
  }

  /// Takes in what other processes wrote, and what the read model lacks of the log.
  private func refresh(_ db: Database) throws {
    let version = try projector.dataVersion()
    if version != dataVersion {
      // Also the first time: another process may have written since this one read what is there.
      try projector.reload()
      dataVersion = version
    }
    if projector.vector != log.vector, log.damage.isEmpty { try projector.catchUp() }
  }

  private func run(_ jobs: [WriteJob], _ db: Database) throws -> [WriteOutcome] {
    var group = try beginGroup()
    let isFirst = identity.map { projector.vector[$0.id] == 0 } ?? true
    // A transaction that is alone needs no savepoint: what it throws rolls everything back. Beside
    // the replica's first event it is not alone, and may have to go to the next frame.
    group.isAlone = jobs.count == 1 && !isFirst
    var outcomes: [WriteOutcome] = []
    for job in jobs {
      guard let outcome = try run(job, db, &group) else { break }
      outcomes.append(outcome)
    }
    guard let builder = group.builder, builder.count > 0 else { return outcomes }
    if isFirst, builder.count == 1, outcomes.count == jobs.count {
      throw Fruitless(outcomes: outcomes)
    }
    // Sealing leaves frames of this size as they are, so they are packed well at once.
    let isLarge = builder.rawLength >= EventLog.Options.defaultSealCopyBytes
    let frame = try builder.finish(isLarge ? .high : .fast)
    projector.setChain(of: builder.origin, frame.header.chain)
    try projector.save()
    try writePages(db)
    try log.append(frame)
    try log.sync()
    return outcomes
  }

  /// Writes what the transaction has changed to the write-ahead log already, where it counts for
  /// nothing before the commit: a disk without room for the read model is found out while the events
  /// can still be refused.
  private func writePages(_ db: Database) throws {
    let code = sqlite3_db_cacheflush(try Self.connection(db))
    // Busy: a page in use stays in memory until the commit.
    guard code == SQLITE_OK || code == SQLITE_BUSY else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: "the read model cannot be written")
    }
  }

  /// The events of one group, as they gather.
  private struct Group {
    var builder: FrameBuilder?
    var isAlone = false
  }

  private func beginGroup() throws -> Group {
    if identity == nil { try renewIdentity() }
    return Group()
  }

  /// The builder, made when the first event needs it, with the replica's first event in front where
  /// that is missing.
  private func builder(_ group: inout Group) throws -> FrameBuilder {
    if let builder = group.builder { return builder }
    guard let identity else { throw StoreError(.damaged, "the store has no identity") }
    let sequence = projector.vector[identity.id]
    var builder = FrameBuilder(
      origin: identity.id, firstSequence: sequence + 1,
      chainBefore: Chain(value: projector.chain(of: identity.id)))
    if sequence == 0 {
      let event = EventID(identity.id, 1)
      let claim = Operation.identity(IdentityClaim(identity))
      let envelope = Envelope(
        kind: .identity, authored: tick(), context: try context(of: identity.id))
      try projector.beginLocalEvent(
        event, authored: envelope.authored, context: envelope.context)
      try projector.applyLocal(claim, id: event, index: 0)
      try projector.finishEvent()
      try builder.append(EncodedEvent(envelope, Body(operations: [claim])))
    }
    group.builder = builder
    return builder
  }

  private func tick() -> HybridTime {
    clock.observe(projector.latestTime)
    return clock.tick(wallMilliseconds: environment.wallMilliseconds())
  }

  /// What this replica has seen since its last event.
  private func context(of origin: ReplicaID) throws -> ContextDelta {
    try projector.context(of: origin).delta(to: projector.vector)
  }

  /// Runs one transaction in a savepoint. What it throws undoes it and nothing else.
  /// - Returns: nil where the frame has no room for it, and it has to run again in another.
  private func run(_ job: WriteJob, _ db: Database, _ group: inout Group) throws -> WriteOutcome? {
    var builder = try builder(&group)
    if builder.rawLength > Self.groupBytes { return nil }
    // Held in one place only, so that appending copies nothing.
    group.builder = nil
    defer { group.builder = builder }
    let event = EventID(builder.origin, builder.nextSequence)
    if !group.isAlone {
      try projector.save()
      try db.execute(sql: "SAVEPOINT daybook_write")
    }
    do {
      let envelope = Envelope(
        kind: .transaction, authored: tick(), context: try context(of: event.origin))
      try projector.beginLocalEvent(
        event, authored: envelope.authored, context: envelope.context)
      let transaction = Transaction(
        projector: projector, database: db, event: event, authored: envelope.authored)
      defer { transaction.end() }
      let value = try job.body(transaction)
      guard !transaction.operations.isEmpty else { throw NothingWritten(value: value) }
      try projector.finishEvent()
      let body = Body(
        actor: job.actor, label: job.label, annotations: job.annotations,
        operations: transaction.operations)
      let encoded = EncodedEvent(envelope, body)
      guard encoded.size <= Body.eventBytesMax else {
        throw StoreError(
          .tooLarge,
          "the transaction makes an event of \(encoded.size) bytes, over the limit of "
            + "\(Body.eventBytesMax)", hint: "Split it into several")
      }
      if builder.count > 0, builder.rawLength + encoded.size > Body.eventBytesMax {
        try undo(db)
        return nil
      }
      try builder.append(encoded)
      if !group.isAlone { try db.execute(sql: "RELEASE daybook_write") }
      return .success(value)
    } catch {
      if group.isAlone { throw error }
      try undo(db)
      if let nothing = error as? NothingWritten { return .success(nothing.value) }
      return .failure(error)
    }
  }

  /// Undoes a transaction that turned out to be empty; its value still counts.
  private struct NothingWritten: Error {
    var value: any Sendable
  }

  /// Undoes a replica's first event when there is nothing to follow it.
  private struct Fruitless: Error {
    var outcomes: [WriteOutcome]
  }

  private func undo(_ db: Database) throws {
    try db.execute(sql: "ROLLBACK TO daybook_write")
    try db.execute(sql: "RELEASE daybook_write")
    try projector.reload()
  }

  /// A new key, and so a new replica: when the key is gone, or might have been used elsewhere.
  private func renewIdentity() throws {
    let seed = environment.randomBytes(32)
    let renewed = try Identity(seed: seed)
    let file = IdentityFile(renewed, zone: identityFile.zone)
    try file.write(files, key: renewed)
    identityFile = file
    identity = renewed
  }

  // MARK: Catching up

  /// Brings the read model up to the log, durable events of others included.
  func catchUp() throws {
    try log.lock()
    defer { log.unlock() }
    try pool.writeWithoutTransaction { db in try catchUp(db) }
  }

  /// Takes frames from elsewhere: stores what is not known yet, and projects what follows on.
  /// - Throws: `LogError` for frames that do not follow from what is known.
  func receive(_ frames: [Frame]) throws {
    try log.lock()
    defer { log.unlock() }
    for frame in frames { try log.append(frame) }
    try log.sync()
    try pool.writeWithoutTransaction { db in try catchUp(db) }
  }

  // MARK: Looking at it as a writer

  /// Runs `body` on the writer's connection inside a transaction that is undone.
  func inspect<T>(_ body: (Database) throws -> T) throws -> T {
    try pool.writeWithoutTransaction { db in
      try db.beginTransaction(.immediate)
      defer { try? db.rollback() }
      return try body(db)
    }
  }

  /// Puts a read model that was made aside in the place of the live one, as one transaction that
  /// readers in all processes survive.
  func replaceReadModel(with path: String) throws {
    try log.lock()
    defer { log.unlock() }
    do {
      let next = try ReadModelFile.openAlone(path)
      defer { try? next.close() }
      try next.writeWithoutTransaction { db in
        let projector = try Projector(connection: Self.connection(db), source: feed)
        defer { projector.close() }
        try db.beginTransaction(.immediate)
        do { try projector.catchUp() } catch {
          try? db.rollback()
          throw error
        }
        try db.commit()
      }
      projector.close()
      try ReadModelFile.replace(pool, with: next)
    }
    try pool.writeWithoutTransaction { _ in try projector.reload() }
  }

  /// Ends everything. The store's files are then complete without anything in memory.
  func close() throws {
    checkpointer.finish()
    projector.close()
    try? pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    try pool.close()
    try log.close()
  }
}
