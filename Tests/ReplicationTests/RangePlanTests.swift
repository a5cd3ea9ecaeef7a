import EventCore
import Replication
import Testing

@Suite struct RangePlanTests {
  @Test("what the other replica wrote itself comes before what others wrote")
  func ofThePeerFirst() {
    let origins = (1...5).map { ReplicaID(high: $0 << 56, low: $0) }
    var mine = Knowledge()
    for origin in origins { mine[origin] = .init(.init(1...9, ChainTag(.zero))) }
    // A peer that has forgotten what it wrote after its fourth event, and some of what it was given.
    var theirs = mine
    theirs[origins[3]] = .init(.init(1...4, ChainTag(.zero)))
    theirs[origins[0]] = nil
    #expect(RangePlan(from: mine, to: theirs).pieces.map(\.origin) == [origins[0], origins[3]])
    let plan = RangePlan(from: mine, to: theirs, first: origins[3])
    #expect(plan.pieces.map(\.origin) == [origins[3], origins[0]])
    #expect(plan.pieces.map(\.range) == [5...9, 1...9])
  }
}
