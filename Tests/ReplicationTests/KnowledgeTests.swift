import DaybookEventCore
import DaybookReplication
import DaybookSimulation
import Testing

@Suite struct KnowledgeTests {
  private static func tag(_ number: UInt64) -> ChainTag {
    ChainTag(Hash256.sha256(of: withUnsafeBytes(of: number) { Array($0) }))
  }

  private static func origin(_ number: UInt64) -> ReplicaID {
    ReplicaID(high: number &* 0x9E37_79B9_7F4A_7C15, low: number)
  }

  @Test("the digest of knowledge depends on its runs, not on the order of insertion")
  func digest() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<50 {
      var runs: [(ReplicaID, Knowledge.Run)] = []
      for number in 1...UInt64.random(in: 1...20, using: &random) {
        let end = UInt64.random(in: 1...50, using: &random)
        runs.append((Self.origin(number), .init(1...end, Self.tag(end))))
        if Bool.random(using: &random) {
          runs.append((Self.origin(number), .init(end + 2...end + 5, Self.tag(end + 5))))
        }
      }
      func made() -> Knowledge {
        var knowledge = Knowledge()
        for (origin, run) in runs.shuffled(using: &random) { knowledge.insert(run, of: origin) }
        return knowledge
      }
      let (a, b) = (made(), made())
      #expect(a == b && a.digest == b.digest && a.differing(from: b.sums) == 0)
      var c = b
      let (origin, _) = runs[0]
      c.insert(.init(1...100, Self.tag(7)), of: origin)
      #expect(c.digest != a.digest)
      #expect(a.differing(from: c.sums) == 1 << UInt64(Knowledge.bucket(of: origin)))
      c[origin] = a[origin]
      #expect(c.digest == a.digest && c == a)
    }
  }

  @Test("runs that meet or overlap are joined")
  func joinedRuns() {
    var entry = Knowledge.Entry(.init(5...7, Self.tag(7)))
    #expect(entry.through == 0 && entry.beyond.count == 1)
    entry.insert(.init(1...2, Self.tag(2)))
    #expect(entry.through == 2 && entry.tag == Self.tag(2))
    #expect(entry.missing(in: 1...9) == [3...4, 8...9])
    entry.insert(.init(3...4, Self.tag(4)))
    #expect(entry.runs == [.init(1...7, Self.tag(7))])
    entry.insert(.init(2...3, Self.tag(3)))
    #expect(entry.runs == [.init(1...7, Self.tag(7))])
  }
}
