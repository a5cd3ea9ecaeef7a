package import EventCore
internal import Frames

/// The proof of another history of an origin than the one held here: a range that the origin's key
/// has signed.
///
/// A peer's claim alone does not count. Otherwise a peer could make a store remove events from its
/// log by claiming a fork.
package struct ForkProof: Sendable {
  package let origin: ReplicaID
  /// The last event that both histories share; 0 if there is none.
  package let common: UInt64
  /// The other history's chain values after its events from ``common`` + 1 on, up to the range's
  /// end.
  private let chains: [Hash256]

  /// Checks a range for another history.
  ///
  /// Cost: hashes the range's events once.
  /// - Parameter range: A range as received from a peer; its bytes may be anything.
  /// - Returns: nil if the range is not signed, belongs to the history that is held, or begins
  ///   beyond the last common event.
  /// - Throws: Any error of the storage.
  package init?(_ range: EventRange, _ storage: any ReplicaStorage) throws {
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

  /// Returns the index of the first chain value that differs from the one held. All later values
  /// differ too, so a binary search finds it.
  /// - Parameter first: The sequence of the event that the first value follows.
  /// - Returns: nil if all values that can be compared are equal.
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

  /// Returns the other history's chain value after an event; nil if the range ends before the
  /// event, or both histories share it.
  package func chain(after sequence: UInt64) -> Hash256? {
    guard sequence > common, sequence - common <= UInt64(chains.count) else { return nil }
    return chains[Int(sequence - common) - 1]
  }

  /// The results of hashing a range; nil if its bytes are not events.
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
