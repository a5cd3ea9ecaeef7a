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

/// What ``Store/verify(at:progress:)`` found.
public struct StoreVerification: Sendable {
  public var log: LogVerification
  /// What is wrong with the small files beside the log: the identity and its key.
  public var fileFindings: [String] = []
  /// What is wrong with the read model's file and its search indexes.
  public var readModelFindings: [String] = []
  /// The first thing in which the read model is not what the log says.
  public var difference: ReadModelDifference?
  /// Whether the read model was compared with the log. Not so where either could not be read.
  public var isCompared = false
  /// What is worth knowing and nothing wrong.
  public var notes: [String] = []
  /// The read model's; nil where that could not be read.
  public var digest: StateDigest?

  /// Whether all that cannot be made again is as it was written.
  public var isDurablySound: Bool { log.isSound && fileFindings.isEmpty }
  public var isSound: Bool {
    isDurablySound && readModelFindings.isEmpty && difference == nil
  }
}

extension Store {
  /// The digest of the state, as the checkpoint has it. Cost: one row.
  public func digest() async throws -> DigestReport {
    try await view { view, _ in
      DigestReport(
        digest: view.digest, vector: view.vector, isComplete: view.opaqueCount == 0)
    }
  }

  // MARK: - Rebuilding

  /// Makes the read model anew from the log, aside, and puts it in the place of the old one as one
  /// transaction. Reads and writes go on meanwhile, in this process and in others; another rebuild is
  /// waited for.
  /// - Parameter progress: called on a thread of its own.
  /// - Throws: `LogError` `damaged` where the log is: the old read model may hold what the log has
  ///   lost, and stays.
  public func rebuild(progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in })
    async throws
  {
    let (files, feed, replica) = (files, feed, replica)
    try requireWritable()
    try log.requireWhole()
    do {
      let telemetry = telemetry
      let rebuilt = try await Blocking.run {
        let turn = try RebuildTurn.wait(files)
        return try telemetry.rebuilding(
          "the read model", from: StoreTelemetry.events(feed.wholeVector)
        ) { gauge in
          try RebuiltReadModel(files, feed, replica, turn: turn) { step in
            gauge(step)
            progress(step)
          }
        }
      }
      try await onCommitThread { try $0.replaceReadModel(with: rebuilt) }
    } catch {
      throw StoreError.orNoSpace(
        error, "the read model stays as it was", in: url,
        FileManager.default.temporaryDirectory)
    }
  }

  /// Makes one collection's table, search index, states, history and conflicts again from the log, as
  /// one transaction: reads go on meanwhile with what was there, in this process and in others, and
  /// writes wait. The other collections stay as they are.
  ///
  /// Cost: reads the whole log, and applies the writes to that collection one by one; then adds up the
  /// digest of everything. Where most of the store is in that collection, ``rebuild(progress:)`` is
  /// quicker.
  /// - Parameters:
  ///   - collection: one that an event has named, declared or not.
  ///   - progress: called on the commit thread.
  /// - Throws: ``StoreError`` `unknownName`; `LogError` `damaged` where the log is: the old rows may
  ///   hold what the log has lost, and stay; ``StoreError`` `noSpace`. All is as it was then.
  public func rebuild(
    collection: String, progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> CollectionRebuild {
    try requireWritable()
    try log.requireWhole()
    let known = try await view { view, _ in view.schema.sorted.map(\.name) }
    let total = Int(clamping: StoreTelemetry.events(log.wholeVector))
    let telemetry = telemetry
    do {
      let (operations, isConsistent) = try await onCommitThread { engine in
        try telemetry.rebuilding("a collection", from: UInt64(total)) { gauge in
          try engine.rebuild(collection: collection) { done in
            let step = RebuildProgress(phase: .reading, done: done, total: max(total, done))
            gauge(step)
            progress(step)
          }
        }
      }
      let digest = try await digest()
      return CollectionRebuild(
        collection: collection, operations: operations, isConsistent: isConsistent, digest: digest)
    } catch let error as ProjectionError where error.code == .unknownName {
      throw StoreError(
        .unknownName, error.message,
        hint: NameSuggestion.hint(for: collection, among: known, none: "Nothing is defined yet"))
    } catch {
      throw StoreError.orNoSpace(
        error, "the collection stays as it was", in: url,
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
    guard try await Blocking.run({ try !DiskPath.exists(path) }) else {
      throw StoreError(.alreadyExists, "“\(path)” is there already", hint: "Name a new file")
    }
    var selection = past ?? .all
    if let position { selection = try await known(position) }
    let outcome = try await build(selection, into: file, progress)
    return DigestReport(
      digest: outcome.digest, vector: outcome.vector, isComplete: outcome.opaqueCount == 0)
  }

  func build(
    _ selection: Selection, into file: URL,
    _ progress: @escaping @Sendable (RebuildProgress) -> Void
  ) async throws -> Rebuild.Outcome {
    let feed = feed
    return try await Blocking.run {
      do {
        return try Rebuild(source: feed, progress: progress).run(
          into: file.path(percentEncoded: false), selection: selection)
      } catch {
        throw StoreError.orNoSpace(
          error, "the read model was not made", in: file.deletingLastPathComponent(),
          FileManager.default.temporaryDirectory)
      }
    }
  }

  /// Makes a read model aside and names the first thing in which a store's own differs, for what that
  /// has applied. Does not open the store, and so changes nothing.
  /// - Returns: nil where it is what the log says.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged`, `ioFailed`; what reading the log
  ///   throws.
  public static func readModelDifference(
    at url: URL, progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
  ) async throws -> ReadModelDifference? {
    try await Blocking.run { try StoreVerifier(folder: url).difference(progress: progress) }
  }

  // MARK: - Verifying

  /// Verifies this store as it lies on the disk: see ``verify(at:progress:)``.
  public func verify(
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> StoreVerification {
    try await Self.verify(at: url, progress: progress)
  }

  /// Verifies a store without opening it, and so without putting right what opening puts right.
  ///
  /// Reads every byte of the log and checks it, with the chain of hashes; checks every page of the
  /// read model and SQLite's and FTS5's structures in it, recomputes the digest from the rows, makes
  /// a read model aside and compares both to the last internal table. Others may use the store
  /// meanwhile.
  ///
  /// Cost: reads everything, and needs room for the read model twice among the temporary files.
  /// - Parameter progress: how far the log has been read, in bytes.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged` (the identity, or no log at all),
  ///   `ioFailed`; `LogError` where a file cannot be read. Other damage is no error: it is what is
  ///   looked for.
  public static func verify(
    at url: URL,
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> StoreVerification {
    try await Blocking.run { try StoreVerifier(folder: url).run(progress: progress) }
  }

  func requireWritable() throws(StoreError) {
    if options.isReadOnly {
      throw StoreError(.readOnly, "the store was opened for reading only")
    }
  }
}
