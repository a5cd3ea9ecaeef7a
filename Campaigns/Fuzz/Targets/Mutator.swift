import DaybookSimulation

/// Makes new inputs from seeds, as a fuzzer without coverage would.
///
/// `FuzzTests` uses it, which takes seconds and runs wherever the tests run.
package struct Mutator {
  private let seeds: [[UInt8]]
  private let bytesMax: Int
  private var random: SplitMix64

  package init(_ target: FuzzTarget, seed: UInt64) throws {
    seeds = try target.seeds()
    bytesMax = target.bytesMax
    random = SplitMix64(seed: seed)
  }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

  private mutating func seed() -> [UInt8] { seeds.isEmpty ? [] : seeds[pick(seeds.count)] }

  /// Returns a seed with one to eight changes.
  package mutating func next() -> [UInt8] {
    var bytes = seed()
    for _ in 0...pick(8) { change(&bytes) }
    return Array(bytes.prefix(bytesMax))
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let at = pick(bytes.count + 1)
    let count = min(1 + pick(8), bytes.count - at)
    switch pick(8) {
    case 0 where at < bytes.count: bytes[at] ^= 1 << UInt8(pick(8))
    case 1 where at < bytes.count: bytes[at] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: at)
    case 3: bytes.removeSubrange(at..<at + count)
    case 4: bytes.insert(contentsOf: bytes[at..<at + count], at: pick(bytes.count + 1))
    case 5: bytes.removeSubrange(at...)
    case 6:
      let number = Self.numbers[pick(Self.numbers.count)]
      bytes.replaceSubrange(at..<min(at + number.count, bytes.count), with: number)
    default:
      let other = seed()
      let from = pick(other.count + 1)
      bytes.replaceSubrange(at..<at + count, with: other[from..<min(from + 16, other.count)])
    }
  }

  /// Numbers at which something may overflow, as integers of up to 8 bytes and as varints.
  private static let numbers: [[UInt8]] = [
    [UInt8](repeating: 0, count: 8), [UInt8](repeating: 0xFF, count: 8),
    [UInt8](repeating: 0xFF, count: 7) + [0x7F], [0, 0, 0, 0, 0, 0, 0, 0x80],
    [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0x7F],
    [UInt8](repeating: 0xFF, count: 9) + [1], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x80, 1], [0x7F],
  ]
}
