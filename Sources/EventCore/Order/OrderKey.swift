/// The position of an operation in the total order that last-write-wins follows.
///
/// Stamped events are ordered by (server time, hub, origin, sequence, operation). Pending events
/// come after all stamped ones, ordered by (authored time, origin, sequence, operation).
@frozen
package struct OrderKey: Hashable, Comparable, Sendable {
  package var event: EventOrder
  package var operation: UInt32

  @inlinable
  package init(_ event: EventOrder, operation: UInt32) {
    self.event = event
    self.operation = operation
  }

  @inlinable
  package static func < (a: OrderKey, b: OrderKey) -> Bool {
    if a.event < b.event { return true }
    return a.event == b.event && a.operation < b.operation
  }
}
