package import DaybookEventCore
package import DaybookFrames

/// The part of a replica that an exchange needs: its events, in ranges. A log implements it; a
/// database could.
///
/// Synchronous: calls come from a thread that may block.
package protocol ReplicaStorage: AnyObject {
  var replica: ReplicaID { get }
  /// The replica's zone; ``ZoneID/none`` until one is adopted.
  var zone: ZoneID { get }
  /// Whether events beyond a gap are stored too.
  var takesGaps: Bool { get }

  /// Returns what is durable and can be offered: the events of each origin that a head closes.
  ///
  /// Cost: next to nothing if nothing has changed.
  func knowledge() throws -> Knowledge

  /// Returns the durable events of an origin, including those that no head closes.
  func held(of origin: ReplicaID) throws -> SequenceRanges

  /// Returns the chain value after an event that is held; nil if it is unknown. After sequence 0,
  /// the initial value of the chain.
  func chain(after event: EventID) throws -> Hash256?

  /// Returns the public key that an origin's first event claims; nil if that event is not held.
  func publicKey(of origin: ReplicaID) throws -> [UInt8]?

  /// The authority that may certify hubs; nil until one is pinned.
  var authority: [UInt8]? { get }

  /// Returns whether the frame held from `sequence` on follows the chain value `chain`; true if no
  /// such frame is held.
  func continues(_ origin: ReplicaID, at sequence: UInt64, after chain: Hash256) throws -> Bool

  /// Returns events after `sequence`, closed by a head.
  /// - Parameters:
  ///   - origin: The origin of the events.
  ///   - sequence: The sequence before the first event.
  ///   - limit: The last sequence that may be included.
  ///   - hasGap: Whether to include the chain value before the first event.
  /// - Returns: nil if no head closes any such event.
  func range(of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool)
    throws -> EventRange?

  /// The weight that may still be accepted, in units of ``EventWeight``; nil without a limit.
  var room: UInt64? { get throws }

  /// Stores ranges durably. Skips events that another writer has stored meanwhile.
  func store(_ ranges: [CheckedRange]) throws

  /// Tells the replica, after a peer's request, what the peer can still bring. A hub then stamps
  /// events whose context cannot come.
  /// - Returns: Whether anything was stored.
  func stampIncomplete(after offer: PeerOffer) throws -> Bool

  /// Tells the replica of ranges of one origin whose events it holds, possibly on another history.
  /// A hub to which they prove another history decides which one stands.
  func settleFork(shownBy ranges: [EventRange]) throws

  /// Adopts a zone, and pins an authority.
  func adopt(_ zone: ZoneID) throws
}

extension ReplicaStorage {
  package var room: UInt64? { nil }

  package func settleFork(shownBy ranges: [EventRange]) throws {}

  package func stampIncomplete(after offer: PeerOffer) throws -> Bool { false }
}

/// A range whose frames follow from the events held, and whose head is signed.
package struct CheckedRange: Sendable {
  /// The frames that are not held yet, in order. Empty if only the head is new.
  package var frames: [Frame]
  package var head: Head
  /// The claim of the origin's first event, if the range contains that event.
  package var claim: IdentityClaim?
  /// The sequences held of the origin when the range was checked. If they have changed, the range
  /// may no longer follow.
  package var held: SequenceRanges

  /// The number of events.
  package var count: UInt64 { frames.reduce(0) { $0 + UInt64($1.header.count) } }
}

extension Knowledge {
  /// Adds ranges that `storage` holds.
  mutating func insert(_ ranges: [EventRange], _ storage: any ReplicaStorage) throws {
    for range in ranges {
      guard let chain = try storage.chain(after: EventID(range.origin, range.last)) else {
        continue
      }
      insert(Run(range.sequences, ChainTag(chain)), of: range.origin)
    }
  }
}
