import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("OrderKey")
struct OrderKeyTests {
  private func key(_ random: inout SplitMix64) -> OrderKey {
    func small() -> UInt64 { UInt64(random.pick(0...2)) }
    let id = EventID(ReplicaID(high: small(), low: 0), small() + 1)
    let time = HybridTime(rawValue: small())
    let order =
      random.chance(50)
      ? EventOrder(stamped: time, hub: ReplicaID(high: small(), low: 9), id: id)
      : EventOrder(pending: time, id: id)
    return OrderKey(order, operation: UInt32(small()))
  }

  @Test("the order is total and transitive")
  func total() {
    var random = SplitMix64(seed: 70)
    let keys = (0..<60).map { _ in key(&random) }
    for a in keys {
      for b in keys {
        #expect([a < b, a == b, b < a].filter { $0 }.count == 1)
        guard a < b else { continue }
        for c in keys where b < c { if !(a < c) { Issue.record("\(a) \(b) \(c)") } }
      }
    }
  }

  @Test("stamped keys precede pending ones, then time, hub, origin, sequence and operation decide")
  func precedence() {
    let (a, b) = (ReplicaID(high: 1, low: 0), ReplicaID(high: 2, low: 0))
    func stamped(_ time: UInt64, _ hub: ReplicaID, _ id: EventID, _ operation: UInt32) -> OrderKey {
      OrderKey(
        EventOrder(stamped: HybridTime(rawValue: time), hub: hub, id: id), operation: operation)
    }
    func pending(_ time: UInt64, _ id: EventID, _ operation: UInt32) -> OrderKey {
      OrderKey(EventOrder(pending: HybridTime(rawValue: time), id: id), operation: operation)
    }
    let ascending = [
      stamped(1, a, EventID(a, 1), 0), stamped(1, a, EventID(a, 1), 1),
      stamped(1, a, EventID(a, 2), 0), stamped(1, a, EventID(b, 1), 0),
      stamped(1, b, EventID(a, 1), 0), stamped(2, a, EventID(a, 1), 0),
      pending(0, EventID(a, 1), 0), pending(0, EventID(a, 1), 7), pending(0, EventID(a, 2), 0),
      pending(0, EventID(b, 1), 0), pending(1, EventID(a, 1), 0),
    ]
    #expect(ascending.shuffled().sorted() == ascending)
  }
}
