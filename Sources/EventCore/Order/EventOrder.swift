/// The position of an event in the total order.
@frozen
package struct EventOrder: Hashable, Comparable, Sendable {
  package var isPending: Bool
  /// The server time if the event is stamped, else the authored time.
  package var time: HybridTime
  /// The tie-breaker between events that rank by the same count of seen events.
  ///
  /// It is the authored time, or zero if that is in the far future itself. All other events have
  /// zero.
  package var claimed = HybridTime.zero
  /// The hub that stamped the event; nil if it is pending.
  package var hub: ReplicaID?
  package var id: EventID

  @inlinable
  package init(stamped time: HybridTime, hub: ReplicaID, id: EventID) {
    isPending = false
    self.time = time
    self.hub = hub
    self.id = id
  }

  @inlinable
  package init(pending authored: HybridTime, id: EventID) {
    isPending = true
    time = authored
    hub = nil
    self.id = id
  }

  /// Makes the position of a pending event that ranks by what its author had seen.
  ///
  /// The event's authored time is in the far future (``HybridTime/farFuture``) or detached, or its
  /// author had seen such an event. These rank after all other pending ones, by the number of
  /// events that their authors had seen. So an event ranks after all events that its author had
  /// seen, whatever times are claimed.
  ///
  /// A lying author may claim to have seen events that others have not written yet. Then the
  /// numbers can be equal, and the authored times decide. An honest author's time is later than the
  /// times that it had seen, except those in the far future, which count as the earliest. So a
  /// detached event, whose author had not followed what it had seen, may rank below such a lie.
  /// - Parameters:
  ///   - seen: the number of known events that the author had seen, including its own up to this
  ///     one.
  ///   - authored: the time that the author claims.
  package init(far seen: UInt64, authored: HybridTime, id: EventID) {
    self.init(
      pending: HybridTime(rawValue: HybridTime.farFuture.rawValue + min(seen, .max >> 1)), id: id)
    claimed = authored.isFar ? .zero : authored
  }

  @inlinable
  package static func < (a: EventOrder, b: EventOrder) -> Bool {
    if a.isPending != b.isPending { return b.isPending }
    if a.time != b.time { return a.time < b.time }
    if a.claimed != b.claimed { return a.claimed < b.claimed }
    if let aHub = a.hub, let bHub = b.hub, aHub != bHub { return aHub < bHub }
    return a.id < b.id
  }
}
