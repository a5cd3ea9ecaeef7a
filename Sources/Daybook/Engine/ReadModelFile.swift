import EventCore
import Foundation
import GRDB
import Projections

/// The read model's database file: opening it, and judging what is found there.
enum ReadModelFile {
  /// What a read model says of itself before anybody relies on it.
  struct Peek {
    /// With private origins.
    var vector: VersionVector
    var chains: [ReplicaID: Hash256]
    var digest: StateDigest
    /// Whose store it stands in; nil where it was made and never opened to write.
    var replica: ReplicaID?
  }

  /// - Returns: nil where there is no usable read model: none, one that cannot be read, or one of
  ///   another format. It is disposable: it will be made again.
  /// - Throws: where the disk is full, which says nothing about the read model.
  static func peek(_ path: String, source: any EventSource) throws -> Peek? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try judging {
      let queue = try openAlone(path)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { try peek($0, source: source) }
    }
  }

  /// Likewise, without writing anything.
  static func peekReading(_ path: String, source: any EventSource) throws -> Peek? {
    try judging {
      let reader = try openReader(path)
      defer { try? reader.close() }
      return try reader.read { try peek($0, source: source) }
    }
  }

  /// Nil for what is wrong with the read model itself.
  private static func judging(_ body: () throws -> Peek?) throws -> Peek? {
    do { return try body() } catch {
      if StoreError.isNoSpace(error) { throw error }
      return nil
    }
  }

  /// Whether SQLite says that the file is damaged, and not that it cannot be read just now.
  static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return Projections.Statement.isDamage(error.extendedResultCode.rawValue)
  }

  /// The version of a read model's internal tables.
  static func format(_ path: String) throws -> Int? {
    let queue = try openAlone(path)
    defer { try? queue.close() }
    return try queue.read { try Int.fetchOne($0, sql: "SELECT format FROM _daybook_checkpoint") }
  }

  static func peek(_ db: Database, source: any EventSource) throws -> Peek? {
    let checkpoint = try Row.fetchOne(
      db, sql: "SELECT format, rules, replica FROM _daybook_checkpoint")
    // A subscript of a type that the value is not of ends the process.
    let found = checkpoint.map { Array($0.databaseValues) } ?? []
    guard found.count == 3, Int.fromDatabaseValue(found[0]) == ReadModelFormat.version,
      Int.fromDatabaseValue(found[1]) == StateDigest.rules
    else { return nil }
    let replica = Data.fromDatabaseValue(found[2])
    let view = try ReadModelView(db, source: source)
    defer { view.close() }
    let vector = view.wholeVector
    let chains = vector.entries.map { ($0.origin, view.chain(of: $0.origin)) }
    return Peek(
      vector: vector, chains: Dictionary(uniqueKeysWithValues: chains), digest: view.digest,
      replica: replica.flatMap {
        $0.count == 16 ? $0.withUnsafeBytes { ReplicaID(bytes: $0) } : nil
      })
  }

  /// One connection, to a file that nobody else has open. Made where it is absent.
  static func openAlone(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      if let connection = db.sqliteConnection { CheckedFile.reserve(connection) }
    }
    return try DatabaseQueue(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// - Parameters:
  ///   - isChecked: false where all of it is about to be written anew.
  ///   - defersProjection: whether a transaction may stay open from one commit to the next.
  static func openPool(_ path: String, isChecked: Bool = true, defersProjection: Bool = false)
    throws -> DatabasePool
  {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = defersProjection
    configuration.label = "read-model"
    configuration.busyMode = .timeout(30)
    configuration.foreignKeysEnabled = false
    configuration.maximumReaderCount = 8
    configuration.prepareDatabase { db in
      if !isChecked, let connection = db.sqliteConnection {
        CheckedFile.setChecked(connection, false)
      }
      // First, and as safely as SQLite can: with less, a journal that a power cut has torn passes for a
      // whole one, as its checksum looks at every 200th byte.
      try useWriteAheadLog(db)
      // The log is what is durable; a power cut may cost the read model its latest commits, which
      // are caught up. Checkpoints of the WAL run on a thread of their own.
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
      try db.execute(sql: "PRAGMA cache_size = -32768")
    }
    return try DatabasePool(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// Where two connections do this to a new file at once, each would wait for the other, and SQLite
  /// refuses one of them, whatever time it was given: the other is done soon.
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

  /// For a store that is only read. Where the folder cannot be written, nobody else can write the
  /// file either, and SQLite is told so: it could not make its shared-memory file.
  /// - Parameter isChecked: false for one who has checked, and looks at what is damaged.
  static func openReader(_ path: String, isChecked: Bool = true) throws -> any DatabaseReader {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      if !isChecked, let connection = db.sqliteConnection {
        CheckedFile.setChecked(connection, false)
      }
    }
    let folder = (path as NSString).deletingLastPathComponent
    if access(folder, W_OK) != 0 {
      return try DatabaseQueue(
        path: CheckedFile.uri(path, isImmutable: true), configuration: configuration)
    }
    return try DatabasePool(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// Writes `next` over what `pool` has, as one transaction that readers in all processes survive.
  static func replace(_ pool: DatabasePool, with next: DatabaseQueue) throws {
    // What it overwrites may be damaged, which is why it is overwritten.
    setChecked(pool, false)
    defer { setChecked(pool, true) }
    try next.backup(to: pool)
  }

  private static func setChecked(_ pool: DatabasePool, _ isChecked: Bool) {
    pool.writeWithoutTransaction { db in
      if let connection = db.sqliteConnection { CheckedFile.setChecked(connection, isChecked) }
    }
  }

  /// Puts a read model that is not the log's aside, where a person may look at it.
  /// - Returns: where it is now.
  static func setAside(_ files: StoreFiles) throws -> String {
    let folder = files.quarantine
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var number = 1
    while FileManager.default.fileExists(atPath: "\(folder)/read-model-\(number).sqlite") {
      number += 1
    }
    let target = "\(folder)/read-model-\(number).sqlite"
    for (from, to) in zip(
      StoreFiles.readModelFiles(files.readModel), StoreFiles.readModelFiles(target))
    where FileManager.default.fileExists(atPath: from) {
      try FileManager.default.moveItem(atPath: from, toPath: to)
    }
    return target
  }
}
