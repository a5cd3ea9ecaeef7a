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
