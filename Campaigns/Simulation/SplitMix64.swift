/// A small generator that a seed reproduces (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  package mutating func chance(_ percent: Int) -> Bool { pick(0...99) < percent }

  package mutating func pick(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  /// Returns one of `choices`.
  ///
  /// - Parameter choices: Not empty.
  package mutating func pick<T>(_ choices: [T]) -> T { choices[pick(0...choices.count - 1)] }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// Returns `items` in random order (Fisher and Yates), drawn from this generator alone.
  package mutating func shuffled<T>(_ items: [T]) -> [T] {
    var items = items
    for last in stride(from: items.count - 1, to: 0, by: -1) {
      items.swapAt(last, pick(0...last))
    }
    return items
  }
}
