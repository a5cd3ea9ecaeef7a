import DaybookEventCore
import DaybookFrames

/// The check of ranges from another replica. It hashes every event, and compares the result with
/// the signature and with the events held.
package struct RangeCheck {
  package enum Verdict {
    case take(CheckedRange)
    /// All events of the range are held, and can be offered.
    case known
    case refuse(RangeRefusal)
  }

  private let storage: any ReplicaStorage
  private let knowledge: Knowledge
  /// The ends of the contiguous ranges that were accepted and are not stored yet.
  private var added: [ReplicaID: (through: UInt64, chain: Hash256, key: [UInt8])] = [:]
  /// All sequences that were accepted, including those beyond gaps.
  private var taken: [ReplicaID: SequenceRanges] = [:]
  /// The chain values after the last events of all accepted ranges.
  private var ends: [EventID: Hash256] = [:]
  /// The remaining weight that may be accepted; nil if there is no limit, or the limit is not read
  /// yet.
  private var room: UInt64?
  private var hasAskedForRoom = false
  /// The authority that may certify hubs: the pinned one, or else the first seen.
  private var authority: [UInt8]?

  package init(_ storage: any ReplicaStorage, knowledge: Knowledge) {
    self.storage = storage
    self.knowledge = knowledge
    authority = storage.authority
  }

  /// Checks a range.
  /// - Throws: Any error of the storage. A fault of the range is a verdict.
  package mutating func judge(_ range: EventRange) throws -> Verdict {
    let origin = range.origin
    func refuse(_ code: RangeRefusal.Code, _ cause: String? = nil) -> Verdict {
      .refuse(RangeRefusal(code, EventID(origin, range.first), cause: cause))
    }
    // Local collections never leave their replica, and their events are unsigned.
    if origin.isPrivate { return refuse(.badSignature) }
    let offered = added[origin]?.through ?? knowledge[origin]?.through ?? 0
    if range.last <= offered { return .known }
    // More events may be held than can be offered: no head has closed them until now.
    var stored = try storage.held(of: origin)
    let known = stored
    for range in taken[origin]?.ranges ?? [] { stored.insert(range) }
    let held = stored.contiguous
    let isBeyondGap = range.first > held + 1
    if isBeyondGap, !storage.takesGaps || stored.ranges.count >= SyncProtocol.runsMax {
      return refuse(.gap)
    }
    guard let start = try chain(before: range, stored) else { return refuse(.gap) }

    // Hash all events, and keep the missing ones. Beyond a gap, the range may belong to another
    // branch although all of its numbers are held.
    let missing = stored.missing(in: range.sequences)
    if !hasAskedForRoom { (room, hasAskedForRoom) = (try storage.room, true) }
    var pass = RangePass(
      range: range, chain: Chain(value: start), missing: missing, isWeighed: room != nil)
    do { try pass.run() } catch let error as FrameError {
      return refuse(error.code == .unknownCodec ? .newerFormat : .malformed, error.message)
    } catch let error as EventError { return refuse(.malformed, "\(error)") }
    if let claim = pass.claim, let fault = fault(of: claim, of: origin) { return refuse(fault) }
    // Beyond a gap, the origin's identity may not be known yet.
    guard let key = try pass.claim?.publicKey ?? added[origin]?.key ?? storage.publicKey(of: origin)
    else { return refuse(.gap) }
    let head = Head(
      zone: (range.isZoneless ? ZoneID.none : storage.zone).bytes,
      event: EventID(origin, range.last),
      chain: pass.chain.value, signature: range.signature)
    guard head.isSigned(by: key) else { return refuse(.badSignature) }

    // The range must belong to the branch that is held. An unsigned range proves no other branch.
    for sequence in pass.heldEnds {
      let event = EventID(origin, sequence)
      guard let known = try chain(after: event), known != pass.chains[sequence] else { continue }
      return .refuse(RangeRefusal(.fork, event, tag: ChainTag(known)))
    }
    // The held events after the range must follow from it.
    for part in missing {
      guard let value = pass.chains[part.upperBound] else { continue }
      guard try storage.continues(origin, at: part.upperBound + 1, after: value) else {
        return try .refuse(fork(origin, at: part.upperBound + 1))
      }
    }
    if missing.isEmpty, isOffered(range) { return .known }
    if let left = room {
      guard pass.weight <= left else { return refuse(.full) }
      room = left - pass.weight
    }
    if let certificate = pass.claim?.certificate { authority = certificate.authority }
    if !isBeyondGap { added[origin] = (range.last, pass.chain.value, key) }
    taken[origin, default: SequenceRanges()].insert(range.sequences)
    ends[EventID(origin, range.last)] = pass.chain.value
    return .take(
      CheckedRange(frames: pass.frames, head: head, claim: pass.claim, held: known))
  }

  /// Returns what is wrong with an origin's statement of who it is; nil if nothing is.
  private func fault(of claim: IdentityClaim, of origin: ReplicaID) -> RangeRefusal.Code? {
    guard claim.replica == origin else { return .badSignature }
    guard let certificate = claim.certificate else { return nil }
    guard claim.certifiesHub(origin) else { return .badSignature }
    return authority ?? certificate.authority == certificate.authority ? nil : .foreignAuthority
  }

  /// Returns whether all events of a range can already be offered.
  private func isOffered(_ range: EventRange) -> Bool {
    knowledge[range.origin]?.missing(in: range.sequences).isEmpty ?? false
  }

  private func chain(after event: EventID) throws -> Hash256? {
    if let added = added[event.origin], added.through == event.sequence { return added.chain }
    if let end = ends[event] { return end }
    return try storage.chain(after: event)
  }

  /// Returns the chain value before a range's first event; nil if it is unknown.
  /// - Parameter stored: The sequences that are held, or were accepted before.
  private func chain(before range: EventRange, _ stored: SequenceRanges) throws -> Hash256? {
    let before = EventID(range.origin, range.first - 1)
    if before.sequence == 0 || stored.contains(before.sequence),
      let known = try chain(after: before)
    {
      return known
    }
    return range.chainBefore
  }

  private func fork(_ origin: ReplicaID, at sequence: UInt64) throws -> RangeRefusal {
    let event = EventID(origin, sequence)
    return RangeRefusal(.fork, event, tag: try storage.chain(after: event).map(ChainTag.init))
  }
}

