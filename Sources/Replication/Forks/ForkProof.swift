public import EventCore
internal import LogEngine

/// Another history of an origin than the one held here, shown by a range that the origin's key has signed.
///
/// A peer's word does not count: a peer that only had to say "fork" could make a store take events out of its
/// log.
public struct ForkProof: Sendable {
  public let origin: ReplicaID
  /// The last event that both histories have in common; 0 if there is none.
  public let common: UInt64
  /// The other history's chain values after its events from ``common`` + 1 on, as far as the range goes.
  private let chains: [Hash256]

  /// - Parameter range: as a peer has sent it; any bytes.
  /// - Returns: nil if the range is not signed, is of the history that is held, or begins beyond what both
  ///   have in common.
  /// - Throws: what the storage throws.
  ///
  /// Cost: hashes the range's events once.
  public init?(_ range: EventRange, _ storage: any ReplicaStorage) throws {
    let origin = range.origin
    let before = EventID(origin, range.first - 1)
    guard !origin.isPrivate, let start = try storage.chain(after: before) else { return nil }
    guard let pass = Pass(range, start) else { return nil }
    let claimed = pass.claim.flatMap { $0.replica == origin ? $0.publicKey : nil }
    guard let key = try claimed ?? storage.publicKey(of: origin) else { return nil }
    let head = Head(
      zone: (range.isZoneless ? ZoneID.none : storage.zone).bytes,
      event: EventID(origin, range.last), chain: pass.chains.last ?? start,
      signature: range.signature)
    guard head.isSigned(by: key) else { return nil }
    guard let index = try Self.parting(pass.chains, from: range.first, of: origin, storage) else {
      return nil
    }
    self.origin = origin
    common = range.first + UInt64(index) - 1
    chains = Array(pass.chains[index...])
  }

  /// The first of the chain values that is not the one held. Behind it all differ, so it is found by halving.
  /// - Parameter first: the event after which the first of them stands.
  /// - Returns: nil if all that can be compared are the same.
  private static func parting(
    _ chains: [Hash256], from first: UInt64, of origin: ReplicaID, _ storage: any ReplicaStorage
  ) throws -> Int? {
    let held = try storage.held(of: origin).contiguous
    guard held >= first else { return nil }
    let count = Int(min(UInt64(chains.count), held - first + 1))
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      let event = EventID(origin, first + UInt64(middle))
      guard let own = try storage.chain(after: event) else { return nil }
      if own == chains[middle] { low = middle + 1 } else { high = middle }
    }
    return low < count ? low : nil
  }

  /// The other history's chain value after an event; nil if the range does not go so far, or the event is one
  /// of those in common.
  public func chain(after sequence: UInt64) -> Hash256? {
    guard sequence > common, sequence - common <= UInt64(chains.count) else { return nil }
    return chains[Int(sequence - common) - 1]
  }

  /// What hashing a range comes to; nil if its bytes are no events.
  private struct Pass {
    var claim: IdentityClaim?
    var chains: [Hash256] = []

    init?(_ range: EventRange, _ start: Hash256) {
      var (chain, first) = (Chain(value: start), range.first)
      for packed in range.frames {
        let frame = try? Frame(
          origin: range.origin, firstSequence: first, count: packed.count, codec: packed.codec,
          rawLength: packed.rawLength, stored: packed.stored, chain: &chain
        ) { sequence, event, chain in
          if sequence == 1 { claim = IdentityClaim.claimed(by: event) }
          chains.append(chain.value)
        }
        guard frame != nil else { return nil }
        first += UInt64(packed.count)
      }
    }
  }
}
