import CoreMetrics
import DaybookLocks

/// A counter that only grows.
final class CounterCell: CounterHandler {
  private let count = Mutex<Int64>(0)

  var value: Int64 { count.withLock { $0 } }

  func increment(by amount: Int64) { count.withLock { $0 &+= amount } }
  func reset() { count.withLock { $0 = 0 } }
}

/// A gauge that keeps the last value.
final class GaugeCell: RecorderHandler, MeterHandler {
  private let last = Mutex(0.0)

  var value: Double { last.withLock { $0 } }

  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) { last.withLock { $0 = value } }
  func set(_ value: Int64) { record(Double(value)) }
  func set(_ value: Double) { record(value) }
  func increment(by amount: Double) { last.withLock { $0 += amount } }
  func decrement(by amount: Double) { last.withLock { $0 -= amount } }
}

/// A histogram: the number of values up to each bound. A timer records seconds.
final class HistogramCell: RecorderHandler, TimerHandler {
  struct Value {
    var bounds: [Double]
    /// The number of values up to each bound.
    var cumulative: [Int64]
    var count: Int64
    var sum: Double
  }

  private struct State {
    var counts: [Int64]
    var sum = 0.0
  }

  static let seconds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]
  static let counts = (0...12).map { Double(1 << (2 * $0)) }

  private let bounds: [Double]
  private let state: Mutex<State>

  init(_ bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  var value: Value {
    let state = state.withLock { $0 }
    var sum: Int64 = 0
    let cumulative = state.counts.dropLast().map { count in
      sum += count
      return sum
    }
    return Value(
      bounds: bounds, cumulative: cumulative, count: state.counts.reduce(0, +), sum: state.sum)
  }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    let place = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[place] += 1
      state.sum += value
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
