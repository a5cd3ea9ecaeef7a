import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("VersionVector")
struct VersionVectorTests {
  private func origin(_ number: UInt64) -> ReplicaID { ReplicaID(high: number, low: 0) }

  private func vector(_ random: inout SplitMix64) -> VersionVector {
    VersionVector((0..<4).map { (origin($0), UInt64(random.pick(0...3))) })
  }

  @Test("a union contains both vectors, and nothing more than either")
  func union() {
    var random = SplitMix64(seed: 100)
    for _ in 0..<200 {
      let (a, b) = (vector(&random), vector(&random))
      var (ab, ba) = (a, b)
      ab.formUnion(b)
      ba.formUnion(a)
      #expect(ab == ba && ab.contains(a) && ab.contains(b))
      for (origin, sequence) in ab.entries { #expect(sequence == max(a[origin], b[origin])) }
      #expect((a.contains(b) && b.contains(a)) == (a == b))
    }
  }

  @Test("an entry of 0 is the same as no entry")
  func zero() {
    var vector: VersionVector = [origin(1): 0]
    #expect(vector == VersionVector() && vector.isEmpty)
    vector[origin(1)] = 3
    vector[origin(1)] = 0
    #expect(vector == VersionVector() && vector.count == 0)
    vector.include(origin(2), 0)
    #expect(vector.isEmpty)
  }

  @Test("including an event never lowers an entry")
  func include() {
    var vector: VersionVector = [origin(1): 5]
    vector.include(origin(1), 3)
    #expect(vector[origin(1)] == 5)
    vector.include(origin(1), 8)
    #expect(vector[origin(1)] == 8)
  }

  @Test("a vector contains the events up to its sequences")
  func events() {
    let vector: VersionVector = [origin(1): 2]
    #expect(vector.contains(EventID(origin(1), 2)))
    #expect(!vector.contains(EventID(origin(1), 3)))
    #expect(!vector.contains(EventID(origin(2), 1)))
  }

  @Test("entries are in the order of their origins")
  func entries() {
    let vector = VersionVector([3, 1, 2].map { (origin($0), $0) })
    #expect(vector.entries.map(\.sequence) == [1, 2, 3])
  }
}
