import DaybookEventCore
import DaybookReplication
import Testing

@Suite struct RangePlanTests {
  @Test("a plan sends the peer's own events before those of other origins")
  func peersEventsFirst() {
    let origins = (1...5).map { ReplicaID(high: $0 << 56, low: $0) }
    var mine = Knowledge()
    for origin in origins { mine[origin] = .init(.init(1...9, ChainTag(.zero))) }
    // The peer has lost its own events after the fourth, and all events of one origin.
    var theirs = mine
    theirs[origins[3]] = .init(.init(1...4, ChainTag(.zero)))
    theirs[origins[0]] = nil
    #expect(RangePlan(from: mine, to: theirs).pieces.map(\.origin) == [origins[0], origins[3]])
    let plan = RangePlan(from: mine, to: theirs, first: origins[3])
    #expect(plan.pieces.map(\.origin) == [origins[3], origins[0]])
    #expect(plan.pieces.map(\.range) == [5...9, 1...9])
  }
}
