import EventCore
import Foundation
import GRDB
import LogEngine
import Projections

/// Makes and opens stores: recovery of the log, then the judgement on the read model.
struct StoreOpening: Sendable {
  /// What an open store is made of.
  struct Parts: Sendable {
    var files: StoreFiles
    var log: EventLog
    var feed: LogFeed
    var recovery: RecoveryReport
    var gate: FileGate
    var replica: ReplicaID
    var engine: StoreEngine?
    var reader: any DatabaseReader
    var telemetry: StoreTelemetry
  }

  private let files: StoreFiles
  private let options: Store.Options
  private let environment: StoreEnvironment
  private let telemetry: StoreTelemetry

  init(url: URL, options: Store.Options, environment: StoreEnvironment = .system) {
    files = StoreFiles(folder: url)
    self.options = options
    self.environment = environment
    telemetry = StoreTelemetry(
      options, folder: url, clock: environment.wallMilliseconds)
  }

  private var logOptions: EventLog.Options {
    let environment = environment
    var options = EventLog.Options(random: {
      environment.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    })
    options.isReadOnly = self.options.isReadOnly
    options.lockTimeout = self.options.lockTimeout
    options.telemetry = telemetry.log
    return options
  }

  // MARK: Making

  func create() throws -> Parts {
    let folder = files.folder.path(percentEncoded: false)
    guard !options.isReadOnly else {
      throw StoreError(.readOnly, "a store cannot be made for reading only")
    }
    guard !files.exists else {
      throw StoreError(.alreadyExists, "there is a store at “\(folder)” already")
    }
    let manager = FileManager.default
    let content = try? manager.contentsOfDirectory(atPath: folder)
    if let content, !content.isEmpty {
      throw StoreError(
        .alreadyExists, "“\(folder)” is not empty", hint: "Name a new folder for the store")
    }
    do { try manager.createDirectory(at: files.folder, withIntermediateDirectories: true) } catch {
      if StoreError.isNoSpace(error) { throw error }
      throw StoreError(
        .ioFailed, "the folder “\(folder)” cannot be made",
        hint: "Check the path and its permissions")
    }
    do {
      let identity = try Identity(seed: environment.randomBytes(32))
      try IdentityFile(identity).write(files, key: identity)
      return try open()
    } catch {
      // Half a store would stand in the way of the next attempt.
      files.discard(withFolder: content == nil)
      throw error
    }
  }

  // MARK: Opening

  func open() throws -> Parts {
    let began = ContinuousClock.now
    let parts = try assemble()
    telemetry.opened(
      parts.log, isReadOnly: options.isReadOnly, after: ContinuousClock.now - began)
    return parts
  }

  /// Somebody took a branch out of the log, and was cut off while the logs changed places.
  private func finishBranchRemoval() throws {
    guard FileManager.default.fileExists(atPath: files.removal) else { return }
    guard !options.isReadOnly else {
      throw StoreError(
        .readOnly, "a fork is being put right, and the store is read-only",
        hint: "Open the store for writing once")
    }
    let gate = try FileGate(path: files.readModelLock, isReadOnly: false)
    guard gate.tryExclude() else {
      throw LogError(.locked, "another process is putting a fork right", hint: "try again")
    }
    defer { gate.release() }
    try BranchRemoval.finish(files)
  }

  private func assemble() throws -> Parts {
    try finishBranchRemoval()
    let identityFile = try IdentityFile.read(files)
    guard options.isReadOnly || access(files.folder.path(percentEncoded: false), W_OK) == 0 else {
      throw StoreError(
        .readOnly, "“\(files.folder.path(percentEncoded: false))” cannot be written",
        hint: "Open the store for reading only, or change its permissions")
    }
    let gate = try FileGate(path: files.readModelLock, isReadOnly: options.isReadOnly)
    gate.share()
    let lock = try FileLock(path: files.lock, isReadOnly: options.isReadOnly)
    let found = try peek()
    // What this replica's read model shows was durable: what the log lacks of it was lost. One that
    // came from elsewhere says nothing about this log.
    let applied = found?.replica == identityFile.replica ? found?.vector : nil
    let (log, recovery) = try EventLog.open(
      storage: FileStorage(folder: files.folder.path(percentEncoded: false)), lock: lock,
      options: logOptions, applied: applied)
    let feed = LogFeed(log)
    if options.isReadOnly {
      return try readOnlyParts(identityFile, gate, log, feed, recovery, found)
    }
    try prepareReadModel(found, log, feed, gate, identityFile.replica)
    let pool = try openPool(log, feed, gate, identityFile.replica)
    let engine = try StoreEngine(
      files: files, log: log, feed: feed, pool: pool, recovery: recovery,
      identityFile: identityFile, environment: environment, telemetry: telemetry,
      defersProjection: options.defersProjection)
    if log.damage.isEmpty { try engine.catchUp() }
    return Parts(
      files: files, log: log, feed: feed, recovery: recovery, gate: gate,
      replica: engine.replica, engine: engine, reader: pool, telemetry: telemetry)
  }

