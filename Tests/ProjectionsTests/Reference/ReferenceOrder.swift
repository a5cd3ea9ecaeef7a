import EventCore

/// Where every event stands in the total order, as the stamps of certified hubs say.
struct ReferenceOrder {
  private var stamps: [(stamp: Stamp, hub: ReplicaID)] = []

  /// - Parameter events: those whose stamps count, hubs' identities among them.
  init(_ events: [ReferenceEvent]) {
    let hubs = Set(events.filter(Self.certifiesHub).map(\.id.origin))
    for event in events where hubs.contains(event.id.origin) {
      guard event.envelope?.kind == .stamps else { continue }
      for case .stamp(let stamp) in event.operations ?? [] {
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

  /// The least stamp of all that cover the event. On private events none counts.
  func stamp(of id: EventID) -> (time: HybridTime, hub: ReplicaID)? {
    if id.origin.isPrivate { return nil }
    return
      stamps
      .filter { $0.stamp.origin == id.origin }
      .filter { $0.stamp.from <= id.sequence && id.sequence <= $0.stamp.through }
      .map { (time: $0.stamp.time, hub: $0.hub) }
      .min { $0.time != $1.time ? $0.time < $1.time : $0.hub < $1.hub }
  }

  func order(of id: EventID, authored: HybridTime) -> EventOrder {
    guard let stamp = stamp(of: id) else { return EventOrder(pending: authored, id: id) }
    return EventOrder(stamped: stamp.time, hub: stamp.hub, id: id)
  }
}
