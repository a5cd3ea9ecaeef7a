/// The highest sequence of each origin up to which a replica knows every event.
public struct VersionVector: Hashable, Sendable {
  private var sequences: [ReplicaID: UInt64] = [:]

  /// Makes an empty vector.
  public init() {}

  /// Makes a vector from origins and their sequences.
  public init(_ entries: some Sequence<(ReplicaID, UInt64)>) {
    for (origin, sequence) in entries { self[origin] = sequence }
  }

  /// The sequence of an origin; 0 if no event of it is known.
  public subscript(origin: ReplicaID) -> UInt64 {
    get { sequences[origin] ?? 0 }
    set { sequences[origin] = newValue == 0 ? nil : newValue }
  }

  /// Whether no event is known.
  public var isEmpty: Bool { sequences.isEmpty }
  /// The number of origins of which an event is known.
  public var count: Int { sequences.count }

  /// The entries, ordered by origin.
  public var entries: [(origin: ReplicaID, sequence: UInt64)] {
    sequences.sorted { $0.key < $1.key }.map { (origin: $0.key, sequence: $0.value) }
  }

  func filtered(_ isWanted: (ReplicaID) -> Bool) -> VersionVector {
    guard contains(where: { !isWanted($0) }) else { return self }
    var vector = VersionVector()
    vector.sequences = sequences.filter { isWanted($0.key) }
    return vector
  }

  func contains(where isWanted: (ReplicaID) -> Bool) -> Bool {
    sequences.keys.contains(where: isWanted)
  }

  /// Whether an event is known.
  public func contains(_ event: EventID) -> Bool { self[event.origin] >= event.sequence }

  /// Whether every event that another vector knows is known.
  public func contains(_ other: VersionVector) -> Bool {
    other.sequences.allSatisfy { self[$0.key] >= $0.value }
  }

  /// Returns the number of events that this vector contains and `other` does not.
  package func lead(over other: VersionVector) -> UInt64 {
    sequences.reduce(0) { $0 + $1.value - min($1.value, other[$1.key]) }
  }

  /// Raises the sequence of `origin` to at least `sequence`.
  public mutating func include(_ origin: ReplicaID, _ sequence: UInt64) {
    if sequence > self[origin] { sequences[origin] = sequence }
  }

  /// Adds what another vector knows.
  public mutating func formUnion(_ other: VersionVector) {
    for (origin, sequence) in other.sequences { include(origin, sequence) }
  }
}
