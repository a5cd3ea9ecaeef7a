public import EventCore
public import Foundation
import GRDB
public import LogEngine
public import Projections

/// What two replicas compare to know that they show the same.
public struct DigestReport: Hashable, Sendable {
  public var digest: StateDigest
  /// The events that it covers.
  public var vector: VersionVector
  /// Whether this version understood all of them. If not, another version may show another state.
  public var isComplete: Bool
}

/// What ``Store/verify(progress:)`` found.
public struct StoreVerification: Sendable {
  public var log: LogVerification
  /// What is wrong with the read model; nil where it is what the log says.
  public var difference: ReadModelDifference?
  /// What else is wrong: in the read model's indexes, or in small files.
  public var findings: [String]
  public var digest: StateDigest

  public var isSound: Bool { log.isSound && difference == nil && findings.isEmpty }
}

extension Store {
  /// The digest of the state, as the checkpoint has it. Cost: one row.
  public func digest() async throws -> DigestReport {
    try await view { view, _ in
      DigestReport(
        digest: view.digest, vector: view.vector, isComplete: view.opaqueCount == 0)
    }
  }

  // MARK: Rebuilding

  /// Makes the read model anew from the log, aside, and puts it in the place of the old one as one
  /// transaction. Reads and writes go on meanwhile, in this process and in others.
  /// - Parameter progress: called on a thread of its own.
  /// - Throws: `LogError` `damaged` where the log is: the old read model may hold what the log has
  ///   lost, and stays.
  public func rebuild(progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in })
    async throws
  {
    let (files, feed) = (files, feed)
    try requireWritable()
    try log.requireWhole()
    do {
      try await Blocking.run {
        _ = try BulkRebuild(source: feed, progress: progress).run(into: files.nextReadModel)
      }
      try await onCommitThread { engine in
        defer { try? StoreFiles.removeReadModel(files.nextReadModel) }
        try engine.replaceReadModel(with: files.nextReadModel)
      }
    } catch {
      throw StoreError.orNoSpace(
        error, "the read model stays as it was", in: url,
        FileManager.default.temporaryDirectory)
    }
  }

  /// Makes a read model of a moment of the past, in a file of its own that any SQLite tool opens.
  /// - Parameters:
  ///   - position: which events; nil for all.
  ///   - file: must not exist.
  /// - Returns: the digest of that state.
  /// - Throws: ``StoreError`` `alreadyExists`, `invalidPosition`; what reading the log throws.
  @discardableResult
  public func rebuild(
    until position: Position?, into file: URL,
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> DigestReport {
    let path = file.path(percentEncoded: false)
    guard !FileManager.default.fileExists(atPath: path) else {
      throw StoreError(.alreadyExists, "“\(path)” is there already", hint: "Name a new file")
    }
    var selection = Selection.all
    if let position { selection = try await known(position) }
    let outcome = try await build(selection, into: file, progress)
    return DigestReport(
      digest: outcome.digest, vector: outcome.vector, isComplete: outcome.opaqueCount == 0)
  }

  func build(
    _ selection: Selection, into file: URL,
    _ progress: @escaping @Sendable (RebuildProgress) -> Void
  ) async throws -> BulkRebuild.Outcome {
    let feed = feed
    return try await Blocking.run {
      do {
        return try BulkRebuild(source: feed, progress: progress).run(
          into: file.path(percentEncoded: false), selection: selection)
      } catch {
        throw StoreError.orNoSpace(
          error, "the read model was not made", in: file.deletingLastPathComponent(),
          FileManager.default.temporaryDirectory)
      }
    }
  }

  /// Makes a read model aside and names the first thing in which the live one differs.
  /// - Returns: nil where the live one is what the log says.
  public func readModelDifference(
    progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> ReadModelDifference? {
    // The rows may show what another process wrote and this one has not read in the log yet.
    if !options.isReadOnly { try await onCommitThread { engine in try engine.catchUp() } }
    let (feed, reader) = (feed, reader)
    let folder = FileManager.default.temporaryDirectory
    let path = folder.appending(path: "daybook-verify-\(UUID()).sqlite").path(
      percentEncoded: false)
    return try await Blocking.run {
      defer { try? StoreFiles.removeReadModel(path) }
      do {
        return try reader.read { live in
          let vector = try Self.vector(of: live, feed)
          _ = try BulkRebuild(source: feed, progress: progress).run(
            into: path, selection: .vector(vector))
          return try Self.firstDifference(live, path, feed)
        }
      } catch { throw StoreError.orNoSpace(error, "the read model was not compared", in: folder) }
    }
  }

  private static func vector(of db: Database, _ feed: LogFeed) throws -> VersionVector {
    let view = try ReadModelView(db, source: feed)
    defer { view.close() }
    return view.vector
  }

  private static func firstDifference(_ live: Database, _ path: String, _ feed: LogFeed) throws
    -> ReadModelDifference?
  {
    let fresh = try DatabaseQueue(path: path)
    defer { try? fresh.close() }
    return try fresh.read { db in
      guard let a = live.sqliteConnection, let b = db.sqliteConnection else { return nil }
      let view = try ReadModelView(db, source: feed)
      defer { view.close() }
      let comparison = ReadModelComparison(live: a, fresh: b, schema: view.schema)
      defer { comparison.close() }
      return try comparison.firstDifference()
    }
  }

  // MARK: Verifying

  /// Reads every byte of the log and checks it; recomputes the digest from the rows; checks SQLite's
  /// structures and the search indexes; makes a read model aside and compares.
  /// - Parameter progress: how far the log has been read, in bytes.
  public func verify(
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> StoreVerification {
    let (log, files) = (log, files)
    let logReport = try await Blocking.run { try log.verify(progress: progress) }
    var findings: [String] = []
    do { _ = try IdentityFile.read(files) } catch { findings.append("\(error)") }
    var difference: ReadModelDifference?
    do {
      findings += try await structureFindings()
      difference = try await digestDifference()
      if difference == nil, logReport.isSound { difference = try await readModelDifference() }
    } catch {
      if StoreError.isNoSpace(error) {
        throw StoreError.orNoSpace(
          error, "the read model was not compared", in: url,
          FileManager.default.temporaryDirectory)
      }
      difference = ReadModelDifference(place: "read model", message: "cannot be read: \(error)")
    }
    let sum = (try? await digest().digest) ?? StateDigest()
    return StoreVerification(
      log: logReport, difference: difference, findings: findings, digest: sum)
  }

  private func digestDifference() async throws -> ReadModelDifference? {
    try await view { view, _ in
      let sum = try view.recomputedDigest()
      guard sum != view.digest else { return nil }
      return ReadModelDifference(
        place: "checkpoint",
        message: "the rows add up to the digest \(sum), and the checkpoint says \(view.digest)")
    }
  }

  /// What SQLite and FTS5 say of their own structures.
  private func structureFindings() async throws -> [String] {
    var findings = try await reader.read { db in
      try String.fetchAll(db, sql: "PRAGMA integrity_check(10)").filter { $0 != "ok" }
        .map { "read model: \($0)" }
    }
    guard !options.isReadOnly else { return findings }
    findings += try await onCommitThread { engine in
      try engine.inspect { db in
        try Search.indexes(db).compactMap { name in
          let quoted = "\"\(name)\""
          do {
            try db.execute(
              sql: "INSERT INTO \(quoted)(\(quoted), rank) VALUES ('integrity-check', 1)")
            return nil
          } catch {
            return "the search index \(name) does not match its table"
          }
        }
      }
    }
    return findings
  }

  func requireWritable() throws(StoreError) {
    if options.isReadOnly {
      throw StoreError(.readOnly, "the store was opened for reading only")
    }
  }
}
