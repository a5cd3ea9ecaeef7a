package import CoreMetrics
import DaybookLocks

/// Metrics in memory, for tests to inspect.
///
/// Every recorded value is kept under the metric's label and its dimensions except the store's, as
/// `label{key=value}`.
package final class RecordedMetrics: MetricsFactory {
  private let recorded = Mutex<[String: [Double]]>([:])
  private let made = Mutex(0)

  package init() {}

  package subscript(_ name: String) -> [Double] { recorded.withLock { $0[name] ?? [] } }

  package func sum(_ name: String) -> Double { self[name].reduce(0, +) }

  /// Number of handles made so far.
  package var handles: Int { made.withLock { $0 } }

  private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
    made.withLock { $0 += 1 }
    let own = dimensions.filter { $0.0 != "store" }.map { "\($0.0)=\($0.1)" }
    let name = own.isEmpty ? label : "\(label){\(own.joined(separator: ","))}"
    return Handler { [self] value in recorded.withLock { $0[name, default: []].append(value) } }
  }

  private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
    private let note: @Sendable (Double) -> Void

    init(_ note: @escaping @Sendable (Double) -> Void) { self.note = note }

    func increment(by amount: Int64) { note(Double(amount)) }
    func reset() {}
    func record(_ value: Int64) { note(Double(value)) }
    func record(_ value: Double) { note(value) }
    func recordNanoseconds(_ duration: Int64) { note(Double(duration)) }
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    handler(label, dimensions)
  }

  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool)
    -> any RecorderHandler
  {
    handler(label, dimensions)
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    handler(label, dimensions)
  }

  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}
}
