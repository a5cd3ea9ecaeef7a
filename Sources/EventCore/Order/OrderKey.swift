/// The position of an operation in the total order that last-write-wins follows.
///
/// Stamped events are ordered by (server time, hub, origin, sequence, operation). Pending events
/// come after all stamped ones, ordered by (authored time, origin, sequence, operation).
@frozen
public struct OrderKey: Hashable, Comparable, Sendable {
  public var event: EventOrder
  public var operation: UInt32

  @inlinable
  public init(_ event: EventOrder, operation: UInt32) {
    self.event = event
    self.operation = operation
  }

  @inlinable
  public static func < (a: OrderKey, b: OrderKey) -> Bool {
    if a.event < b.event { return true }
    return a.event == b.event && a.operation < b.operation
  }
}
