package import DaybookEventCore
package import DaybookLogEngine
package import DaybookReplication

/// A replica whose events are in a log. A store and a hub's zone are such replicas.
package protocol LoggedReplica: ReplicaStorage {
  var log: EventLog { get }
  /// The reader of ``log``.
  var reader: LogReader { get }
  /// The identity that signs the replica's own events; nil if its key is not available.
  var signer: Identity? { get }
}

extension LoggedReplica {
  package func knowledge() throws -> Knowledge {
    try reader.knowledge(signer: signer?.id, zone: zone)
  }

  package func held(of origin: ReplicaID) -> SequenceRanges { reader.held(of: origin) }

  package func chain(after event: EventID) throws -> Hash256? { try reader.chain(after: event) }

  package func publicKey(of origin: ReplicaID) throws -> [UInt8]? {
    try reader.publicKey(of: origin)
  }

  package func continues(_ origin: ReplicaID, at sequence: UInt64, after chain: Hash256) throws
    -> Bool
  {
    try reader.continues(origin, at: sequence, after: chain)
  }

  package func range(
    of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool
  ) throws -> EventRange? {
    try RangeReader(snapshot: log.snapshot(), zone: zone, identity: signer)
      .range(of: origin, after: sequence, through: limit, hasGap: hasGap)
  }

  /// Returns the ranges of an origin after an event, which show its history to a peer.
  /// - Parameters:
  ///   - event: the event before the first range.
  ///   - bytes: the bytes after which no further range is added.
  package func ranges(after event: EventID, atMost bytes: Int) throws -> [EventRange] {
    var ranges: [EventRange] = []
    var (last, size) = (event.sequence, 0)
    while size < bytes,
      let range = try range(of: event.origin, after: last, through: .max, hasGap: false)
    {
      ranges.append(range)
      (last, size) = (range.last, size + range.size)
    }
    return ranges
  }
}
