/// Where an operation stands in the total order that last-write-wins follows.
///
/// Stamped events stand by (server time, hub, origin, sequence, operation); pending ones come after
/// all stamped ones, by (authored time, origin, sequence, operation).
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

/// Where an event stands in the total order.
@frozen
public struct EventOrder: Hashable, Comparable, Sendable {
  public var isPending: Bool
  /// Server time where stamped, else authored time.
  public var time: HybridTime
  /// Decides between events far in the future whose authors claim to have seen each other's: the authored time, or
  /// zero if that is far itself. Zero for all other events.
  public var claimed = HybridTime.zero
  /// The hub that stamped it; nil where pending.
  public var hub: ReplicaID?
  public var id: EventID

  @inlinable
  public init(stamped time: HybridTime, hub: ReplicaID, id: EventID) {
    isPending = false
    self.time = time
    self.hub = hub
    self.id = id
  }

  @inlinable
  public init(pending authored: HybridTime, id: EventID) {
    isPending = true
    time = authored
    hub = nil
    self.id = id
  }

  /// A pending event whose authored time is far in the future (``HybridTime/farFuture``), or whose author had
  /// seen one of that kind. Such events rank after all other pending ones, by how many events their authors
  /// had seen: so an event ranks after all that its author had seen, whatever time anybody claims.
  ///
  /// One who lies may claim to have seen what others will write. Then they have seen equally many, and the authored
  /// times decide: an honest author's is later than those that it had seen, but for far ones, which count as the
  /// earliest.
  /// - Parameters:
  ///   - seen: how many known events the author had seen, its own up to this one included.
  ///   - authored: what the author says.
  public init(far seen: UInt64, authored: HybridTime, id: EventID) {
    self.init(
      pending: HybridTime(rawValue: HybridTime.farFuture.rawValue + min(seen, .max >> 1)), id: id)
    claimed = authored.isFar ? .zero : authored
  }

  @inlinable
  public static func < (a: EventOrder, b: EventOrder) -> Bool {
    if a.isPending != b.isPending { return b.isPending }
    if a.time != b.time { return a.time < b.time }
    if a.claimed != b.claimed { return a.claimed < b.claimed }
    if let aHub = a.hub, let bHub = b.hub, aHub != bHub { return aHub < bHub }
    return a.id < b.id
  }
}
