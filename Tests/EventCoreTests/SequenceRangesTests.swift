import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("SequenceRanges")
struct SequenceRangesTests {
  @Test("ranges are a set of numbers, kept disjoint, apart and ascending")
  func likeASet() {
    var random = SplitMix64(seed: 90)
    for _ in 0..<100 {
      var ranges = SequenceRanges()
      var set: Set<UInt64> = []
      for _ in 0..<25 {
        let lower = UInt64(random.pick(1...40))
        let range = lower...lower + UInt64(random.pick([0, 0, 1, 5, 12]))
        let missing = Set(ranges.missing(in: range).flatMap { $0 })
        #expect(missing == Set(range).subtracting(set))
        ranges.insert(range)
        set.formUnion(range)
        check(ranges, set)
      }
    }
  }

  private func check(_ ranges: SequenceRanges, _ set: Set<UInt64>) {
    #expect(ranges.ranges.flatMap { $0 } == set.sorted())
    for (a, b) in zip(ranges.ranges, ranges.ranges.dropFirst()) {
      #expect(a.upperBound + 1 < b.lowerBound)
    }
    let contiguous = (UInt64(1)...100).prefix { set.contains($0) }.last ?? 0
    #expect(ranges.contiguous == contiguous)
    #expect(ranges.beyondGaps.flatMap { $0 } == set.filter { $0 > contiguous }.sorted())
    for sequence in UInt64(0)...60 { #expect(ranges.contains(sequence) == set.contains(sequence)) }
  }

  @Test("ranges reach the greatest numbers")
  func farEnd() {
    var ranges = SequenceRanges()
    let last = UInt64.max - 1
    ranges.insert(last...last)
    ranges.insert(1...1)
    #expect(ranges.ranges == [1...1, last...last])
    #expect(ranges.missing(in: 1...last) == [2...last - 1])
    #expect(ranges.missing(in: 1...UInt64.max) == [2...last - 1, .max ... .max])
  }

  @Test("new ranges are empty")
  func empty() {
    let ranges = SequenceRanges()
    #expect(ranges.contiguous == 0 && ranges.beyondGaps.isEmpty && !ranges.contains(1))
    #expect(ranges.missing(in: 3...5) == [3...5])
  }
}
