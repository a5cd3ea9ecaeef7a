import DaybookEngine
public import DaybookEventCore
import DaybookLogEngine
public import DaybookProjections
public import Foundation
import GRDB

extension Store {
  /// The digest of a replica's state: two replicas compare it to know that they show the same.
  public struct DigestReport: Hashable, Sendable {
    /// The digest of the state.
    public var digest: StateDigest
    /// The events that the digest covers.
    public var vector: VersionVector
    /// Whether this version of Daybook understood all of the events.
    ///
    /// If not, another version may show another state.
    public var isComplete: Bool
  }
}

extension Store {
  /// Returns the digest of the state, as the checkpoint has it.
  ///
  /// Cost: one row.
  public func digest() async throws -> Store.DigestReport {
    try await core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      return Store.DigestReport(
        digest: view.digest, vector: view.vector, isComplete: view.opaqueCount == 0)
    }
  }

  // MARK: - Rebuilding

  /// Rebuilds the read model from the log, and replaces the old one in one transaction.
  ///
  /// The new read model is built in a file of its own. Reads and writes continue meanwhile, in this
  /// process and in others. If another rebuild is running, this one waits for it.
  /// - Parameter progress: called on a thread of its own.
  /// - Throws: ``StoreError`` `damaged` if the log is damaged: the old read model may hold what the
  ///   log has lost, and stays; `readOnly` or `noSpace`.
  public func rebuild(progress: @escaping @Sendable (Store.RebuildProgress) -> Void = { _ in })
    async throws
  {
    try await core.rebuild(progress: progress)
  }

  /// Rebuilds one collection from the log: its table, search index, states, history and conflicts.
  ///
  /// This is one transaction. Reads continue meanwhile and see the old rows, in this process and in
  /// others; writes wait. The other collections stay as they are.
  ///
  /// Cost: reads the whole log, applies the writes to that collection one by one, then adds up the
  /// digest of everything. If most of the store is in that collection, ``rebuild(progress:)`` is
  /// quicker.
  /// - Parameters:
  ///   - collection: a collection that an event has named, declared or not.
  ///   - progress: called on the commit thread.
  /// - Throws: ``StoreError`` `unknownName`, `readOnly` or `noSpace`; `damaged` if the
  ///   log is damaged: the old rows may hold what the log has lost. After an error, the read model
  ///   is as it was.
  public func rebuild(
    collection: String, progress: @escaping @Sendable (Store.RebuildProgress) -> Void = { _ in }
  ) async throws -> Store.CollectionRebuild {
    let (operations, isConsistent) = try await core.rebuild(
      collection: collection, progress: progress)
    return Store.CollectionRebuild(
      collection: collection, operations: operations, isConsistent: isConsistent,
      digest: try await digest())
  }

  /// Compares a store's read model with one that is built from the log, and returns the first
  /// difference.
  ///
  /// The comparison covers the events that the store's read model has applied. The store is not
  /// opened, and so nothing of it changes.
  /// - Returns: the difference; nil if the read model is what the log says.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged` or `ioFailed`; what reading the
  ///   log throws.
  package static func readModelDifference(
    at url: URL, progress: @escaping @Sendable (Store.RebuildProgress) -> Void = { _ in }
  ) async throws -> ReadModelDifference? {
    try await Blocking.surfacing { try StoreVerifier(folder: url).difference(progress: progress) }
  }

  // MARK: - Verifying

  /// Verifies this store as it lies on the disk, in the way of ``verify(at:progress:)``.
  /// - Parameter progress: called with the bytes of the log that have been read, and their total.
  public func verify(
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> Store.Verification {
    try await Self.verify(at: url, progress: progress)
  }

  /// Verifies a store without opening it, and so without the repairs that opening makes.
  ///
  /// Reads and checks every byte of the log, with the chain of hashes. Checks every page of the
  /// read model, and the structures of SQLite and FTS5 in it. Recomputes the digest from the rows.
  /// Builds a second read model from the log and compares the two, internal tables included. Other
  /// processes may use the store meanwhile.
  ///
  /// Cost: reads everything, and needs room for two read models among the temporary files.
  /// - Parameters:
  ///   - url: the folder of the store.
  ///   - progress: called with the bytes of the log that have been read, and their total.
  /// - Throws: ``StoreError`` `notAStore`, `newerFormat`, `damaged` (the identity, or no log at
  ///   all) or `ioFailed` if a file cannot be read. Other damage is not thrown: it is
  ///   part of the result.
  public static func verify(
    at url: URL,
    progress: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws -> Store.Verification {
    try await Blocking.surfacing { try StoreVerifier(folder: url).run(progress: progress) }
  }
}
