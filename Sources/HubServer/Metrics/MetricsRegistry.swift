public import CoreMetrics
import EventCore
import Synchronization

/// A registry that collects metrics in this process, and writes them in Prometheus' format.
///
/// Dots in names become underscores. A counter's name ends in `_total`, a timer's in `_seconds`.
public final class MetricsRegistry: MetricsFactory {
  private struct Key: Hashable {
    var name: String
    /// The labels as they are written: `zone="team",code="fork"`.
    var labels: String
  }

  private enum Series {
    case counter(CounterCell)
    case gauge(GaugeCell)
    case histogram(HistogramCell)

    var type: String {
      switch self {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  private let series = Mutex<[Key: Series]>([:])

  public init() {}

  // MARK: - Creating

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let made = find(label, "_total", dimensions) { .counter(CounterCell()) }
    if case .counter(let cell) = made { return cell }
    return CounterCell()
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool)
    -> any RecorderHandler
  {
    let made = find(label, "", dimensions) {
      aggregate ? .histogram(HistogramCell(HistogramCell.counts)) : .gauge(GaugeCell())
    }
    switch made {
    case .histogram(let cell): return cell
    case .gauge(let cell): return cell
    case .counter: return GaugeCell()
    }
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    if case .gauge(let cell) = find(label, "", dimensions, { .gauge(GaugeCell()) }) { return cell }
    return GaugeCell()
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    let made = find(label, "_seconds", dimensions) {
      .histogram(HistogramCell(HistogramCell.seconds))
    }
    if case .histogram(let cell) = made { return cell }
    return HistogramCell(HistogramCell.seconds)
  }

  // A destroyed series stays, and continues at its value if it is created again.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyMeter(_ handler: any MeterHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}

  /// Returns the series of that name and labels, created by `make` the first time.
  private func find(
    _ label: String, _ suffix: String, _ dimensions: [(String, String)], _ make: () -> Series
  ) -> Series {
    let key = Key(name: Self.name(label) + suffix, labels: Self.labels(dimensions))
    return series.withLock { series in
      if let known = series[key] { return known }
      let made = make()
      series[key] = made
      return made
    }
  }

  private static func name(_ label: String) -> String {
    String(
      decoding: label.utf8.map { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A: byte
        default: UInt8(ascii: "_")
        }
      }, as: UTF8.self)
  }

  private static func labels(_ dimensions: [(String, String)]) -> String {
    dimensions.map { "\(name($0))=\"\(escaped($1))\"" }.joined(separator: ",")
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", by: "\\\\").replacing("\"", by: "\\\"").replacing("\n", by: "\\n")
  }

  // MARK: - Writing

  /// All metrics in Prometheus' text format, sorted by name and labels.
  public var text: String {
    let all = series.withLock { $0 }.sorted {
      ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels)
    }
    var text = ""
    var last = ""
    for (key, series) in all {
      if key.name != last { text += "# TYPE \(key.name) \(series.type)\n" }
      last = key.name
      switch series {
      case .counter(let cell): text += Self.line(key.name, key.labels, "\(cell.value)")
      case .gauge(let cell): text += Self.line(key.name, key.labels, Self.number(cell.value))
      case .histogram(let cell): Self.write(cell.value, key, &text)
      }
    }
    return text
  }

  private static func write(_ value: HistogramCell.Value, _ key: Key, _ text: inout String) {
    let before = key.labels.isEmpty ? "" : key.labels + ","
    for (bound, count) in zip(value.bounds, value.cumulative) {
      text += line(key.name + "_bucket", before + "le=\"\(number(bound))\"", "\(count)")
    }
    text += line(key.name + "_bucket", before + "le=\"+Inf\"", "\(value.count)")
    text += line(key.name + "_sum", key.labels, number(value.sum))
    text += line(key.name + "_count", key.labels, "\(value.count)")
  }

  private static func line(_ name: String, _ labels: String, _ value: String) -> String {
    labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}
