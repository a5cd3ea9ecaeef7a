package import DaybookEventCore
import DaybookFrames
package import DaybookLogEngine
package import DaybookReplication

/// Reads ranges from a log: the frames as they are stored, up to a head that closes them. A frame
/// is packed again only if the range holds part of it.
package struct RangeReader {
  let snapshot: LogSnapshot
  let zone: ZoneID
  /// The identity that signs ranges of its own origin; nil if its key is not available.
  let identity: Identity?

  package init(snapshot: LogSnapshot, zone: ZoneID, identity: Identity?) {
    self.snapshot = snapshot
    self.zone = zone
    self.identity = identity
  }

  /// Returns events of an origin after `sequence`, closed by a head.
  /// - Parameters:
  ///   - origin: the author of the events.
  ///   - sequence: the number of the last event that the receiver holds.
  ///   - limit: the highest event number to return.
  ///   - hasGap: whether to include the chain value before the first event.
  /// - Returns: nil if no head closes any of the events, or if their chain cannot be verified.
  /// - Throws: what reading the log throws.
  package func range(
    of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, hasGap: Bool
  ) throws -> EventRange? {
    guard sequence < limit else { return nil }
    // This many events are enough for a range. Look further only if no head closes a frame among
    // them.
    let enough = UInt64(SyncProtocol.rangeEvents)
    let near = limit - sequence > enough ? sequence + enough : limit
    var entries = contiguous(origin, after: sequence, through: near)
    var found = try end(of: origin, after: sequence, through: limit, entries)
    if found == nil, near < limit {
      entries = contiguous(origin, after: sequence, through: limit)
      found = try end(of: origin, after: sequence, through: limit, entries)
    }
    guard let end = found else { return nil }
    var chainBefore: Hash256?
    if hasGap {
      chainBefore = try snapshot.chain(after: EventID(origin, sequence))
      // Without the chain value before the gap, no receiver could verify the range.
      if chainBefore == nil { return nil }
    }
    var frames: [EventRange.Packed] = []
    for entry in entries where entry.firstSequence <= end.sequence {
      let frame = try snapshot.frame(at: entry)
      let isWhole = entry.firstSequence > sequence && entry.lastSequence <= end.sequence
      frames.append(
        isWhole
          ? EventRange.Packed(frame)
          : try Self.cut(
            frame, max(entry.firstSequence, sequence + 1)...min(entry.lastSequence, end.sequence)))
    }
    return EventRange(
      origin: origin, first: sequence + 1, chainBefore: chainBefore, frames: frames,
      isZoneless: end.isZoneless, signature: end.signature)
  }

  /// The zone for which heads count. A store that has left a zone cannot hand on what others have
  /// signed for that one.
  private var signedFor: [UInt8]? { zone == .none ? nil : zone.bytes }

  private struct End {
    var sequence: UInt64
    var isZoneless: Bool
    var signature: [UInt8]
  }

  /// Returns the entries of frames that hold events after `sequence`, up to `limit`, without a gap.
  private func contiguous(_ origin: ReplicaID, after sequence: UInt64, through limit: UInt64)
    -> [RecordEntry]
  {
    var next = sequence + 1
    var found: [RecordEntry] = []
    for entry in snapshot.entries(of: origin, in: next...limit) {
      guard entry.firstSequence <= next else { break }
      found.append(entry)
      next = entry.lastSequence + 1
    }
    return found
  }

  /// Returns the end of the range. For the signer's own origin, it is the frame that makes the
  /// range large enough; for others, a head that closes the frames.
  private func end(
    of origin: ReplicaID, after sequence: UInt64, through limit: UInt64, _ entries: [RecordEntry]
  ) throws -> End? {
    guard let last = entries.last else { return nil }
    var reach = last.lastSequence
    var bytes = 0
    for entry in entries {
      bytes += entry.length
      if bytes >= SyncProtocol.rangeBytes
        || entry.lastSequence - sequence >= UInt64(SyncProtocol.rangeEvents)
      {
        reach = entry.lastSequence
        break
      }
    }
    reach = min(reach, limit)
    if let identity, identity.id == origin {
      let event = EventID(origin, reach)
      guard let chain = try snapshot.chain(after: event) else { return nil }
      let head = try Head(
        zone: zone.bytes, sequence: reach, chain: chain, by: identity)
      return End(sequence: reach, isZoneless: zone == .none, signature: head.signature)
    }
    let held = sequence + 1...min(last.lastSequence, limit)
    guard let head = try snapshot.closingHead(of: origin, in: held, atMost: reach, zone: signedFor)
    else {
      return nil
    }
    return End(
      sequence: head.event.sequence, isZoneless: head.zone == ZoneID.none.bytes,
      signature: head.signature)
  }

  /// Returns a frame with some of another frame's events.
  private static func cut(_ frame: Frame, _ sequences: ClosedRange<UInt64>) throws
    -> EventRange.Packed
  {
    // The chain value is not transmitted, so any value will do here.
    var builder = FrameBuilder(
      origin: frame.header.origin, firstSequence: sequences.lowerBound,
      chainBefore: Chain(origin: frame.header.origin))
    for (sequence, event) in zip(frame.header.sequences, try frame.events())
    where sequences.contains(sequence) { try builder.append(event) }
    // What is cut travels over a slow or breaking line, where bytes cost more than the work.
    return EventRange.Packed(try builder.finish(.high))
  }
}
