/// Measurements of one repeated thing, in nanoseconds.
struct Latencies {
  private var samples: [Int64] = []

  init(reserving count: Int = 0) {
    samples.reserveCapacity(count)
  }

  var count: Int { samples.count }
  var total: Int64 { samples.reduce(0, +) }

  mutating func append(_ nanoseconds: Int64) {
    samples.append(nanoseconds)
  }

  mutating func append(contentsOf other: Latencies) {
    samples.append(contentsOf: other.samples)
  }

  /// The smallest sample that `percent` of the samples do not exceed; 0 where there are none.
  func percentile(_ percent: Int) -> Int64 {
    guard !samples.isEmpty else { return 0 }
    let sorted = samples.sorted()
    let rank = (sorted.count * percent + 99) / 100
    return sorted[max(rank, 1) - 1]
  }
}