/// One pass over a range's events.
private struct RangePass {
  let range: EventRange
  var chain: Chain
  let missing: [ClosedRange<UInt64>]
  /// The last event of each part that is held.
  let heldEnds: [UInt64]
  var frames: [Frame] = []
  /// The chain value after the last event of each part, missing or held.
  var chains: [UInt64: Hash256] = [:]
  var claim: IdentityClaim?
  private let isWeighed: Bool
  /// The weight of the missing events, if they are weighed.
  private(set) var weight: UInt64 = 0

  init(range: EventRange, chain: Chain, missing: [ClosedRange<UInt64>], isWeighed: Bool) {
    self.isWeighed = isWeighed
    self.range = range
    self.chain = chain
    self.missing = missing
    var ends = missing.map { $0.lowerBound - 1 }.filter { $0 >= range.first }
    if missing.last?.upperBound != range.last { ends.append(range.last) }
    heldEnds = ends
  }

  mutating func run() throws {
    let ends = Set(missing.map(\.upperBound) + heldEnds)
    var first = range.first
    for packed in range.frames {
      let sequences = first...(first + UInt64(packed.count) - 1)
      first = sequences.upperBound + 1
      let before = chain
      let frame = try Frame(
        origin: range.origin, firstSequence: sequences.lowerBound, count: packed.count,
        codec: packed.codec, rawLength: packed.rawLength, stored: packed.stored, chain: &chain
      ) { sequence, event, chain in
        if sequence == 1 { claim = IdentityClaim.claimed(by: event) }
        try Self.requireBounded(event, sequence)
        if isWeighed, missing.contains(where: { $0.contains(sequence) }) {
          weight += EventWeight.of(
            event, try? Envelope(decoding: event.envelope), isFirst: sequence == 1)
        }
        if ends.contains(sequence) { chains[sequence] = chain.value }
      }
      if missing.contains(where: { $0.contains(sequences) }) {
        frames.append(frame)
      } else {
        try keepParts(of: frame, sequences, before)
      }
    }
  }

  /// Refuses an event over the limits on its context or, for an identity or stamps event, on its
  /// body. An origin's name takes at least two bytes of the context.
  private static func requireBounded(_ event: EventView, _ sequence: UInt64) throws(EventError) {
    let mayNameTooMany = event.envelope.count > 2 * SyncProtocol.contextAdvancesMax
    let mayBeTooLarge = event.body.count > SyncProtocol.controlBytesMax
    guard mayNameTooMany || mayBeTooLarge, let envelope = try? Envelope(decoding: event.envelope)
    else { return }
    guard envelope.context.advances.count <= SyncProtocol.contextAdvancesMax else {
      throw EventError(.tooLarge, "the context of event \(sequence) names too many origins")
    }
    let isControl = envelope.kind == .identity || envelope.kind == .stamps
    guard !isControl || !mayBeTooLarge else {
      throw EventError(
        .tooLarge, "the body of event \(sequence), an identity or stamps event, is too large")
    }
  }

  /// Repacks the missing events of a frame into frames of their own.
  private mutating func keepParts(
    of frame: Frame, _ sequences: ClosedRange<UInt64>, _ before: Chain
  ) throws {
    var chain = before
    var builder: FrameBuilder?
    for (sequence, event) in zip(sequences, try frame.events()) {
      if missing.contains(where: { $0.contains(sequence) }) {
        if builder == nil {
          builder = FrameBuilder(
            origin: range.origin, firstSequence: sequence, chainBefore: chain)
        }
        try builder?.append(event)
      } else if let full = builder {
        frames.append(try full.finish())
        builder = nil
      }
      chain.append(event)
    }
    if let builder { frames.append(try builder.finish()) }
  }
}

extension ClosedRange where Bound == UInt64 {
  fileprivate func contains(_ other: ClosedRange<UInt64>) -> Bool {
    lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}
