import DaybookLocks

/// A source of random bits that are zero more often than chance.
///
/// Some values are zero in their low or high bytes, so that no value can double as "nothing".
package final class SaltSource: Sendable {
  private let random: Mutex<SplitMix64>

  package init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

  package func next() -> UInt64 {
    random.withLock { random in
      let value = random.next()
      switch random.below(16) {
      case 0: return value & ~0xFF
      case 1: return value & ~0xFFFF_FFFF
      case 2: return value & 0xFF
      default: return value
      }
    }
  }
}
