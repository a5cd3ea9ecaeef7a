import EventCore
import Foundation
import LogEngine
import Replication
import Synchronization

/// A store as one side of an exchange. Reads the log on the caller's thread, which may wait; stores when
/// it has the turn, and local writes go on between.
final class StoreReplica: LogReplica, ReplicaStorage, @unchecked Sendable {
  private let store: Store
  private let latest: Mutex<(facts: StoreEngine.SyncFacts, changes: Int)>

  /// - Throws: ``StoreError`` where the store is closed or read-only.
  init(_ store: Store) throws {
    self.store = store
    latest = Mutex((try store.waitOnCommitThread { try $0.syncFacts() }, 0))
    super.init(store.log, store.knowledge)
  }

  private var facts: StoreEngine.SyncFacts { latest.withLock { $0.facts } }
  var replica: ReplicaID { facts.identity.id }
  var zone: ZoneID { facts.zone }
  var authority: [UInt8]? { facts.authority }
  var takesGaps: Bool { true }
  /// More was received than was projected at once; see ``Store/projectReceived()``.
  var isBehind: Bool { facts.isBehind }
  /// Rises each time that the store was looked at.
  var changes: Int { latest.withLock { $0.changes } }

  func knowledge() throws -> Knowledge { try knowledge(signer: facts.identity.id) }

  func range(of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool)
    throws -> EventRange?
  {
    try RangeReader(snapshot: log.snapshot(), zone: zone, identity: facts.identity)
      .range(of: origin, after: sequence, through: limit, hasGap: hasGap)
  }

  func store(_ ranges: [CheckedRange]) throws {
    try change { try $0.ingest(ranges) }
    store.signal.fire()
  }

  func adopt(_ zone: ZoneID) throws {
    try change { try $0.adopt(zone) }
  }

  /// Says a request to a peer; one that is storage only is told how to judge between histories.
  /// - Throws: ``SyncError``.
  func exchange(_ request: SyncRequest, with peer: some SyncPeer) async throws -> SyncResponse {
    guard let peer = peer as? any JudgedPeer else { return try await peer.exchange(request) }
    let log = log
    return try await peer.exchange(request, judge: HistoryJudge(self) { log.snapshot() })
  }

  /// Another task, or process, may have changed identity or zone.
  func refresh() throws { try change { _ in } }

  private func change(_ body: @escaping @Sendable (StoreEngine) throws -> Void) throws {
    let facts = try store.waitOnCommitThread { engine in
      try body(engine)
      return try engine.syncFacts()
    }
    latest.withLock { $0 = (facts, $0.changes + 1) }
  }

  /// A store that is asked has a zone afterwards: its own, else who asks has one, else a new one.
  func requireZone(proposed: ZoneID) throws {
    guard zone == .none else { return }
    let isNew = proposed == .none
    try adopt(isNew ? ZoneID(bytes: StoreEnvironment.system.randomBytes(16)) : proposed)
  }
}
