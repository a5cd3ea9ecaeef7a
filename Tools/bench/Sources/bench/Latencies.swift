/// Measurements of one repeated operation, in nanoseconds.
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

  /// Returns quantiles of the samples; 0 if there are none.
  ///
  /// Each is the smallest sample that the given share of the samples does not exceed.
  ///
  /// - Parameter thousandths: The share for each quantile, in thousandths of the samples.
  func quantiles(_ thousandths: Int...) -> [Int64] {
    let sorted = samples.sorted()
    return thousandths.map { part in
      guard !sorted.isEmpty else { return 0 }
      let rank = (sorted.count * part + 999) / 1000
      return sorted[max(rank, 1) - 1]
    }
  }
}
