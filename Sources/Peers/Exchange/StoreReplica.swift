package import DaybookEngine
package import DaybookEventCore
import DaybookLocks
package import DaybookLogEngine
package import DaybookReplication
import Foundation

/// A store as one side of an exchange. It reads the log on the calling thread, which may block. It
/// stores events on the store's commit thread, so local writes can run in between.
package final class StoreReplica: LoggedReplica, Sendable {
  private let store: OpenStore
  package let reader: LogReader
  private let latest: Mutex<(facts: StoreEngine.SyncFacts, changes: Int)>

  /// Creates a replica for a store.
  /// - Throws: ``StoreError`` if the store is closed or read-only.
  package init(_ store: OpenStore) throws {
    self.store = store
    latest = Mutex((try store.waitOnCommitThread { try $0.syncFacts() }, 0))
    reader = LogReader(store.log, store.knowledge)
  }

  package var log: EventLog { store.log }
  package var signer: Identity? { facts.identity }
  private var facts: StoreEngine.SyncFacts { latest.withLock { $0.facts } }
  package var replica: ReplicaID { facts.identity.id }
  package var zone: ZoneID { facts.zone }
  package var authority: [UInt8]? { facts.authority }
  package var takesGaps: Bool { true }
  /// Whether the read model lacks received events; see ``OpenStore/projectReceived()``.
  var isBehind: Bool { facts.isBehind }
  /// The number of times that the store's facts were read. It only rises.
  var changes: Int { latest.withLock { $0.changes } }

  package func store(_ ranges: [CheckedRange]) throws { try change { try $0.ingest(ranges) } }

  package func adopt(_ zone: ZoneID) throws {
    try change { try $0.adopt(zone) }
  }

  /// Leaves the zone, to which nothing binds the store, for another one.
  /// - Throws: ``SyncError`` `wrongZone` if something binds it meanwhile.
  func move(to zone: ZoneID) throws { try change { try $0.move(to: zone) } }

  /// Sends a request to a peer. A peer that is storage only also gets a judge, which decides
  /// between two histories of an origin.
  /// - Parameters:
  ///   - request: the request.
  ///   - peer: the peer.
  ///   - refused: the origins whose events the store has refused in this sync.
  /// - Throws: ``SyncError``.
  package func exchange(
    _ request: SyncRequest, with peer: some SyncPeer, refused: Set<ReplicaID> = []
  ) async throws -> SyncResponse {
    guard let peer = peer as? any JudgedPeer else { return try await peer.exchange(request) }
    let log = log
    let judge = HistoryJudge(self, refused: refused) { [self] in
      ZoneMove.isFree(log.vector, replica, authority)
    } snapshot: {
      log.snapshot()
    }
    return try await peer.exchange(request, judge: judge)
  }

  /// Reads the identity and the zone again. Another task or process may have changed them.
  func refresh() throws { try change { _ in } }

  private func change(_ body: @escaping @Sendable (StoreEngine) throws -> Void) throws {
    let facts = try store.waitOnCommitThread { engine in
      try body(engine)
      return try engine.syncFacts()
    }
    latest.withLock { $0 = (facts, $0.changes + 1) }
  }

  /// Gives the store a zone if it has none: the peer's proposal, or else a new one.
  func requireZone(proposed: ZoneID) throws {
    guard zone == .none else { return }
    let isNew = proposed == .none
    try adopt(isNew ? ZoneID(bytes: StoreEnvironment.system.randomBytes(16)) : proposed)
  }
}
