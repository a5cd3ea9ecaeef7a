import CoreMetrics
import Daybook
import DaybookHubClient
import DaybookReplication
import Foundation
import Logging
import Testing

@testable import DaybookHubServer

@Suite struct MetricsTests {
  @Test("metrics are written in the text format of Prometheus")
  func prometheusFormat() {
    let registry = MetricsRegistry()
    Counter(label: "a.count", dimensions: [("zone", "x\"\\\n")], factory: registry).increment(by: 3)
    Gauge(label: "b.level", factory: registry).record(1.5)
    let timer = CoreMetrics.Timer(label: "c.time", factory: registry)
    timer.recordMilliseconds(3)
    timer.recordSeconds(100)
    let lines = registry.text.split(separator: "\n")
    #expect(
      lines.prefix(4) == [
        "# TYPE a_count_total counter", "a_count_total{zone=\"x\\\"\\\\\\n\"} 3",
        "# TYPE b_level gauge", "b_level 1.5",
      ])
    #expect(lines.contains("# TYPE c_time_seconds histogram"))
    #expect(lines.contains("c_time_seconds_bucket{le=\"0.0025\"} 0"))
    #expect(lines.contains("c_time_seconds_bucket{le=\"0.005\"} 1"))
    #expect(lines.contains("c_time_seconds_bucket{le=\"10\"} 1"))
    #expect(lines.contains("c_time_seconds_bucket{le=\"+Inf\"} 2"))
    #expect(lines.contains("c_time_seconds_count 2"))
    #expect(lines.contains("c_time_seconds_sum 100.003"))
  }

  @Test("the requests, events, refusals and fsyncs of a hub are counted")
  func hubMetrics() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let metrics = MetricsRegistry()
    let token = try place.token()
    let (a, b) = (try await place.store("a", title: "1"), try await place.store("b"))
    let text = try await place.withHub(options: HubPlace.options { $0.metrics = metrics }) {
      hub in
      try await a.syncOnce(with: place.client(hub, token))
      try await b.syncOnce(with: place.client(hub, token))
      _ = try await Raw.exchange(hub, token: nil, [])
      return metrics.text
    }
    for line in [
      "daybook_hub_events_received_total{zone=\"team\"} 2",
      "daybook_hub_events_stamped_total{zone=\"team\"} 1",
      "daybook_hub_pending{zone=\"team\"} 0", "daybook_hub_refusals_total{code=\"noToken\"} 1",
      "daybook_hub_requests_total{route=\"exchange\",status=\"401\"} 1",
      "daybook_fsync_time_seconds_count{store=\"team\"}",
      "daybook_hub_exchange_time_seconds_count{zone=\"team\"}",
    ] { #expect(text.contains(line), "\(line)\n\(text)") }
    try await a.close()
    try await b.close()
  }

  @Test("metrics name the zones in use only, and those that cannot be used")
  func zonesInUse() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let metrics = MetricsRegistry()
    let options = HubPlace.options {
      $0.metrics = metrics
      $0.limits.zonesOpenMax = 2
    }
    func named(_ zone: String) -> Bool { metrics.text.contains("=\"\(zone)\"") }
    let tokens = try (0..<6).map { try place.token("zone\($0)") }
    let broken = try place.token("broken")
    let log = try place.hubFolder.folder(of: ZoneName(argument: "broken")).appending(path: "log")
    try FileManager.default.removeItem(at: log)
    try Data().write(to: log)
    try await place.withHub(options: options) { hub in
      func pull(_ zone: String, _ token: String) async throws -> Int {
        try await Raw.exchange(hub, zone: zone, token: token, AccessTests.pull()).status
      }
      #expect(try await pull("broken", broken) == 503)
      for (i, token) in tokens.enumerated() {
        #expect(try await pull("zone\(i)", token) == 200)
      }
      // A zone is closed when there is no room for the next, and then is not in use.
      let isClosed = try await eventually { (0..<6).count { named("zone\($0)") } == 2 }
      #expect(isClosed && named("zone5") && named("broken"), "\(metrics.text)")
    }
    for i in 0..<6 { #expect(!named("zone\(i)"), "\(metrics.text)") }
  }

  @Test("each metric of a hub has a line that says what it measures")
  func help() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let metrics = MetricsRegistry()
    let token = try place.token()
    let store = try await place.store("a", title: "1")
    try await place.withHub(options: HubPlace.options { $0.metrics = metrics }) { hub in
      try await store.syncOnce(with: place.client(hub, token))
      _ = try await Raw.exchange(hub, token: nil, [])
      let lines = metrics.text.split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("# TYPE ") } > 15)
      for (before, line) in zip([""] + lines, lines) where line.hasPrefix("# TYPE ") {
        let name = line.split(separator: " ")[2]
        #expect(before.hasPrefix("# HELP \(name) ") && before.hasSuffix("."), "\(line)")
      }
    }
    try await store.close()
  }

  @Test("the log names zone, replica and token, and has no secret and no payload")
  func logLines() async throws {
    let place = try HubPlace()
    defer { place.remove() }
    let lines = Box<[String]>([])
    let issued = try place.issue()
    let a = try await place.store("a", title: "the payload")
    try await place.withHub(
      options: HubPlace.options {
        $0.logger = Logger(label: "hub") { _ in LineHandler(lines) }
      }
    ) { hub in
      try await a.syncOnce(with: place.client(hub, issued.text))
      _ = try await Raw.exchange(hub, token: issued.text + "00", [])
    }
    let secret = try #require(issued.text.split(separator: "_").last)
    let all = lines.value.joined(separator: "\n")
    #expect(all.contains("zone=team") && all.contains("replica=\(a.replica)"))
    #expect(all.contains("token=\(issued.token.id)"))
    #expect(!all.contains(secret) && !all.contains("payload"))
    try await a.close()
  }
}

/// Writes log lines into a box.
private struct LineHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace
  private let lines: Box<[String]>

  init(_ lines: Box<[String]>) { self.lines = lines }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let line = "\(event.message) " + all.map { "\($0)=\($1)" }.joined(separator: " ")
    lines.change { $0.append(line) }
  }
}
