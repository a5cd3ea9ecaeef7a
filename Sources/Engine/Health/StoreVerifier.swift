import DaybookEventCore
import DaybookLogEngine
package import DaybookProjections
package import Foundation
import GRDB

/// Verifies a store as it lies on the disk.
///
/// Everything is opened for reading only, because opening for writing repairs what is to be found.
/// The read model is copied first, so that writers can continue.
package struct StoreVerifier {
  private let files: StoreFiles

  package init(folder: URL) { files = StoreFiles(folder: folder) }

  package func run(progress: @escaping @Sendable (UInt64, UInt64) -> Void) throws
    -> StoreVerification
  {
    let identityFile = try IdentityFile.read(files)
    // Copy the read model before opening the log, which only grows.
    let copy = TemporaryFile.path("daybook-copy")
    defer { try? StoreFiles.removeReadModel(copy) }
    let faults = try copyReadModel(to: copy)
    let found = try ReadModelFile.peek(copy, source: NoEvents())
    let log = try EventLog.reading(files, applied: found?.vector)
    defer { try? log.close() }
    let feed = LogFeed(log)
    let lag = found.map { feed.wholeVector.lead(over: $0.vector) } ?? 0
    // The events that are not projected yet are tried too: one of them may make every opening fail.
    let projected = lag == 0 ? nil : Result { try Self.project(copy, log, from: found?.vector) }
    // Run both at once: the log's chain and SQLite's structures take as long as a rebuild.
    let structure = BackgroundWork {
      (try log.verify(progress: progress), found == nil ? [] : try Self.structureFindings(copy))
    }
    let difference = found.map { _ in Result { try Self.difference(copy, feed) } }
    let whole = found == nil ? Result { try Self.projectWhole(feed) } : nil
    let (verification, findings) = try structure.get()
    var result = StoreVerification(log: verification)
    try checkKey(identityFile, &result)
    result.readModelFindings = faults
    let isHub = (try? log.snapshot().isHub(identityFile.replica)) ?? false
    guard let found, let difference else {
      try noteMissingReadModel(copy, isHub: isHub, &result)
      try takeDigest(whole, &result)
      return result
    }
    if lag > 0, !isHub { result.notes.append("the read model is \(lag) events behind the log") }
    result.digest = found.digest
    result.readModelFindings += findings
    do {
      guard result.log.isSound else {
        // Lost events cannot be compared with; the rows must still add up.
        result.difference = try Self.digestDifference(copy, feed)
        return result
      }
      try projected?.get()
      result.difference = try difference.get()
      result.isCompared = true
    } catch {
      try Self.refuseNoSpace(error)
      result.readModelFindings.append("the read model cannot be read: \(StoreError.words(error))")
    }
    return result
  }

  /// Applies the rest of the log to the copy or, if it is long, to a new read model.
  private static func project(_ copy: String, _ log: EventLog, from vector: VersionVector?) throws {
    let feed = LogFeed(log)
    if let vector, log.isWorthRebuilding(from: vector) {
      _ = try projectWhole(feed)
      return
    }
    let queue = try ReadModelFile.openAlone(copy)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection else { return }
      let projector = try Projector(connection: connection, source: feed)
      projector.willChangeTables = { _ = try? db.makeStatement(sql: "SELECT 1") }
      defer { projector.close() }
      try ReadModelFile.catchUp(projector, db)
    }
  }

  /// Builds a read model of the whole log, as the next opening without one will do.
  /// - Returns: the digest of its state.
  private static func projectWhole(_ feed: LogFeed) throws -> StateDigest {
    let path = TemporaryFile.path("daybook-verify")
    defer { try? StoreFiles.removeReadModel(path) }
    return try Rebuild(source: feed).run(into: path).digest
  }

  /// Notes the state of a log that has no read model, or why no read model can be made from it.
  private func takeDigest(
    _ whole: Result<StateDigest, any Error>?, _ result: inout StoreVerification
  ) throws {
    // What a damaged log holds is found by reading it.
    guard result.log.isSound else { return }
    do { result.digest = try whole?.get() } catch {
      try Self.refuseNoSpace(error)
      result.readModelFindings.append(
        "no read model can be made from the log: \(StoreError.words(error))")
    }
  }

  private func noteMissingReadModel(
    _ copy: String, isHub: Bool, _ result: inout StoreVerification
  ) throws {
    guard result.readModelFindings.isEmpty else { return }
    let next = "it is made with the next opening"
    if try !DiskPath.exists(files.readModel) {
      result.notes.append(
        isHub ? "a hub needs no read model" : "the read model is not there: \(next)")
    } else if let format = try? ReadModelFile.format(copy), format != ReadModelFormat.version {
      result.notes.append("the read model has format \(format): \(next) in this version's")
    } else {
      result.readModelFindings = ["the read model's internal tables cannot be read"]
    }
  }

  /// Returns the first difference between the read model and the log, for the events that it has
  /// applied.
  package func difference(progress: @escaping @Sendable (RebuildProgress) -> Void) throws
    -> ReadModelDifference?
  {
    _ = try IdentityFile.read(files)
    let copy = TemporaryFile.path("daybook-copy")
    defer { try? StoreFiles.removeReadModel(copy) }
    let faults = try copyReadModel(to: copy)
    guard let found = try ReadModelFile.peek(copy, source: NoEvents()) else {
      let fault = faults.first ?? "it is not there, or of another format"
      return ReadModelDifference(place: "read model", message: fault)
    }
    let log = try EventLog.reading(files, applied: found.vector)
    defer { try? log.close() }
    let feed = LogFeed(log)
    let difference: ReadModelDifference?
    do { difference = try Self.difference(copy, feed, progress) } catch {
      try Self.refuseNoSpace(error)
      throw error
    }
    return difference ?? faults.first.map { ReadModelDifference(place: "read model", message: $0) }
  }

  /// Checks the key file to the last byte; opening the store accepts a less exact one.
  private func checkKey(_ identityFile: IdentityFile, _ result: inout StoreVerification) throws {
    let next = "the store will take a new identity when it is next written to"
    guard try DiskPath.exists(files.key) else {
      result.notes.append("the private key is not here, as in a restored backup: \(next)")
      return
    }
    guard try DiskPath.isReadable(files.key), let data = try DiskPath.read(files.key) else {
      result.notes.append("the private key may not be read by this user")
      return
    }
    if let identity = try identityFile.identity(files) {
      guard data != Data((Hex.encode(identity.seed) + "\n").utf8) else { return }
      result.fileFindings.append("the file “identity.key” is not as it was written")
    } else {
      result.fileFindings.append("the file “identity.key” is damaged or another store's: \(next)")
    }
  }

  // MARK: - The read model

  /// Copies the read model, and returns the problems of its file; none if there is no file.
  ///
  /// A damaged file is copied too, as far as possible: the copy may show which row is wrong.
  private func copyReadModel(to copy: String) throws -> [String] {
    guard try DiskPath.exists(files.readModel) else { return [] }
    var faults: [String] = []
    do {
      let check = try CheckedFile.check(files.readModel)
      if !check.damaged.isEmpty { faults.append(Self.describe(check)) }
      if check.excess > 0 { faults.append("the read model's last page is cut off") }
      let reader = try ReadModelFile.openReader(files.readModel, isChecked: false)
      defer { try? reader.close() }
      let target = try ReadModelFile.openAlone(copy)
      defer { try? target.close() }
      try reader.backup(to: target)
    } catch {
      try Self.refuseNoSpace(error)
      if faults.isEmpty {
        faults.append("the read model cannot be read: \(StoreError.words(error))")
      }
    }
    return faults
  }

  private static func describe(_ check: CheckedFile.Check) -> String {
    let pages = check.damaged.prefix(5).map(String.init).joined(separator: ", ")
    let more = check.damaged.count > 5 ? ", …" : ""
    return check.damaged.count == 1
      ? "page \(pages) of \(check.pages) of the read model does not match its checksum"
      : "\(check.damaged.count) of \(check.pages) pages of the read model do not match their "
        + "checksums: \(pages)\(more)"
  }

  /// Throws if the disk is full, which says nothing about the store.
  private static func refuseNoSpace(_ error: any Error) throws {
    guard StoreError.isNoSpace(error) else { return }
    throw StoreError.orNoSpace(
      error, "the read model was not compared", in: FileManager.default.temporaryDirectory)
  }

  /// Returns the problems that SQLite and FTS5 find in their structures.
  private static func structureFindings(_ copy: String) throws -> [String] {
    do {
      // FTS5 checks itself with a statement that writes. A transaction that began as a reader could
      // be refused it.
      return try read(copy, .immediate) { db in
        let check = ReadModelCheck(db)
        return try check.structureFindings() + check.searchFindings()
      }
    } catch {
      try refuseNoSpace(error)
      return ["the read model cannot be read: \(StoreError.words(error))"]
    }
  }

  private static func difference(
    _ copy: String, _ feed: LogFeed,
    _ progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) throws -> ReadModelDifference? {
    try read(copy) { try ReadModelCheck($0).difference(from: feed, progress: progress) }
  }

  private static func digestDifference(_ copy: String, _ feed: LogFeed) throws
    -> ReadModelDifference?
  {
    try read(copy) { try ReadModelCheck($0).digestDifference(feed) }
  }

  /// Runs `body` in one transaction: without one, SQLite looks at the file's locks for each
  /// statement.
  private static func read<T>(
    _ copy: String, _ kind: Database.TransactionKind = .deferred, _ body: (Database) throws -> T
  ) throws -> T {
    let queue = try ReadModelFile.openAlone(copy)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { db in
      var outcome: T?
      try db.inTransaction(kind) {
        outcome = try body(db)
        return .rollback
      }
      guard let outcome else { throw StoreError(.other, "the read model was not looked at") }
      return outcome
    }
  }
}
