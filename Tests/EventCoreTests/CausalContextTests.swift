import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("CausalContext")
struct CausalContextTests {
  private let author = ReplicaID(high: 0, low: 1)
  private func other(_ number: UInt64) -> ReplicaID { ReplicaID(high: 1, low: number) }

  @Test("a reader that applies the deltas gets the context of the author at every event")
  func roundTrip() throws {
    var random = SplitMix64(seed: 30)
    for _ in 0..<50 {
      var written = CausalContext(author: author)
      var read = CausalContext(author: author)
      var seen = VersionVector()
      for _ in 0..<30 {
        for _ in 0..<random.pick(0...3) {
          let origin = other(UInt64(random.pick(0...5)))
          seen.include(origin, seen[origin] + UInt64(random.pick(1...400)))
        }
        var withOwn = seen
        withOwn[author] = 77
        let delta = written.delta(to: withOwn)
        let changes = try written.apply(delta)
        #expect(changes.allSatisfy { seen[$0.origin] == $0.sequence })
        let bytes = Envelope(kind: .transaction, authored: .zero, context: delta).encoded()
        try read.apply(Decoding.envelope(bytes).context)
        #expect(read == written)
        #expect(read.vector == seen)
        #expect(read.delta(to: seen) == ContextDelta())
      }
    }
  }

  @Test("a context never shrinks, and a lesser vector makes no delta")
  func neverShrinks() throws {
    var context = CausalContext(author: author)
    try context.apply(context.delta(to: [other(1): 9]))
    #expect(context.delta(to: [other(1): 3]) == ContextDelta())
  }

  @Test("an origin is introduced once, and has a number from then on")
  func interned() throws {
    var context = CausalContext(author: author)
    let first = context.delta(to: [other(2): 1, other(1): 1])
    #expect(first.advances.map(\.origin) == [.new(other(1)), .new(other(2))])
    try context.apply(first)
    let second = context.delta(
      to: [other(0): 1, other(1): 1, other(2): 5])
    #expect(second.advances.map(\.origin) == [.known(1), .new(other(0))])
    try context.apply(second)
    #expect(context.mentioned == [other(1), other(2), other(0)])
  }

  @Test("a context that is made from its entries equals the original")
  func resumed() throws {
    var context = CausalContext(author: author)
    try context.apply(
      ContextDelta([.init(origin: .new(other(5)), by: 2), .init(origin: .new(other(3)), by: 1)]))
    let entries = context.mentioned.map { (origin: $0, sequence: context.vector[$0]) }
    #expect(CausalContext(author: author, entries: entries) == context)
  }

  @Test("a bad delta is refused and changes nothing")
  func badDeltas() throws {
    var context = CausalContext(author: author)
    try context.apply(
      ContextDelta([.init(origin: .new(other(1)), by: 2), .init(origin: .new(other(2)), by: 2)]))
    let before = context
    let bad: [[ContextDelta.Advance]] = [
      [.init(origin: .known(2), by: 1)],
      [.init(origin: .known(1), by: 1), .init(origin: .known(0), by: 1)],
      [.init(origin: .known(0), by: 1), .init(origin: .known(0), by: 1)],
      [.init(origin: .new(other(3)), by: 1), .init(origin: .known(0), by: 1)],
      [.init(origin: .new(other(3)), by: 1), .init(origin: .known(2), by: 1)],
      [.init(origin: .new(other(1)), by: 1)],
      [.init(origin: .new(other(3)), by: 1), .init(origin: .new(other(3)), by: 1)],
      [.init(origin: .new(author), by: 1)],
      [.init(origin: .known(0), by: .max)],
      [.init(origin: .known(0), by: .max - 2)],
      [.init(origin: .new(other(3)), by: UInt64(Int64.max))],
    ]
    for advances in bad {
      let code = Decoding.code { () throws(EventError) in
        _ = try context.apply(ContextDelta(advances))
      }
      #expect(code == .badContext, "\(advances)")
      #expect(context == before)
    }
  }
}
