import DaybookEventCore
import DaybookFrames
import DaybookReplication

/// A replica in memory, which is as small as possible.
final class MemoryReplica: ReplicaStorage {
  struct Stored {
    var event: EncodedEvent
    /// The chain value after it; beyond a gap, only right where a frame ends.
    var chain: Hash256
    var endsFrame = true
  }

  var identity: Identity
  var zone: ZoneID
  var takesGaps = true
  var authority: [UInt8]?
  /// By origin and sequence.
  var events: [ReplicaID: [UInt64: Stored]] = [:]
  var heads: [ReplicaID: [UInt64: Head]] = [:]
  /// Chain values that it knows without the event, as a file of a shared folder does.
  var chains: [EventID: Hash256] = [:]
  /// The offers of its peers, in the order in which they came.
  var offers: [PeerOffer] = []
  /// Events of a range, at most.
  var rangeEvents = 3

  init(seed: UInt8, zone: ZoneID = MemoryReplica.zone) throws {
    identity = try Identity(seed: Array(repeating: seed, count: 32))
    self.zone = zone
  }

  static let zone = ZoneID(bytes: Array(repeating: 5, count: 16))

  var replica: ReplicaID { identity.id }

  /// Writes an event of this replica, the first one saying who it is.
  func write(_ label: String) throws {
    if events[replica] == nil {
      append(Body(operations: [.identity(IdentityClaim(identity))]), .identity)
    }
    append(Body(label: label, operations: []), .transaction)
  }

  private func append(_ body: Body, _ kind: Envelope.Kind) {
    let sequence = UInt64(events[replica]?.count ?? 0) + 1
    var chain = Chain(
      value: events[replica]?[sequence - 1]?.chain ?? Chain(origin: replica).value)
    let event = EncodedEvent(
      Envelope(kind: kind, authored: HybridTime(milliseconds: Int64(sequence))), body)
    chain.append(event)
    events[replica, default: [:]][sequence] = Stored(event: event, chain: chain.value)
  }

  var held: [ReplicaID: Set<UInt64>] { events.mapValues { Set($0.keys) } }

  func knowledge() -> Knowledge {
    var knowledge = Knowledge()
    for (origin, events) in events {
      var sequences = SequenceRanges()
      for sequence in events.keys.sorted() { sequences.insert(sequence...sequence) }
      for range in sequences.ranges {
        let end =
          origin == replica
          ? range.upperBound : heads[origin]?.keys.filter(range.contains).max()
        guard let end, let last = events[end] else { continue }
        knowledge.insert(.init(range.lowerBound...end, ChainTag(last.chain)), of: origin)
      }
    }
    return knowledge
  }

  func held(of origin: ReplicaID) -> SequenceRanges {
    var held = SequenceRanges()
    for sequence in (events[origin] ?? [:]).keys.sorted() { held.insert(sequence...sequence) }
    return held
  }

  func chain(after event: EventID) -> Hash256? {
    if let known = chains[event] { return known }
    return event.sequence == 0
      ? Chain(origin: event.origin).value : events[event.origin]?[event.sequence]?.chain
  }

  func publicKey(of origin: ReplicaID) -> [UInt8]? {
    guard let first = events[origin]?[1], case .present(let bytes) = first.event.body,
      let body = try? bytes.withUnsafeBytes({ try Body(decoding: $0, codec: .plain) }),
      case .identity(let claim)? = body.operations.first
    else { return nil }
    return claim.publicKey
  }

  func continues(_ origin: ReplicaID, at sequence: UInt64, after chain: Hash256) -> Bool {
    var value = Chain(value: chain)
    var sequence = sequence
    while let next = events[origin]?[sequence] {
      value.append(next.event)
      if next.endsFrame { return value.value == next.chain }
      sequence += 1
    }
    return true
  }

  func range(of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool)
    throws -> EventRange?
  {
    guard let all = events[origin] else { return nil }
    var end = sequence
    while end < limit, all[end + 1] != nil {
      end += 1
      if origin == replica, end - sequence >= UInt64(rangeEvents) { break }
      if origin != replica, heads[origin]?[end] != nil { break }
    }
    guard end > sequence, let last = all[end] else { return nil }
    let head =
      origin == replica
      ? try Head(zone: zone.bytes, sequence: end, chain: last.chain, by: identity)
      : heads[origin]?[end]
    guard let head else { return nil }
    let before = chain(after: EventID(origin, sequence))
    if hasGap, before == nil { return nil }
    let frame = try Frame(
      origin: origin, firstSequence: sequence + 1,
      events: (sequence + 1...end).compactMap { all[$0]?.event },
      chainBefore: Chain(origin: origin))
    return EventRange(
      origin: origin, first: sequence + 1, chainBefore: hasGap ? before : nil,
      frames: [.init(frame)], isZoneless: head.zone == ZoneID.none.bytes,
      signature: head.signature)
  }

  func store(_ ranges: [CheckedRange]) throws {
    for range in ranges {
      let origin = range.head.event.origin
      for frame in range.frames {
        for (sequence, event) in zip(frame.header.sequences, try frame.events()) {
          events[origin, default: [:]][sequence] = Stored(
            event: event, chain: frame.header.chain,
            endsFrame: sequence == frame.header.lastSequence)
        }
      }
      // What is contiguous has a chain value after each event.
      var chain = Chain(origin: origin)
      var sequence: UInt64 = 1
      while let next = events[origin]?[sequence] {
        chain.append(next.event)
        events[origin]?[sequence]?.chain = chain.value
        sequence += 1
      }
      heads[origin, default: [:]][range.head.event.sequence] = range.head
      if let certificate = range.claim?.certificate {
        authority = authority ?? certificate.authority
      }
    }
  }

  func adopt(_ zone: ZoneID) { self.zone = zone }

  func stampIncomplete(after offer: PeerOffer) -> Bool {
    offers.append(offer)
    return false
  }
}

/// Runs exchanges until the initiator is done.
/// - Parameters:
///   - wireOut: Passes a request on; returns false if the request is lost.
///   - wireIn: Passes an answer on; returns false if the answer is lost.
/// - Returns: The number of exchanges.
func sync(
  _ a: MemoryReplica, with b: MemoryReplica, session: inout SyncSession,
  responder: SyncResponder = SyncResponder(), limit: Int = 200,
  request wireOut: (inout SyncRequest) -> Bool = { _ in true },
  response wireIn: (inout SyncResponse) -> Bool = { _ in true }
) throws -> Int {
  for exchange in 0..<limit {
    guard case .send(var request) = try session.next(a) else { return exchange }
    guard wireOut(&request) else { continue }
    let received = try request.encoded().withRawBytes { bytes throws(EventError) in
      try SyncRequest(decoding: bytes)
    }
    var response = try responder.respond(to: received, b)
    guard wireIn(&response) else { continue }
    let answered = try response.encoded().withRawBytes { bytes throws(EventError) in
      try SyncResponse(decoding: bytes)
    }
    try session.receive(answered, a)
  }
  return limit
}
