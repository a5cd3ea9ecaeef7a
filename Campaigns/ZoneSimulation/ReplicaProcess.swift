internal import Daybook
internal import EventCore
internal import LogEngine
internal import Replication

/// A store or a hub as it runs on a machine: the real storage half of a replica, on a simulated disk.
/// Gone with a crash.
protocol ReplicaProcess: ReplicaStorage {
  var log: EventLog { get }
  var responder: SyncResponder { get }
  /// Called where another thread could come between: ranges were judged, and are not stored yet.
  var beforeStoring: (() -> Void)? { get set }
  /// What was told to others since the last look.
  var told: Knowledge { get set }
  /// What reads its log.
  var reading: LogReplica { get }
  /// Who signs for its own events; nil where the key is not at hand.
  var signer: Identity? { get }
  func close()
}

extension ReplicaProcess {
  func knowledge() throws -> Knowledge {
    let knowledge = try reading.knowledge(signer: signer?.id)
    told.formUnion(knowledge)
    return knowledge
  }

  func held(of origin: ReplicaID) -> SequenceRanges { reading.held(of: origin) }

  func chain(after event: EventID) throws -> Hash256? { try reading.chain(after: event) }

  func publicKey(of origin: ReplicaID) throws -> [UInt8]? { try reading.publicKey(of: origin) }

  func continues(_ origin: ReplicaID, at sequence: UInt64, after chain: Hash256) throws -> Bool {
    try reading.continues(origin, at: sequence, after: chain)
  }

  func range(of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool)
    throws -> EventRange?
  {
    try RangeReader(snapshot: log.snapshot(), zone: zone, identity: signer)
      .range(of: origin, after: sequence, through: limit, hasGap: hasGap)
  }
}
