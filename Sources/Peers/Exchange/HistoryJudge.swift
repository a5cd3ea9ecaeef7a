package import DaybookEventCore
package import DaybookLogEngine
package import DaybookReplication

/// Decides between a store's history of an origin and the one in a file of a shared folder. The
/// store must decide, because the folder does not know the stamps. The rule is that of
/// ``ForkJudgement``. Only one exchange may use it at a time.
package struct HistoryJudge: @unchecked Sendable {
  package enum Verdict {
    /// The store's history stands.
    case own(common: UInt64)
    /// The file's history stands.
    case other(common: UInt64)
  }

  /// The store's replica.
  package let storage: any ReplicaStorage
  /// Origins whose events the store has refused in this sync, for a reason that lasts. The folder
  /// does not offer them again: events of other origins would wait behind them.
  let refused: Set<ReplicaID>
  private let snapshot: () -> LogSnapshot
  /// Returns whether the store can leave its zone for another one.
  let mayLeaveZone: () -> Bool

  /// Creates a judge for a store.
  /// - Parameters:
  ///   - storage: the store's replica.
  ///   - refused: the origins whose events the store has refused in this sync.
  ///   - mayLeaveZone: returns whether the store can leave its zone for another one.
  ///   - snapshot: returns a current snapshot of the store's log.
  package init(
    _ storage: any ReplicaStorage, refused: Set<ReplicaID> = [],
    mayLeaveZone: @escaping () -> Bool = { false }, snapshot: @escaping () -> LogSnapshot
  ) {
    self.storage = storage
    self.refused = refused
    self.snapshot = snapshot
    self.mayLeaveZone = mayLeaveZone
  }

  /// The version vector of the store's log now. A verdict is valid for one version vector.
  var vector: VersionVector { snapshot().vector }

  /// Judges a file against the store's history.
  /// - Returns: nil if no range signed by the origin shows where the two histories diverge.
  /// - Throws: what reading the log throws.
  func verdict(on file: FolderFile) throws -> Verdict? {
    guard let proof = try ForkProof(file.ranges, storage) else { return nil }
    let stands = try ForkJudgement(snapshot(), proof).stands()
    return stands ? .own(common: proof.common) : .other(common: proof.common)
  }
}

/// A peer that is storage only. The replica that makes a request also supplies the judge between
/// histories.
package protocol JudgedPeer: SyncPeer {
  func exchange(_ request: SyncRequest, judge: HistoryJudge) async throws -> SyncResponse
}

/// The asker's zone is empty in a shared folder, and gives way to another one there.
struct EmptyZone: Error {
  var better: ZoneID
}
