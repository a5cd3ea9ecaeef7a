import DaybookEventCore
import DaybookFrames

/// The search for evidence that a range with an invalid signature continues another history than
/// the one held here.
///
/// This happens if the range's origin was cloned, and the clone is ahead. The chain value before a
/// range is computed from what is held, so such a range looks unsigned. Two things reveal the other
/// history:
/// - The range contains the chain value before it, and is signed on that value.
/// - The sender reports that it holds another history itself.
struct ForkEvidence {
  private let ranges: [EventRange]
  private let claimed: Knowledge?
  private let storage: any ReplicaStorage

  /// Creates a search in one message.
  /// - Parameters:
  ///   - ranges: The ranges of the message.
  ///   - claimed: What the sender reports to hold; nil if that is not known.
  ///   - storage: The replica that has received the message.
  init(_ ranges: [EventRange], claimed: Knowledge?, _ storage: any ReplicaStorage) {
    self.ranges = ranges
    self.claimed = claimed
    self.storage = storage
  }

  /// Returns the refusal of a range that continues another history; nil if nothing shows one.
  /// - Throws: Any error of the storage.
  func fork(of range: EventRange) throws -> RangeRefusal? {
    guard range.first > 1 else { return nil }
    let before = EventID(range.origin, range.first - 1)
    guard let own = try storage.chain(after: before) else { return nil }
    guard try isSignedElsewhere(range, own) || isClaimed(from: range, own) else { return nil }
    return RangeRefusal(.fork, before, tag: ChainTag(own))
  }

  /// Returns whether the range is signed on the chain value that it contains, and that value
  /// differs from the one held.
  private func isSignedElsewhere(_ range: EventRange, _ own: Hash256) throws -> Bool {
    guard let said = range.chainBefore, said != own, let after = Self.chain(from: said, range),
      let key = try storage.publicKey(of: range.origin)
    else { return false }
    let head = Head(
      zone: (range.isZoneless ? ZoneID.none : storage.zone).bytes,
      event: EventID(range.origin, range.last), chain: after, signature: range.signature)
    return head.isSigned(by: key)
  }

  /// Returns whether the sender's report shows a history that does not follow from the one held
  /// here. The report says a chain value after the run that the range belongs to, even if the run
  /// is beyond a gap of the sender.
  private func isClaimed(from range: EventRange, _ own: Hash256) -> Bool {
    guard let run = claimed?[range.origin]?.run(with: range.last) else { return false }
    var (chain, next) = (own, range.first)
    for part in ranges where part.origin == range.origin && part.first == next {
      guard let after = Self.chain(from: chain, part) else { return false }
      (chain, next) = (after, part.last + 1)
      if part.last == run.range.upperBound { return ChainTag(chain) != run.tag }
    }
    return false
  }

  /// Returns the chain value after a range's events; nil if its bytes are not events.
  private static func chain(from value: Hash256, _ range: EventRange) -> Hash256? {
    var (chain, first) = (Chain(value: value), range.first)
    for packed in range.frames {
      let frame = try? Frame(
        origin: range.origin, firstSequence: first, count: packed.count, codec: packed.codec,
        rawLength: packed.rawLength, stored: packed.stored, chain: &chain
      ) { _, _, _ in }
      if frame == nil { return nil }
      first += UInt64(packed.count)
    }
    return chain.value
  }
}
