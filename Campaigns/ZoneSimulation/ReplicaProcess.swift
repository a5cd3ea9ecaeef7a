internal import Daybook
internal import EventCore
internal import LogEngine
internal import Replication

/// A store or a hub that runs on a machine: a replica's real storage code on a simulated disk.
///
/// It ends with a crash.
protocol ReplicaProcess: ReplicaStorage {
  var log: EventLog { get }
  var responder: SyncResponder { get }
  /// Called after ranges are judged and before they are stored, when another thread could
  /// intervene.
  var beforeStoring: (() -> Void)? { get set }
  /// What was told to others since the last check.
  var told: Knowledge { get set }
  /// The reader of its log.
  var reading: LogReplica { get }
  /// The identity that signs its own events; nil if the key is not available.
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
