/// The known sequences of one origin: a contiguous run from 1, and ranges beyond gaps.
package struct SequenceRanges: Hashable, Sendable {
  /// All known ranges: disjoint, not adjacent, ascending.
  package private(set) var ranges: [ClosedRange<UInt64>] = []

  package init() {}

  /// The highest sequence up to which none is missing; 0 if the first is missing.
  package var contiguous: UInt64 {
    guard let first = ranges.first, first.lowerBound == 1 else { return 0 }
    return first.upperBound
  }

  /// The known ranges beyond the first gap.
  package var beyondGaps: ArraySlice<ClosedRange<UInt64>> {
    contiguous == 0 ? ranges[...] : ranges.dropFirst()
  }

  package func contains(_ sequence: UInt64) -> Bool {
    let i = firstIndex(endingAtOrAfter: sequence)
    return i < ranges.count && ranges[i].lowerBound <= sequence
  }

  /// Returns the parts of `range` that are not known yet, ascending.
  package func missing(in range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
    var missing: [ClosedRange<UInt64>] = []
    var next = range.lowerBound
    var i = firstIndex(endingAtOrAfter: next)
    while i < ranges.count, ranges[i].lowerBound <= range.upperBound {
      if ranges[i].lowerBound > next { missing.append(next...ranges[i].lowerBound - 1) }
      if ranges[i].upperBound >= range.upperBound { return missing }
      next = ranges[i].upperBound + 1
      i += 1
    }
    missing.append(next...range.upperBound)
    return missing
  }

  /// Adds a range of known sequences.
  ///
  /// - Parameter range: from 1 on, and below `UInt64.max`.
  package mutating func insert(_ range: ClosedRange<UInt64>) {
    if let last = ranges.indices.last, ranges[last].upperBound + 1 == range.lowerBound {
      ranges[last] = ranges[last].lowerBound...range.upperBound
      return
    }
    let from = firstIndex(endingAtOrAfter: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
    var lower = range.lowerBound
    var upper = range.upperBound
    var to = from
    while to < ranges.count, ranges[to].lowerBound <= upper + 1 {
      lower = min(lower, ranges[to].lowerBound)
      upper = max(upper, ranges[to].upperBound)
      to += 1
    }
    ranges.replaceSubrange(from..<to, with: [lower...upper])
  }

  /// Removes a range of sequences, known or not.
  package mutating func remove(_ range: ClosedRange<UInt64>) {
    let from = firstIndex(endingAtOrAfter: range.lowerBound)
    var to = from
    var rest: [ClosedRange<UInt64>] = []
    while to < ranges.count, ranges[to].lowerBound <= range.upperBound {
      let known = ranges[to]
      if known.lowerBound < range.lowerBound {
        rest.append(known.lowerBound...range.lowerBound - 1)
      }
      if known.upperBound > range.upperBound {
        rest.append(range.upperBound + 1...known.upperBound)
      }
      to += 1
    }
    ranges.replaceSubrange(from..<to, with: rest)
  }

  private func firstIndex(endingAtOrAfter sequence: UInt64) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
