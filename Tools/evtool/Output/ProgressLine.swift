import DaybookEventCore
import DaybookLocks
import Foundation

/// A progress line on the error stream: count, rate, time left. Silent if the error stream is not a
/// terminal.
final class ProgressLine: Sendable {
  private struct State {
    var shown: ContinuousClock.Instant?
    var width = 0
  }

  private let label: String
  private let unit: String
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(_ label: String, unit: String) {
    self.label = label
    self.unit = unit
  }

  /// Shows the progress, at most ten times a second.
  /// - Parameters:
  ///   - count: The number of units done.
  ///   - fraction: The part of the whole that is done, 0 to 1; nil if it is unknown.
  func update(_ count: some BinaryInteger, fraction: Double?) {
    guard Terminal.errorIsTerminal else { return }
    let now = ContinuousClock.now
    state.withLock { state in
      if let shown = state.shown, now - shown < .milliseconds(100) { return }
      state.shown = now
      let elapsed = (now - start) / .seconds(1)
      var line = "\(label): \(Text.grouped(count)) \(unit)"
      if elapsed > 0.2 { line += ", \(Text.grouped(Int(saturating: Double(count) / elapsed)))/s" }
      if let fraction, fraction > 0.005, elapsed > 0.5 {
        let left = elapsed / fraction * (1 - fraction)
        line += ", \(Int(saturating: fraction * 100)) %, \(Text.seconds(max(left, 0))) left"
      }
      StandardError.write("\r" + Text.padded(line, state.width))
      state.width = Text.width(line)
    }
  }

  /// Removes the line from the terminal.
  func clear() {
    state.withLock { state in
      guard state.width > 0 else { return }
      StandardError.write("\r" + String(repeating: " ", count: state.width) + "\r")
      state.width = 0
    }
  }
}
