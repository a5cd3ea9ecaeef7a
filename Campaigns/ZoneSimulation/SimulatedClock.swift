import DaybookLocks
import DaybookSimulation

/// A machine's wall clock, which may be wrong.
final class SimulatedClock: Sendable {
  private enum Manner: Sendable {
    case right
    case skewed(Int64)
    case frozen
    case future
  }

  private struct State: Sendable {
    var manner: Manner
    var shown: Int64
  }

  /// January 2027, when authors of this build decide whether to follow the clocks of others.
  private static let epoch: Int64 = 1_800_000_000_000
  private let state: Mutex<State>

  init(_ random: inout SplitMix64) {
    let manner: Manner =
      switch random.below(10) {
      case 0: .frozen
      case 1: .future
      // Up to 28 years off.
      case 2: .skewed(Int64(random.pick(-90_000...90_000)) * 10_000_000)
      case 3...4: .skewed(Int64(random.pick(-90_000...90_000)))
      default: .right
      }
    state = Mutex(State(manner: manner, shown: Self.epoch))
  }

  /// The machine's time in milliseconds since 1970.
  var wallMilliseconds: Int64 { state.withLock { $0.shown } }

  /// Advances the clock in its own manner.
  ///
  /// - Parameter now: Milliseconds since the run began.
  func advance(to now: Int64) {
    state.withLock { state in
      switch state.manner {
      case .right: state.shown = Self.epoch + now
      case .skewed(let by): state.shown = Self.epoch + now + by
      case .frozen: break
      case .future: state.shown = Self.epoch + now + 9_000_000_000_000
      }
    }
  }

  /// Makes the clock right from now on.
  func mend() { state.withLock { $0.manner = .right } }

  /// Sets the clock to a wrong time, up to an hour off.
  func jump(_ random: inout SplitMix64) {
    let by = Int64(random.pick(-3_600_000...3_600_000))
    state.withLock { $0.manner = .skewed(by) }
  }
}

/// A source of random bytes that the run's seed decides.
final class RandomBytes: Sendable {
  private let random: Mutex<SplitMix64>

  init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

  func next(_ count: Int) -> [UInt8] { random.withLock { $0.bytes(count) } }
}
