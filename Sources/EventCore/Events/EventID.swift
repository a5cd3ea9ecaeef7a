/// The name of an event: the replica that wrote it, and its place among that replica's events.
@frozen
public struct EventID: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The replica that wrote the event.
  public let origin: ReplicaID
  /// The number of the event among those of its replica, from 1.
  public let sequence: UInt64

  /// Makes the id of an event.
  /// - Parameters:
  ///   - origin: the replica that wrote it.
  ///   - sequence: its number among that replica's events.
  @inlinable
  public init(_ origin: ReplicaID, _ sequence: UInt64) {
    self.origin = origin
    self.sequence = sequence
  }

  /// Parses an event's id.
  ///
  /// - Parameter description: `ORIGIN:SEQUENCE`, with a sequence from 1.
  public init?(_ description: String) {
    let parts = description.parts(between: ":")
    guard parts.count == 2, let origin = ReplicaID(String(parts[0])),
      let sequence = UInt64(parts[1]), sequence > 0
    else { return nil }
    self.init(origin, sequence)
  }

  public var description: String { "\(origin):\(sequence)" }

  public static func < (a: EventID, b: EventID) -> Bool {
    a.origin != b.origin ? a.origin < b.origin : a.sequence < b.sequence
  }
}
