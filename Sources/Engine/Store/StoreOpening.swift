import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
import Foundation
import GRDB

/// Makes and opens stores: recovers the log, then judges the read model.
struct StoreOpening: Sendable {
  /// The parts of an open store.
  struct Parts: Sendable {
    var files: StoreFiles
    var log: EventLog
    var feed: LogFeed
    var recovery: RecoveryReport
    var gate: StoreGate
    var replica: ReplicaID
    var engine: StoreEngine?
    var reader: any DatabaseReader
    var telemetry: StoreTelemetry
  }

  private let files: StoreFiles
  private let options: EngineOptions
  private let environment: StoreEnvironment
  private let telemetry: StoreTelemetry

  init(url: URL, options: EngineOptions, environment: StoreEnvironment = .system) {
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

  // MARK: - Making

  /// Makes a store in a new or empty folder.
  ///
  /// The gate is held exclusively until the store is complete. Until then no other process makes or
  /// opens a store there, or takes files away.
  func create() throws -> Parts {
    guard !options.isReadOnly else {
      throw StoreError(.readOnly, "a store cannot be made for reading only")
    }
    try requireNothing()
    let isMade = try DiskPath.makeFolder(files.path)
    let gate = StoreGate(files, timeout: options.lockTimeout)
    guard try gate.tryExclude() else {
      throw StoreError(
        .alreadyExists, "another process is making a store at “\(files.path)”, or has it open",
        hint: "Open that one, or name another folder")
    }
    try requireNothing()
    do {
      let identity = try Identity(seed: environment.randomBytes(32))
      try IdentityFile(identity).write(files, key: identity)
      return try open(gate)
    } catch {
      // An incomplete store would prevent the next attempt. A store that another process has opened
      // stays.
      if (try? gate.tryExclude()) == true { files.discard(withFolder: isMade) }
      throw error
    }
  }

  /// Checks that the folder is empty or does not exist.
  /// - Throws: ``StoreError`` `alreadyExists`.
  private func requireNothing() throws {
    guard try !files.exists else {
      throw StoreError(.alreadyExists, "there is a store at “\(files.path)” already")
    }
    guard try files.isEmpty else {
      throw StoreError(
        .alreadyExists, "“\(files.path)” is not empty", hint: "Name a new folder for the store")
    }
  }

  // MARK: - Opening

  /// Opens the store.
  /// - Parameter gate: a gate that the caller holds exclusively; nil to take a shared one.
  func open(_ gate: StoreGate? = nil) throws -> Parts {
    let began = ContinuousClock.now
    let parts = try assemble(try gate ?? ownGate())
    telemetry.opened(
      parts.log, isReadOnly: options.isReadOnly, after: ContinuousClock.now - began)
    return parts
  }

  /// Returns the gate, shared with all processes that have the store open, after an interrupted
  /// removal is finished.
  private func ownGate() throws -> StoreGate {
    // Without a store, there may be no folder to lock either.
    _ = try IdentityFile.read(files)
    let gate = StoreGate(files, timeout: options.lockTimeout)
    try gate.share()
    try finishBranchRemoval(gate)
    return gate
  }

  /// Finishes the removal of a branch from the log if a process was interrupted while it exchanged
  /// the logs.
  private func finishBranchRemoval(_ gate: StoreGate) throws {
    guard try DiskPath.exists(files.removal) else { return }
    guard !options.isReadOnly else {
      throw StoreError(
        .readOnly, "a fork is being put right, and the store is read-only",
        hint: "Open the store for writing once")
    }
    try BranchRemoval.finish(files, gate)
  }

  private func assemble(_ gate: StoreGate) throws -> Parts {
    let identityFile = try IdentityFile.read(files)
    guard try options.isReadOnly || DiskPath.isWritable(files.path) else {
      throw StoreError(
        .readOnly, "“\(files.path)” cannot be written",
        hint: "Open the store for reading only, or change its permissions")
    }
    let found = try peek()
    // The events in this replica's read model were durable: the log has lost those that it lacks.
    // The read model of another store says nothing about this log.
    let applied = found?.replica == identityFile.replica ? found?.vector : nil
    let (log, recovery) = try EventLog.open(
      storage: FileStorage(folder: files.path),
      lock: CommitLock(folder: files.path, isReadOnly: options.isReadOnly), options: logOptions,
      applied: applied)
    let feed = LogFeed(log)
    if options.isReadOnly {
      return try readOnlyParts(identityFile, gate, log, feed, recovery, found)
    }
    try prepareReadModel(found, log, feed, gate, identityFile.replica)
    // From here on other processes may have the store open, too.
    try gate.share()
    let pool = try openPool(log, feed, gate, identityFile.replica)
    let identity = StoreIdentity(
      identityFile, in: files, log, mustRenew: recovery.mustRenewIdentity,
      randomBytes: environment.randomBytes, noteRenewal: telemetry.renewed)
    let engine = try StoreEngine.open(
      files: files, log: log, feed: feed, readModel: pool, recovery: recovery,
      identity: identity, environment: environment, telemetry: telemetry,
      defersProjection: options.defersProjection)
    if log.damage.isEmpty { try engine.catchUp() }
    return Parts(
      files: files, log: log, feed: feed, recovery: recovery, gate: gate,
      replica: engine.replica, engine: engine, reader: pool, telemetry: telemetry)
  }

  private func readOnlyParts(
    _ identityFile: IdentityFile, _ gate: StoreGate, _ log: EventLog, _ feed: LogFeed,
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

  // MARK: - The read model

  /// The judgement on a read model.
  private enum Verdict {
    case good
    /// The log has many more events: a rebuild is quicker than catching up.
    case outdated
    /// There is no read model, it cannot be used, or it is not this log's.
    case unusable
  }

  private func verdict(_ found: ReadModelFile.Peek?, _ log: EventLog) throws -> Verdict {
    guard let found else { return .unusable }
    // A damaged log may hold less than the read model, which is then the best that there is.
    if !log.damage.isEmpty { return .good }
    guard try isBorneOut(found, by: log) else { return .unusable }
    return log.isWorthRebuilding(from: found.vector) ? .outdated : .good
  }

  /// Rebuilds the read model if the log does not bear it out, or is far ahead of it.
  private func prepareReadModel(
    _ found: ReadModelFile.Peek?, _ log: EventLog, _ feed: LogFeed, _ gate: StoreGate,
    _ replica: ReplicaID
  ) throws {
    if found != nil, options.rebuildsReadModel { try log.requireWhole() }
    guard try options.rebuildsReadModel || verdict(found, log) != .good else { return }
    let isAlone = try gate.tryExclude()
    if !isAlone { try gate.share() }
    if !options.rebuildsReadModel {
      // Another process may have replaced the read model meanwhile, and its events may be in the
      // log now.
      let now = try peek()
      try log.refreshForReading()
      let verdict = try verdict(now, log)
      if verdict == .good { return }
      if verdict == .unusable, isAlone { try setAside() }
    }
    try rebuild(log, feed, replica, isAlone: isAlone)
  }

  /// Moves the read model to quarantine.
  ///
  /// The caller has the store alone.
  private func setAside() throws {
    guard try DiskPath.exists(files.readModel) else { return }
    telemetry.readModelSetAside(to: try Quarantine(files: files).setReadModelAside())
  }

  /// Opens the read model.
  ///
  /// Rebuilds it if opening shows that it is damaged.
  private func openPool(
    _ log: EventLog, _ feed: LogFeed, _ gate: StoreGate, _ replica: ReplicaID
  ) throws -> DatabasePool {
    func open() throws -> DatabasePool {
      // GRDB writes to the database. Beside a process that writes all the time, SQLite's own lock
      // is hardly ever free when a connection looks.
      try log.lock()
      defer { log.unlock() }
      return try ReadModelFile.openPool(files.readModel, defersProjection: options.defersProjection)
    }
    do { return try open() } catch {
      guard ReadModelFile.isDamage(error), log.damage.isEmpty, try gate.tryExclude() else {
        throw error
      }
      try setAside()
      try rebuild(log, feed, replica, isAlone: true)
      try gate.share()
      return try open()
    }
  }

  /// Returns whether the log holds every event that the read model has applied, on the same chain.
  private func isBorneOut(_ found: ReadModelFile.Peek, by log: EventLog) throws -> Bool {
    guard log.wholeVector.contains(found.vector) else { return false }
    for (origin, sequence) in found.vector.entries {
      guard try log.chain(after: EventID(origin, sequence)) == found.chains[origin] else {
        return false
      }
    }
    return true
  }

  /// Rebuilds the read model and puts it in place.
  /// - Parameter isAlone: whether the gate is held exclusively, so that no other process has the
  ///   store open.
  private func rebuild(
    _ log: EventLog, _ feed: LogFeed, _ replica: ReplicaID, isAlone: Bool
  ) throws {
    let turn = try RebuildTurn.wait(files)
    let progress = options.progress
    let rebuilt = try telemetry.rebuilding(
      "the read model", from: StoreTelemetry.events(feed.wholeVector)
    ) { gauge in
      try RebuiltReadModel.build(files, feed, replica, turn: turn) { step in
        gauge(step)
        progress?(step)
      }
    }
    try log.lock()
    defer { log.unlock() }
    if try isAlone || !DiskPath.exists(files.readModel) { return try rebuilt.putInPlace() }
    let pool = try ReadModelFile.openPool(files.readModel, isChecked: false)
    try pool.writeWithoutTransaction { try rebuilt.replace($0) }
    try pool.close()
  }
}
