/// A hub's statement that the events `from…through` of an origin have a server time.
public struct Stamp: Hashable, Sendable {
  public var origin: ReplicaID
  public var from: UInt64
  public var through: UInt64
  /// The origin's chain value after event `through`: it names the stamped branch of a fork.
  public var chain: Hash256
  public var time: HybridTime

  public init(
    origin: ReplicaID, from: UInt64, through: UInt64, chain: Hash256, time: HybridTime
  ) {
    self.origin = origin
    self.from = from
    self.through = through
    self.chain = chain
    self.time = time
  }
}
