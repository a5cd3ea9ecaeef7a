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

  /// For each number of thousandths the smallest sample that so many of the samples do not exceed; 0 if there
  /// are none.
  func quantiles(_ thousandths: Int...) -> [Int64] {
    let sorted = samples.sorted()
    return thousandths.map { part in
      guard !sorted.isEmpty else { return 0 }
      let rank = (sorted.count * part + 999) / 1000
      return sorted[max(rank, 1) - 1]
    }
  }
}
