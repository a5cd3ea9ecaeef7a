public import CoreMetrics
import DaybookEventCore
import DaybookLocks

/// A registry that collects metrics in this process, and writes them in Prometheus' format.
///
/// Dots in names become underscores. A counter's name ends in `_total`, a timer's in `_seconds`. A
/// metric of Daybook's has a line that says what it measures.
public final class MetricsRegistry: MetricsFactory {
  private struct Key: Hashable {
    var name: String
    /// The labels, each as it is written: `zone="team"`.
    var parts: [String]

    /// The labels as they are written: `zone="team",code="fork"`.
    var labels: String { parts.joined(separator: ",") }
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

  private struct State {
    var series: [Key: Series] = [:]
    /// The keys with each label.
    var keys: [String: Set<Key>] = [:]
    /// What the metrics measure, by name.
    var help: [String: String] = [:]
  }

  private let state = Mutex(State())

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
    let key = Key(name: Self.name(label) + suffix, parts: dimensions.map(Self.part))
    return state.withLock { state in
      if let known = state.series[key] { return known }
      let made = make()
      state.series[key] = made
      for part in key.parts { state.keys[part, default: []].insert(key) }
      state.help[key.name] = MetricHelp.sentences[label]
      return made
    }
  }

  /// Removes all series with a label. A handle to one of them goes on, and nobody sees its value.
  func forget(_ name: String, _ value: String) {
    let part = Self.part((name, value))
    state.withLock { state in
      for key in state.keys.removeValue(forKey: part) ?? [] {
        state.series[key] = nil
        for other in key.parts where other != part {
          state.keys[other]?.remove(key)
          if state.keys[other]?.isEmpty == true { state.keys[other] = nil }
        }
      }
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

  private static func part(_ dimension: (name: String, value: String)) -> String {
    "\(name(dimension.name))=\"\(escaped(dimension.value))\""
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", by: "\\\\").replacing("\"", by: "\\\"").replacing("\n", by: "\\n")
  }

  // MARK: - Writing

  /// All metrics in Prometheus' text format, sorted by name and labels.
  public var text: String {
    let (series, help) = state.withLock { ($0.series, $0.help) }
    let all = series.map { (name: $0.name, labels: $0.labels, series: $1) }
      .sorted { ($0.name, $0.labels) < ($1.name, $1.labels) }
    var text = ""
    var last = ""
    for (name, labels, series) in all {
      if name != last {
        if let help = help[name] { text += "# HELP \(name) \(help)\n" }
        text += "# TYPE \(name) \(series.type)\n"
      }
      last = name
      switch series {
      case .counter(let cell): text += Self.line(name, labels, "\(cell.value)")
      case .gauge(let cell): text += Self.line(name, labels, Self.number(cell.value))
      case .histogram(let cell): Self.write(cell.value, name, labels, &text)
      }
    }
    return text
  }

  private static func write(
    _ value: HistogramCell.Value, _ name: String, _ labels: String, _ text: inout String
  ) {
    let before = labels.isEmpty ? "" : labels + ","
    for (bound, count) in zip(value.bounds, value.cumulative) {
      text += line(name + "_bucket", before + "le=\"\(number(bound))\"", "\(count)")
    }
    text += line(name + "_bucket", before + "le=\"+Inf\"", "\(value.count)")
    text += line(name + "_sum", labels, number(value.sum))
    text += line(name + "_count", labels, "\(value.count)")
  }

  private static func line(_ name: String, _ labels: String, _ value: String) -> String {
    labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}
