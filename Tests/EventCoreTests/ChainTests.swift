import DaybookEventCore
import Testing

@Suite("Chain")
struct ChainTests {
  private let origin = ReplicaID(high: 1, low: 2)
  private let event = EncodedEvent(envelope: [1, 2, 3], body: .present([4, 5]))

  private func chain(_ events: [EncodedEvent], _ origin: ReplicaID? = nil) -> Hash256 {
    var chain = Chain(origin: origin ?? self.origin)
    for event in events { chain.append(event) }
    return chain.value
  }

  @Test("the chain follows its definition, with its domain prefixes")
  func definition() {
    let start = Hash256.sha256(of: Array("daybook.chain.0".utf8) + origin.bytes)
    #expect(chain([]) == start)
    let step = Hash256.sha256(
      of: Array("daybook.chain.1".utf8) + start.bytes + Hash256.sha256(of: [1, 2, 3]).bytes
        + Hash256.sha256(of: [4, 5]).bytes)
    #expect(chain([event]) == step)
  }

  @Test("a body that is replaced by its hash keeps the chain")
  func erasedBody() {
    var erased = event
    erased.body = .hash(Hash256.sha256(of: [4, 5]))
    #expect(chain([event, event]) == chain([erased, event]))
  }

  @Test("a chain depends on origin, order, envelopes, bodies and their boundaries")
  func everythingCounts() {
    let other = EncodedEvent(envelope: [1, 2], body: .present([3, 4, 5]))
    let values = [
      chain([]), chain([event]), chain([other]), chain([event, other]), chain([other, event]),
      chain([event], ReplicaID(high: 1, low: 3)), chain([], ReplicaID(high: 1, low: 3)),
      chain([EncodedEvent(envelope: [], body: .present([]))]),
    ]
    #expect(Set(values).count == values.count)
  }

  @Test("a chain continues from a value as from its events")
  func resumed() {
    var resumed = Chain(value: chain([event]))
    resumed.append(event)
    #expect(resumed.value == chain([event, event]))
  }
}
