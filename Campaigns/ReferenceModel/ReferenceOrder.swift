import DaybookEventCore

/// The total order of events, as the stamps of certified hubs define it.
struct ReferenceOrder {
  /// The year 2200, in milliseconds since 1970.
  private static let farFuture: Int64 = 7_258_118_400_000

  private var stamps: [(stamp: Stamp, hub: ReplicaID)] = []
  /// The number of events of each origin.
  private var counts = VersionVector()
  /// Events that claim to be of the year 2200 or later, or that say to follow no others.
  private var far: [EventID] = []
  /// By origin and sequence, the vector that the author had seen at that event.
  private var contexts: [ReplicaID: [UInt64: VersionVector]] = [:]

  /// - Parameter events: the events that count, including the identities and stamps of hubs.
  init(_ events: [ReferenceEvent]) {
    for event in events.sorted(by: { $0.id < $1.id }) {
      let (origin, sequence) = (event.id.origin, event.id.sequence)
      var context = contexts[origin]?[sequence - 1] ?? VersionVector()
      context.formUnion(event.seen)
      contexts[origin, default: [:]][sequence] = context
      counts.include(event.id.origin, event.id.sequence)
      if let time = event.envelope?.authored,
        time.milliseconds >= Self.farFuture || time.counter == 65_535
      {
        far.append(event.id)
      }
    }
    let hubs = Set(events.filter(Self.certifiesHub).map(\.id.origin))
    for event in events where hubs.contains(event.id.origin) {
      guard event.envelope?.kind == .stamps else { continue }
      for case .stamp(let stamp) in event.operations ?? []
      where stamp.time.milliseconds < Self.farFuture {
        stamps.append((stamp, event.id.origin))
      }
    }
  }

  private static func certifiesHub(_ event: ReferenceEvent) -> Bool {
    guard event.id.sequence == 1, event.envelope?.kind == .identity,
      case .identity(let claim)? = event.operations?.first
    else { return false }
    return claim.certifiesHub(event.id.origin)
  }

  /// Returns the lowest stamp of all that cover the event. No stamp counts for a private event.
  func stamp(of id: EventID) -> (time: HybridTime, hub: ReplicaID)? {
    if id.origin.isPrivate { return nil }
    return
      stamps
      .filter { $0.stamp.origin == id.origin }
      .filter { $0.stamp.from <= id.sequence && id.sequence <= $0.stamp.through }
      .map { (time: $0.stamp.time, hub: $0.hub) }
      .min { $0.time != $1.time ? $0.time < $1.time : $0.hub < $1.hub }
  }

  /// Returns an event's place in the order.
  /// - Parameters:
  ///   - id: the event.
  ///   - authored: its authored time.
  ///   - seen: the events of other origins that its author had seen.
  func order(of id: EventID, authored: HybridTime, seen: VersionVector) -> EventOrder {
    if let stamp = stamp(of: id) {
      return EventOrder(stamped: stamp.time, hub: stamp.hub, id: id)
    }
    if far.isEmpty { return EventOrder(pending: authored, id: id) }
    var all = id.origin.isPrivate ? seen : seen.shared
    all.include(id.origin, id.sequence)
    // Add what the authors of those events had seen, until nothing is added.
    while true {
      var more = all
      for (origin, sequence) in all.entries {
        let context = contexts[origin]?[min(sequence, counts[origin])] ?? VersionVector()
        more.formUnion(origin.isPrivate ? context : context.shared)
      }
      if more == all { break }
      all = more
    }
    guard far.contains(where: all.contains) else { return EventOrder(pending: authored, id: id) }
    let count = all.entries.reduce(UInt64(0)) { $0 + min($1.sequence, counts[$1.origin]) }
    return EventOrder(far: count, authored: authored, id: id)
  }
}
