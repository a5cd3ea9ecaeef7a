/// A hub's statement that the events `from…through` of an origin have a server time.
package struct Stamp: Hashable, Sendable {
  package var origin: ReplicaID
  package var from: UInt64
  package var through: UInt64
  /// The origin's chain value after event `through`: it names the stamped branch of a fork.
  package var chain: Hash256
  package var time: HybridTime

  package init(
    origin: ReplicaID, from: UInt64, through: UInt64, chain: Hash256, time: HybridTime
  ) {
    self.origin = origin
    self.from = from
    self.through = through
    self.chain = chain
    self.time = time
  }
}

extension Stamp {
  /// Whether the stamp counts.
  ///
  /// One of the year 2200 or later does not: no hub's clock is there, and whoever once held the
  /// authority's key could decide with it for ever. Its events are ordered as if it did not exist.
  package var counts: Bool { !time.isFar }

  /// 2150-01-01T00:00:00Z. A hub neither gives stamps from here on, nor follows those of others: it
  /// stamps their events again, and the earlier stamp of an event counts.
  ///
  /// The bound is far below that of ``counts``. If a hub followed a stamp up to the last moment
  /// that counts, it would have no time left for its own.
  package static let hubsEnd = HybridTime(milliseconds: 5_680_281_600_000)
}
