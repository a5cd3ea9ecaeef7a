import EventCore
import Foundation
import GRDB
import LogEngine
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

  /// - Returns: nil if there is no usable read model: none, a damaged one, or one of another format. It is
  ///   disposable: it will be made again.
  /// - Throws: if the file cannot be read just now. It may be sound all the same, and the only evidence of how
  ///   far the log went.
  static func peek(_ path: String, source: any EventSource) throws -> Peek? {
    guard try DiskPath.exists(path) else { return nil }
    return try judging(path) {
      let queue = try openAlone(path)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { try peek($0, source: source) }
    }
  }

  /// Likewise, without writing anything.
  static func peekReading(_ path: String, source: any EventSource) throws -> Peek? {
    guard try DiskPath.exists(path) else { return nil }
    return try judging(path) {
      let reader = try openReader(path)
      defer { try? reader.close() }
      return try reader.read { try peek($0, source: source) }
    }
  }

  /// Nil for what is wrong with the read model itself.
  private static func judging(_ path: String, _ body: () throws -> Peek?) throws -> Peek? {
    do { return try body() } catch {
      if isAboutContents(error) { return nil }
      if StoreError.isNoSpace(error) || error is StoreError { throw error }
      throw StoreError(
        .ioFailed, "the read model cannot be read: \(StoreError.words(error))",
        hint:
          "Nothing was changed: try again. If the disk cannot read “\(path)” any more, move that "
          + "file away, and it is made again from the log")
    }
  }

  /// Whether an error says what is in the file, and not that it cannot be read just now.
  private static func isAboutContents(_ error: any Error) -> Bool {
    switch error {
    // Also a table or a column that is not there.
    case let error as DatabaseError: isDamage(error) || error.resultCode == .SQLITE_ERROR
    case let error as ProjectionError: error.code != .sqlite && error.code != .noSpace
    case is EventError: true
    // No event is asked for by a read model that is in order.
    case let error as LogError: error.code == .notFound
    default: false
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
    var found: [Cell] = []
    try db.forEachRow("SELECT format, rules, replica FROM _daybook_checkpoint LIMIT 1") {
      found = $0.cells
    }
    guard found.count == 3, found[0] == .integer(Int64(ReadModelFormat.version)),
      found[1] == .integer(Int64(StateDigest.rules))
    else { return nil }
    var replica: ReplicaID?
    if case .blob(let bytes) = found[2], bytes.count == 16 {
      replica = bytes.withUnsafeBytes { ReplicaID(bytes: $0) }
    }
    let view = try ReadModelView(db, source: source)
    defer { view.close() }
    let vector = view.wholeVector
    let chains = vector.entries.map { ($0.origin, view.chain(of: $0.origin)) }
    return Peek(
      vector: vector, chains: Dictionary(uniqueKeysWithValues: chains), digest: view.digest,
      replica: replica)
  }

  /// Brings a read model that nothing else has open up to the log.
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

  /// One connection, to a file that nobody else has open. Made where it is absent.
  static func openAlone(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      if let connection = db.sqliteConnection { CheckedFile.reserve(connection) }
      try useTokenizers(db)
    }
    return try DatabaseQueue(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// - Parameters:
  ///   - isChecked: false where all of it is about to be written anew.
  ///   - defersProjection: whether a transaction may stay open from one commit to the next.
  /// - Throws: also where there is none: an empty one would be no read model.
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
      // First, and as safely as SQLite can: with less, a journal that a power cut has torn passes for a
      // whole one, as its checksum looks at every 200th byte.
      try useWriteAheadLog(db)
      // The log is what is durable; a power cut may cost the read model its latest commits, which
      // are caught up. Checkpoints of the WAL run on a thread of their own.
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
      try db.execute(sql: cacheSQL)
      try useTokenizers(db)
    }
    return try DatabasePool(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// So that what users ask in SQL may search, too.
  private static func useTokenizers(_ db: Database) throws {
    if let connection = db.sqliteConnection { try SearchTokenizer.register(connection) }
  }

  /// Up to 32 MiB a connection.
  private static let cacheSQL = "PRAGMA cache_size = -32768"

  /// A moment of the past: a file that nobody else has open and that never changes again. So SQLite need
  /// neither lock it nor look whether it has changed, and reads of it need no transaction.
  static func openPast(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    // A reader may begin one all the same, and GRDB would end the process where it is left open.
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { db in
      try db.execute(sql: cacheSQL)
      try useTokenizers(db)
    }
    return try DatabaseQueue(
      path: CheckedFile.uri(path, isImmutable: true), configuration: configuration)
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
      try db.execute(sql: cacheSQL)
      try useTokenizers(db)
    }
    if try !DiskPath.isWritable(DiskPath.folder(of: path)) {
      return try DatabaseQueue(
        path: CheckedFile.uri(path, isImmutable: true), configuration: configuration)
    }
    return try DatabasePool(path: CheckedFile.uri(path), configuration: configuration)
  }

  /// Read models in quarantine. Each is as large as the store's own, and can be made again from the log.
  static let keptAside = 3

  /// Moves a read model that is not the log's to quarantine, and removes the oldest there if they become more
  /// than ``keptAside``. The caller has the store alone.
  /// - Returns: the path that it has now.
  static func setAside(_ files: StoreFiles) throws -> String {
    let folder = files.quarantine
    try DiskPath.makeFolder(folder)
    let numbers = try (DiskPath.list(folder) ?? []).compactMap(asideNumber).sorted()
    let target = asidePath(folder, (numbers.last ?? 0) + 1)
    for (from, to) in zip(
      StoreFiles.readModelFiles(files.readModel), StoreFiles.readModelFiles(target))
    where try DiskPath.exists(from) { try DiskPath.move(from, to: to) }
    try DiskPath.sync(folder: folder)
    try DiskPath.sync(folder: files.path)
    for number in numbers.dropLast(keptAside - 1) {
      for path in StoreFiles.readModelFiles(asidePath(folder, number)) { try DiskPath.remove(path) }
    }
    return target
  }

  private static func asidePath(_ folder: String, _ number: Int) -> String {
    "\(folder)/read-model-\(number).sqlite"
  }

  private static func asideNumber(_ name: String) -> Int? {
    guard name.hasPrefix("read-model-"), name.hasSuffix(".sqlite") else { return nil }
    guard let number = Int(name.dropFirst(11).dropLast(7)), (1..<Int.max).contains(number) else {
      return nil
    }
    return number
  }
}
