package import DaybookEventCore

/// Events of one origin that a hub cannot stamp yet, and why.
package struct WaitingEvents: Hashable, Sendable {
  /// The first of the waiting events.
  package var first: EventID
  package var count: Int
  /// The event that the first author had seen and that has no stamp yet.
  package var cause: EventID
  /// Whether the hub holds the ``cause``.
  package var isHeld: Bool

  init(first: EventID, count: Int, for cause: EventID, isHeld: Bool) {
    self.first = first
    self.count = count
    self.cause = cause
    self.isHeld = isHeld
  }
}
