package import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
package import DaybookProjections
import Foundation
package import GRDB
import GRDBSQLite

/// The read model's database file: how it is opened, and how a found one is judged.
package enum ReadModelFile {
  /// The checkpoint of a found read model, read before the store relies on it.
  package struct Peek {
    /// The events that the read model has applied, private origins included.
    package var vector: VersionVector
    var chains: [ReplicaID: Hash256]
    var digest: StateDigest
    /// The replica whose store wrote it last; nil if it was built and never opened for writing.
    package var replica: ReplicaID?
  }

  /// Returns the checkpoint of a read model; nil if there is no usable one.
  ///
  /// That is so if there is none, or it is damaged or of another format. A read model is
  /// disposable: it will be rebuilt.
  /// - Throws: an error if the file cannot be read just now, or may not be written. It may still be
  ///   sound, and the only evidence of how far the log went.
  static func peek(_ path: String, source: any EventSource) throws -> Peek? {
    guard try DiskPath.exists(path) else { return nil }
    let folder = DiskPath.folder(of: path)
    guard try DiskPath.isWritable(path), try DiskPath.isWritable(folder) else {
      throw StoreError(
        .readOnly, "the read model “\(path)” cannot be written",
        hint: "Do this as the user who owns the store, or change the permissions of its folder")
    }
    return try judging(path) {
      let queue = try openAlone(path)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { db in
        try db.reading { try peek(db, source: source) }
      }
    }
  }

  /// Returns the checkpoint of a read model without writing anything; nil if there is no usable
  /// one.
  /// - Throws: an error if the file cannot be read just now. It may still be sound.
  static func peekReading(_ path: String, source: any EventSource) throws -> Peek? {
    guard try DiskPath.exists(path) else { return nil }
    return try judging(path) {
      let reader = try openReader(path)
      defer { try? reader.close() }
      return try reader.read { try peek($0, source: source) }
    }
  }

  /// Runs `body`, and returns nil for errors that concern the contents of the read model.
  private static func judging(_ path: String, _ body: () throws -> Peek?) throws -> Peek? {
    do { return try body() } catch {
      if isAboutContents(error) { return nil }
      if StoreError.isNoSpace(error) || error is StoreError { throw error }
      guard try DiskPath.isReadable(path) else {
        throw StoreError(
          .ioFailed, "this user may not read the read model “\(path)”",
          hint: "Do this as the user who owns the store, or change the permissions")
      }
      throw StoreError(
        .ioFailed, "the read model cannot be read: \(StoreError.words(error))",
        hint:
          "Nothing was changed: try again. If the disk cannot read “\(path)” any more, move that "
          + "file away, and it is made again from the log")
    }
  }

  /// Returns whether an error concerns the contents of the file, rather than reading it just now.
  private static func isAboutContents(_ error: any Error) -> Bool {
    switch error {
    // `SQLITE_ERROR` covers a missing table or column.
    case let error as DatabaseError: isDamage(error) || error.resultCode == .SQLITE_ERROR
    case let error as ProjectionError: error.code != .sqlite && error.code != .noSpace
    case is EventError: true
    // A sound read model asks for no event while it is judged.
    case let error as LogError: error.code == .notFound
    default: false
    }
  }

  /// Returns whether SQLite reports that the file is damaged, rather than that it cannot be read
  /// just now.
  static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return DaybookProjections.Statement.isDamage(error.extendedResultCode.rawValue)
  }

  /// Returns the version of a read model's internal tables.
  static func format(_ path: String) throws -> Int? {
    let queue = try openAlone(path)
    defer { try? queue.close() }
    return try queue.read { try Checkpoint.format($0) }
  }

  package static func peek(_ db: Database, source: any EventSource) throws -> Peek? {
    guard let checkpoint = try Checkpoint.read(db), checkpoint.isCurrent else { return nil }
    let view = try ReadModelView(db, source: source)
    defer { view.close() }
    let vector = view.wholeVector
    let chains = vector.entries.map { ($0.origin, view.chain(of: $0.origin)) }
    return Peek(
      vector: vector, chains: Dictionary(uniqueKeysWithValues: chains), digest: view.digest,
      replica: checkpoint.replica)
  }

  /// Brings a read model up to the log.
  ///
  /// No other connection may have it open.
  static func catchUp(_ projector: Projector, _ db: Database) throws {
    try projector.catchUp { body in
      do {
        try db.inTransaction(.immediate) {
          try body()
          return .commit
        }
      } catch {
        try projector.reload()
        throw error
      }
    }
  }

  /// Opens one connection to a file that no other connection has open.
  ///
  /// The file is made if it is absent.
  static func openAlone(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      if let connection = db.sqliteConnection { CheckedFile.reserve(connection) }
      try useExtensions(db)
    }
    return try DatabaseQueue(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// Opens the read model for a store that writes.
  /// - Parameters:
  ///   - isChecked: false if the whole file is about to be written anew, so that checksums do not
  ///     matter.
  ///   - defersProjection: whether a transaction may stay open from one commit to the next.
  /// - Throws: an error also if there is no file: an empty one would be no read model.
  static func openPool(_ path: String, isChecked: Bool = true, defersProjection: Bool = false)
    throws -> DatabasePool
  {
    guard try DiskPath.exists(path) else {
      throw StoreError(
        .ioFailed, "the read model “\(path)” has been taken away by another program",
        hint: "Open the store again: it is made anew from the log")
    }
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = defersProjection
    configuration.label = "read-model"
    configuration.busyMode = .timeout(30)
    configuration.foreignKeysEnabled = false
    configuration.maximumReaderCount = AsyncReads.threadsMax
    configuration.prepareDatabase { db in
      if !isChecked, let connection = db.sqliteConnection {
        CheckedFile.setChecked(connection, false)
      }
      // Switch to WAL first, with SQLite's safest settings. With less, a journal that a power cut
      // has torn passes for a whole one, because its checksum covers only every 200th byte.
      try useWriteAheadLog(db)
      // The log is what is durable. A power cut may cost the read model its latest commits, which
      // are caught up. Checkpoints of the WAL run on a thread of their own.
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
      try db.execute(sql: cacheSQL)
      try useExtensions(db)
    }
    return try DatabasePool(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// Registers the tokenizers and functions, so that SQL queries of the app can use them, too.
  private static func useExtensions(_ db: Database) throws {
    if let connection = db.sqliteConnection { try SearchTokenizer.register(connection) }
    try SQLFunctions.register(db)
  }

  /// The page cache of a connection: up to 32 MiB.
  private static let cacheSQL = "PRAGMA cache_size = -32768"

  /// Marks the connections to read models of the past.
  package static let pastLabel = "daybook past"

  /// Opens the read model of a moment of the past, which no other connection has open and which
  /// never changes.
  ///
  /// SQLite need neither lock it nor check it for changes, and reads need no transaction.
  package static func openPast(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = pastLabel
    configuration.readonly = true
    // A reader may still begin a transaction, and GRDB would end the process if it is left open.
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { db in
      try db.execute(sql: cacheSQL)
      try useExtensions(db)
    }
    return try DatabaseQueue(
      path: CheckedFile.uri(path, isImmutable: true), configuration: configuration)
  }

  /// Switches a connection to WAL, with retries for 30 seconds.
  ///
  /// SQLite returns BUSY at once, without regard to the busy timeout, when two connections switch a
  /// new file to WAL: each would wait for the other.
  private static func useWriteAheadLog(_ db: Database) throws {
    let end = ContinuousClock.now + .seconds(30)
    while true {
      do { return try db.execute(sql: "PRAGMA journal_mode = WAL") } catch {
        guard (error as? DatabaseError)?.resultCode == .SQLITE_BUSY, ContinuousClock.now < end
        else { throw error }
        usleep(useconds_t.random(in: 500...5000))
      }
    }
  }

  /// Opens the read model for a store that is only read.
  ///
  /// If the folder cannot be written, the file is opened as immutable: no other process can write
  /// it, and SQLite could not make its shared-memory file.
  /// - Parameter isChecked: false for a caller that has checked the file itself and wants to read a
  ///   damaged one.
  static func openReader(_ path: String, isChecked: Bool = true) throws -> any DatabaseReader {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      if !isChecked, let connection = db.sqliteConnection {
        CheckedFile.setChecked(connection, false)
      }
      try db.execute(sql: cacheSQL)
      try useExtensions(db)
    }
    if try !DiskPath.isWritable(DiskPath.folder(of: path)) {
      return try DatabaseQueue(
        path: CheckedFile.uri(path, isImmutable: true), configuration: configuration)
    }
    return try DatabasePool(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// Opens one more connection to a read model, for SQL that is not Daybook's or the app's.
  ///
  /// The connection itself can only read, and can attach no other file. Settings that a statement
  /// changes are this connection's own.
  /// - Throws: ``StoreError``; what SQLite throws.
  package static func openForOthers(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      try useExtensions(db)
      guard let connection = db.sqliteConnection else { return }
      sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
    }
    let isFixed = try !DiskPath.isWritable(DiskPath.folder(of: path))
    return try DatabaseQueue(
      path: CheckedFile.uri(path, isImmutable: isFixed), configuration: configuration)
  }

  /// Opens one more connection to a read model, for short reads that wait for no lock.
  /// - Parameter isPast: whether the file never changes, so that it needs no locks.
  /// - Returns: nil if the folder cannot be written, where SQLite has no shared memory.
  static func openQuick(_ path: String, isPast: Bool) throws -> DatabaseQueue? {
    guard try isPast || DiskPath.isWritable(DiskPath.folder(of: path)) else { return nil }
    var configuration = Configuration()
    if isPast { configuration.label = pastLabel }
    configuration.readonly = true
    configuration.busyMode = .immediateError
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA cache_size = -8192")
      try useExtensions(db)
    }
    return try DatabaseQueue(
      path: CheckedFile.uri(path, isImmutable: isPast), configuration: configuration)
  }
}
