package import DaybookEngine
package import DaybookEventCore
import DaybookFrames
import DaybookLocks
package import DaybookLogEngine
package import DaybookReplication

/// What a replica tells its peers from its log.
package final class LogReader: Sendable {
  package let log: EventLog
  private let known: LogKnowledge
  private let keys = Mutex<[ReplicaID: [UInt8]]>([:])

  /// Creates a reader.
  /// - Parameters:
  ///   - log: the log to read.
  ///   - known: the cached knowledge of the log, if it is shared with other replicas.
  package init(_ log: EventLog, _ known: LogKnowledge = LogKnowledge()) {
    self.log = log
    self.known = known
  }

  /// Returns what this log can offer to a peer.
  /// - Parameters:
  ///   - signer: the replica whose private key is available; nil if there is none. Its events need
  ///     no head to be offered.
  ///   - zone: the zone for which the others must be signed; ``ZoneID/none`` for any.
  /// - Throws: `LogError` if a chain value cannot be read.
  package func knowledge(signer: ReplicaID?, zone: ZoneID = .none) throws -> Knowledge {
    try known.current(log.snapshot(), signer: signer, zone: zone)
  }

  package func held(of origin: ReplicaID) -> SequenceRanges { log.snapshot().ranges(of: origin) }

  package func chain(after event: EventID) throws -> Hash256? {
    try log.snapshot().chain(after: event)
  }

  package func publicKey(of origin: ReplicaID) throws -> [UInt8]? {
    if let key = keys.withLock({ $0[origin] }) { return key }
    let snapshot = log.snapshot()
    guard snapshot.entry(containing: EventID(origin, 1)) != nil else { return nil }
    var claimed: [UInt8]?
    try snapshot.forEachEvent(of: origin, in: 1...1) { _, event in
      guard let claim = IdentityClaim.claimed(by: event), claim.replica == origin else { return }
      claimed = claim.publicKey
    }
    if let claimed { keys.withLock { $0[origin] = claimed } }
    return claimed
  }

  package func continues(_ origin: ReplicaID, at sequence: UInt64, after chain: Hash256) throws
    -> Bool
  {
    let snapshot = log.snapshot()
    guard let entry = snapshot.entry(containing: EventID(origin, sequence)),
      entry.firstSequence == sequence
    else { return true }
    let frame = try snapshot.frame(at: entry)
    return try frame.chain(from: Chain(value: chain)).value == frame.header.chain
  }
}
