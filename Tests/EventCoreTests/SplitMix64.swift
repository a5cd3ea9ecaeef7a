/// A small seeded generator of random numbers (Steele, Lea, Flood 2014): the same seed gives the
/// same numbers everywhere.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func chance(_ percent: Int) -> Bool { pick(0...99) < percent }

  mutating func pick(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  /// - Parameter choices: not empty.
  mutating func pick<T>(_ choices: [T]) -> T { choices[pick(0...choices.count - 1)] }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// Fisher and Yates, with the numbers of this generator alone.
  mutating func shuffled<T>(_ items: [T]) -> [T] {
    var items = items
    for last in stride(from: items.count - 1, to: 0, by: -1) {
      items.swapAt(last, pick(0...last))
    }
    return items
  }
}
