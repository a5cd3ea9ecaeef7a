import EventCore
package import LogEngine
package import Replication

/// Judges for a store between its own history of an origin and the one that a file of a shared folder tells: the
/// folder itself knows no stamps. The rule is that of ``ForkJudgement``. Used by one exchange at a time.
package struct HistoryJudge: @unchecked Sendable {
  package enum Verdict {
    /// The store's history stands.
    case own(common: UInt64)
    /// The file's history stands.
    case other(common: UInt64)
  }

  /// Of the store.
  package let storage: any ReplicaStorage
  private let snapshot: () -> LogSnapshot

  /// - Parameter snapshot: of the store's log.
  package init(_ storage: any ReplicaStorage, snapshot: @escaping () -> LogSnapshot) {
    self.storage = storage
    self.snapshot = snapshot
  }

  /// What the store's log holds now: verdicts follow from that.
  var vector: VersionVector { snapshot().vector }

  /// - Returns: nil if the file does not show, signed by its origin, where the two part.
  /// - Throws: what reading the log throws.
  func verdict(on file: FolderFile) throws -> Verdict? {
    for range in file.ranges {
      guard let proof = try ForkProof(range, storage) else { continue }
      let stands = try ForkJudgement(snapshot(), proof).stands()
      return stands ? .own(common: proof.common) : .other(common: proof.common)
    }
    return nil
  }
}

/// A peer that is storage only: who asks it judges between histories.
protocol JudgedPeer: SyncPeer {
  func exchange(_ request: SyncRequest, judge: HistoryJudge) async throws -> SyncResponse
}