  private func readOnlyParts(
    _ identityFile: IdentityFile, _ gate: FileGate, _ log: EventLog, _ feed: LogFeed,
    _ recovery: RecoveryReport, _ found: ReadModelFile.Peek?
  ) throws -> Parts {
    let isUsable = try found.map {
      try !log.damage.isEmpty || $0.vector.contains(log.wholeVector) && isBorneOut($0, by: log)
    }
    guard isUsable == true else {
      throw StoreError(
        .readOnly, "the read model is not up to date with the log, and the store is read-only",
        hint: "Open the store for writing once, with `evtool rebuild`")
    }
    return Parts(
      files: files, log: log, feed: feed, recovery: recovery, gate: gate,
      replica: identityFile.replica, engine: nil,
      reader: try ReadModelFile.openReader(files.readModel), telemetry: telemetry)
  }

  private func peek() throws -> ReadModelFile.Peek? {
    try options.isReadOnly
      ? ReadModelFile.peekReading(files.readModel, source: NoEvents())
      : ReadModelFile.peek(files.readModel, source: NoEvents())
  }

  /// Leaves a read model in place that the log bears out and that is not far behind it.
  private func prepareReadModel(
    _ found: ReadModelFile.Peek?, _ log: EventLog, _ feed: LogFeed, _ gate: FileGate,
    _ replica: ReplicaID
  ) throws {
    let exists = FileManager.default.fileExists(atPath: files.readModel)
    if found != nil, options.rebuildsReadModel { try log.requireWhole() }
    if let found, !options.rebuildsReadModel {
      // A damaged log may hold less than the read model, which then is the best there is.
      if !log.damage.isEmpty { return }
      if try isBorneOut(found, by: log) {
        if !log.isWorthRebuilding(from: found.vector) { return }
      } else if gate.tryExclude() {
        telemetry.readModelSetAside(to: try ReadModelFile.setAside(files))
      }
    } else if exists, !options.rebuildsReadModel, gate.tryExclude() {
      telemetry.readModelSetAside(to: try ReadModelFile.setAside(files))
    }
    try rebuild(feed, replica, isAlone: gate.tryExclude())
    gate.share()
  }

  /// Opens the read model, and makes it again where only that shows it to be damaged.
  private func openPool(
    _ log: EventLog, _ feed: LogFeed, _ gate: FileGate, _ replica: ReplicaID
  ) throws -> DatabasePool {
    func open() throws -> DatabasePool {
      try ReadModelFile.openPool(files.readModel, defersProjection: options.defersProjection)
    }
    do { return try open() } catch {
      guard ReadModelFile.isDamage(error), log.damage.isEmpty, gate.tryExclude() else {
        throw error
      }
      telemetry.readModelSetAside(to: try ReadModelFile.setAside(files))
      try rebuild(feed, replica, isAlone: true)
      gate.share()
      return try open()
    }
  }

  /// Whether the log holds every event that the read model has applied, on the same chain.
  private func isBorneOut(_ found: ReadModelFile.Peek, by log: EventLog) throws -> Bool {
    guard log.wholeVector.contains(found.vector) else { return false }
    for (origin, sequence) in found.vector.entries {
      guard try log.chain(after: EventID(origin, sequence)) == found.chains[origin] else {
        return false
      }
    }
    return true
  }

  private func rebuild(_ feed: LogFeed, _ replica: ReplicaID, isAlone: Bool) throws {
    let turn = try RebuildTurn.wait(files)
    try withExtendedLifetime(turn) { try rebuildInTurn(feed, replica, isAlone) }
  }

  private func rebuildInTurn(_ feed: LogFeed, _ replica: ReplicaID, _ isAlone: Bool) throws {
    // Also where it fails: on a disk that is full, it would be what fills it.
    defer { try? StoreFiles.removeReadModel(files.nextReadModel) }
    try StoreFiles.removeReadModel(files.nextReadModel)
    if feed.wholeVector.isEmpty {
      try makeEmpty()
    } else {
      let progress = options.progress
      try telemetry.rebuilding("the read model", from: StoreTelemetry.events(feed.wholeVector)) {
        gauge in
        _ = try BulkRebuild(source: feed, options: .init(replica: replica)) { step in
          gauge(step)
          progress?(step)
        }.run(into: files.nextReadModel)
      }
    }
    if isAlone || !FileManager.default.fileExists(atPath: files.readModel) {
      try StoreFiles.removeReadModel(files.readModel)
      guard rename(files.nextReadModel, files.readModel) == 0 else {
        let number = errno
        throw StoreError(
          number == ENOSPC || number == EDQUOT ? .noSpace : .ioFailed,
          "the rebuilt read model cannot be put in place: \(String(cString: strerror(number)))")
      }
    } else {
      let next = try ReadModelFile.openAlone(files.nextReadModel)
      let pool = try ReadModelFile.openPool(files.readModel, isChecked: false)
      try ReadModelFile.replace(pool, with: next)
      try pool.close()
      try next.close()
    }
  }

  private func makeEmpty() throws {
    let queue = try ReadModelFile.openAlone(files.nextReadModel)
    try queue.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection else { return }
      let cache = StatementCache(connection)
      defer { cache.removeAll() }
      // Not by hand: GRDB ends the process that leaves a transaction open where this fails.
      try db.inTransaction {
        try ReadModelFormat.create(cache)
        return .commit
      }
    }
    try queue.close()
  }
}
