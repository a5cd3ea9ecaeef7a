public import EventCore
public import LogEngine

/// What an exchange needs of a replica: its events, by ranges. A log implements it; a database could.
///
/// Synchronous: calls are made from a thread that may wait.
public protocol ReplicaStorage: AnyObject {
  var replica: ReplicaID { get }
  /// ``ZoneID/none`` until one is adopted.
  var zone: ZoneID { get }
  /// Whether events beyond a gap are stored too.
  var takesGaps: Bool { get }

  /// What is durable and can be offered: of each origin, what a head closes. Costs next to nothing
  /// where nothing has changed.
  func knowledge() throws -> Knowledge

  /// Which events of an origin are durable, whether or not a head closes them.
  func held(of origin: ReplicaID) throws -> SequenceRanges

  /// The chain value after an event that is held; nil where it cannot be told. After sequence 0, the
  /// value that every chain begins with.
  func chain(after event: EventID) throws -> Hash256?

  /// The key that an origin's first event claims; nil where that is not held.
  func publicKey(of origin: ReplicaID) throws -> [UInt8]?

  /// The authority that may certify hubs; nil while none is pinned.
  var authority: [UInt8]? { get }

  /// Whether the frame that is held from `sequence` on follows a chain of that value; true where
  /// there is none.
  func continues(_ origin: ReplicaID, at sequence: UInt64, after chain: Hash256) throws -> Bool

  /// Events after `sequence`, closed by a head.
  /// - Parameters:
  ///   - limit: none beyond it.
  ///   - hasGap: say the chain value before the first too.
  /// - Returns: nil where no head closes any.
  func range(of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool)
    throws -> EventRange?

  /// What may be taken yet, as ``EventWeight`` counts it; nil without a limit.
  var room: UInt64? { get throws }

  /// Takes ranges, durably. What another has stored meanwhile is left out.
  func store(_ ranges: [CheckedRange]) throws

  /// Tells a replica, after a peer's request, what the peer has left to bring. A hub then stamps events whose context
  /// cannot come.
  /// - Returns: whether anything was stored.
  func settle(after offer: PeerOffer) throws -> Bool

  /// Tells a replica of a range whose events it holds, maybe of another history. If that is another history of a hub,
  /// the hub says which of the two stands.
  func settleFork(shownBy range: EventRange) throws

  /// Adopts a zone, and pins an authority.
  func adopt(_ zone: ZoneID) throws
}

extension ReplicaStorage {
  public var room: UInt64? { nil }

  public func settleFork(shownBy range: EventRange) throws {}

  public func settle(after offer: PeerOffer) throws -> Bool { false }
}

/// A range whose frames follow from what is held, and whose head is signed.
public struct CheckedRange: Sendable {
  /// Those that are not held yet, in order; none where only the head is new.
  public var frames: [Frame]
  public var head: Head
  /// Of the origin's first event, where that is among them.
  public var claim: IdentityClaim?
  /// What was held of the origin when it was judged. Where that has changed, it may not follow any more.
  public var held: SequenceRanges

  /// Number of events.
  public var count: UInt64 { frames.reduce(0) { $0 + UInt64($1.header.count) } }
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
