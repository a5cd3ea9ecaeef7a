import CoreMetrics
import Daybook
import Foundation
import HubClient
import Logging
import Replication
import Testing

@testable import HubServer

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
    try await place.withHub(options: HubPlace.options { $0.metrics = metrics }) { hub in
      try await a.syncOnce(with: place.client(hub, token))
      try await b.syncOnce(with: place.client(hub, token))
      _ = try await Raw.exchange(hub, token: nil, [])
    }
    let text = metrics.text
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
