import DaybookEventCore

/// The events of one origin that have stamps, and the times of those stamps.
struct StampedRuns: Sendable {
  private struct Run {
    var range: ClosedRange<UInt64>
    var time: HybridTime
  }

  /// The stamped runs, disjoint and ascending.
  private var runs: [Run] = []
  private var ranges = SequenceRanges()

  /// The highest sequence up to which all events have stamps.
  var contiguous: UInt64 { ranges.contiguous }

  /// Returns the end of the unbroken run of stamped events that contains `sequence`; nil if that
  /// event has no stamp.
  func end(of sequence: UInt64) -> UInt64? {
    ranges.ranges.first { $0.contains(sequence) }?.upperBound
  }

  /// Returns the time that counts for an event, the earliest of its stamps; nil if it has no stamp.
  func time(of sequence: UInt64) -> HybridTime? {
    let index = firstIndex(endingAtOrAfter: sequence)
    guard index < runs.count, runs[index].range.contains(sequence) else { return nil }
    return runs[index].time
  }

  /// Adds a stamp for a range of events; the earlier time counts if an event has several.
  /// - Parameter range: Sequences from 1 on, below `UInt64.max`.
  mutating func insert(_ range: ClosedRange<UInt64>, _ time: HybridTime) {
    ranges.insert(range)
    let from = firstIndex(endingAtOrAfter: range.lowerBound)
    var to = from
    var next = range.lowerBound
    var parts: [Run] = []
    func add(_ first: UInt64, _ last: UInt64, _ time: HybridTime) {
      if first <= last { parts.append(Run(range: first...last, time: time)) }
    }
    while to < runs.count, runs[to].range.lowerBound <= range.upperBound {
      let old = runs[to]
      let low = max(old.range.lowerBound, range.lowerBound)
      let high = min(old.range.upperBound, range.upperBound)
      add(old.range.lowerBound, low - 1, old.time)
      add(next, low - 1, time)
      add(low, high, min(old.time, time))
      add(high + 1, old.range.upperBound, old.time)
      next = high + 1
      to += 1
    }
    add(next, range.upperBound, time)
    runs.replaceSubrange(from..<to, with: parts)
  }

  private func firstIndex(endingAtOrAfter sequence: UInt64) -> Int {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].range.upperBound < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
