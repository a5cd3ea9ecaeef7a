package import DaybookEventCore
import DaybookFrames

/// The proof of another history of an origin than the one held here: ranges that the origin's key
/// has signed.
///
/// A peer's claim alone does not count. Otherwise a peer could make a store remove events from its
/// log by claiming a fork.
package struct ForkProof: Sendable {
  package let origin: ReplicaID
  /// The last event that both histories share; 0 if there is none.
  package let common: UInt64
  /// The other history's chain values after its events from ``common`` + 1 on, up to the end of the
  /// ranges.
  private var chains: [Hash256]

  /// Checks ranges for another history of their origin. The first range that shows one is the
  /// proof, and the ranges that continue it say how that history goes on.
  ///
  /// Cost: hashes the events of the ranges once.
  /// - Parameter ranges: Ranges of one origin, in order, as received from a peer.
  /// - Returns: nil if no range shows another history.
  /// - Throws: Any error of the storage.
  package init?(_ ranges: [EventRange], _ storage: any ReplicaStorage) throws {
    var found: ForkProof?
    for range in ranges {
      if found == nil {
        found = try ForkProof(range, storage)
      } else if try found?.extend(by: range, storage) == false {
        break
      }
    }
    guard let found else { return nil }
    self = found
  }

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
    guard let index = try Self.parting(pass.chains, from: range.first, of: origin, storage) else {
      return nil
    }
    let claimed = pass.claim.flatMap { $0.replica == origin ? $0.publicKey : nil }
    guard let key = try claimed ?? storage.publicKey(of: origin),
      Self.isSigned(range, pass.chains.last ?? start, by: key, storage)
    else { return nil }
    self.origin = origin
    common = range.first + UInt64(index) - 1
    chains = Array(pass.chains[index...])
  }

  /// Adds what a further range says of the other history.
  /// - Returns: Whether the range is signed and continues that history.
  private mutating func extend(by range: EventRange, _ storage: any ReplicaStorage) throws -> Bool {
    guard range.origin == origin, range.first == common + UInt64(chains.count) + 1,
      let start = chains.last, let pass = Pass(range, start), let last = pass.chains.last,
      let key = try storage.publicKey(of: origin), Self.isSigned(range, last, by: key, storage)
    else { return false }
    chains += pass.chains
    return true
  }

  private static func isSigned(
    _ range: EventRange, _ chain: Hash256, by key: [UInt8], _ storage: any ReplicaStorage
  ) -> Bool {
    Head(
      zone: (range.isZoneless ? ZoneID.none : storage.zone).bytes,
      event: EventID(range.origin, range.last), chain: chain, signature: range.signature
    ).isSigned(by: key)
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

  /// Returns the other history's chain value after an event; nil if the ranges end before the
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
