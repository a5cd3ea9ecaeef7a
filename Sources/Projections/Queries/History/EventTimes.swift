public import DaybookEventCore
import GRDB

/// The times of an event.
public struct EventTimes: Hashable, Sendable {
  /// The time by the author's clock.
  public var authored: HybridTime
  /// The time by the hub's clock; nil while the event is pending.
  public var stamped: HybridTime?
  /// The hub that stamped the event; nil while the event is pending.
  public var hub: ReplicaID?

  /// Makes times, for example for a preview or a test.
  public init(authored: HybridTime, stamped: HybridTime? = nil, hub: ReplicaID? = nil) {
    self.authored = authored
    self.stamped = stamped
    self.hub = hub
  }

  /// The times of an event that is not known here.
  public static let unknown = EventTimes(authored: .zero)

  /// The time from which a position in time has the event: the earlier of both.
  package var first: HybridTime { min(authored, stamped ?? authored) }
}
