import CoreMetrics
import DaybookEventCore
import DaybookLocks
import DaybookLogEngine
import DaybookReplication
import HTTPTypes
import Logging

/// The metrics and log messages of a hub. docs/watching.md lists them.
///
/// They name zones, replicas and token identifiers, but never contain payloads or tokens.
final class HubMetrics: Sendable {
  let registry: MetricsRegistry
  let logger: Logger
  private let received: Counter
  private let sent: Counter
  private let notifications: Counter
  private let zones: Gauge
  /// The zones in use. Only they have figures of their own, so that what a reader of the metrics
  /// fetches does not grow with the zones that a hub has ever served.
  private let inUse = Mutex<Set<ZoneName>>([])
  /// The budget for messages about refusals and waiting events, which any client can cause.
  private let messages = MessageBudget(perMinute: HubMetrics.messagesPerMinute)
  private static let messagesPerMinute = 20

  init(_ registry: MetricsRegistry, _ logger: Logger) {
    self.registry = registry
    self.logger = logger
    received = Counter(label: "daybook.hub.received.bytes", factory: registry)
    sent = Counter(label: "daybook.hub.sent.bytes", factory: registry)
    notifications = Counter(label: "daybook.hub.notifications", factory: registry)
    zones = Gauge(label: "daybook.hub.zones.open", factory: registry)
  }

  private func counter(_ label: String, _ dimensions: [(String, String)]) -> Counter {
    Counter(label: label, dimensions: dimensions, factory: registry)
  }

  private func record(_ label: String, _ zone: ZoneName, _ value: some BinaryInteger) {
    Gauge(label: label, dimensions: [("zone", zone.description)], factory: registry)
      .record(Double(value))
  }

  // MARK: - Requests

  func answered(_ route: String, status: Int) {
    counter("daybook.hub.requests", [("route", route), ("status", "\(status)")]).increment()
  }

  func refused(_ refusal: HTTPRefusal, _ route: String, zone: ZoneName?, token: String?) {
    counter("daybook.hub.refusals", [("code", refusal.code)]).increment()
    var metadata: Logger.Metadata = [
      "code": "\(refusal.code)", "status": "\(refusal.status.code)", "route": "\(route)",
    ]
    if let zone { metadata["zone"] = "\(zone)" }
    if let token { metadata["token"] = "\(token)" }
    let level: Logger.Level = refusal.status.code >= 500 ? .warning : .info
    write(level, "a request was refused", "\(refusal.code) \(zone?.description ?? "")", metadata)
  }

  func failed(_ error: any Error, zone: ZoneName?) {
    var metadata: Logger.Metadata = ["error": "\(error)"]
    if let zone { metadata["zone"] = "\(zone)" }
    logger.error("a request failed", metadata: metadata)
  }

  // MARK: - Exchanges

  /// The figures of one exchange.
  struct Exchange {
    var zone: ZoneName
    var replica: ReplicaID
    /// The token's identifier; nil without a token.
    var token: String?
    var received: Int
    var sent: Int
    var time: Duration
  }

  func exchanged(_ exchange: Exchange, _ request: SyncRequest, _ answer: ZoneAnswer) {
    received.increment(by: exchange.received)
    sent.increment(by: exchange.sent)
    let refusals = answer.response.refusals
    let refused = Set(refusals.map(\.event.origin))
    let taken = request.ranges.reduce(0) { refused.contains($1.origin) ? $0 : $0 + $1.count }
    let given = answer.response.ranges.reduce(0) { $0 + $1.count }
    ofZone(exchange.zone) {
      let zone = [("zone", exchange.zone.description)]
      counter("daybook.hub.events.received", zone).increment(by: taken)
      counter("daybook.hub.events.sent", zone).increment(by: given)
      counter("daybook.hub.events.stamped", zone).increment(by: Int(clamping: answer.stamped))
      for (code, refusals) in Dictionary(grouping: refusals, by: \.code) {
        counter("daybook.hub.ranges.refused", zone + [("code", "\(code)")])
          .increment(by: refusals.count)
      }
      CoreMetrics.Timer(
        label: "daybook.hub.exchange.time", dimensions: zone, factory: registry
      ).record(duration: exchange.time)
    }
    stands(exchange.zone, answer.status)
    var metadata: Logger.Metadata = [
      "zone": "\(exchange.zone)", "replica": "\(exchange.replica)", "received": "\(taken)",
      "sent": "\(given)", "stamped": "\(answer.stamped)", "pending": "\(answer.status.pending)",
      "bytes_in": "\(exchange.received)", "bytes_out": "\(exchange.sent)",
      "seconds": "\(exchange.time / .seconds(1))",
    ]
    if let token = exchange.token { metadata["token"] = "\(token)" }
    logger.debug("an exchange was answered", metadata: metadata)
    for refusal in refusals.prefix(Self.messagesPerMinute) {
      metadata["code"] = "\(refusal.code)"
      metadata["event"] = "\(refusal.event)"
      write(.notice, "a range was refused", "\(exchange.zone)", metadata)
    }
  }

  /// Writes a message, unless the budget of its kind for this minute is spent.
  private func write(
    _ level: Logger.Level, _ message: Logger.Message, _ kind: String, _ metadata: Logger.Metadata
  ) {
    guard level >= logger.logLevel, let suppressed = messages.admit("\(message) \(kind)") else {
      return
    }
    var metadata = metadata
    if suppressed > 0 { metadata["left_out"] = "\(suppressed)" }
    logger.log(level: level, message, metadata: metadata)
  }

  func stands(_ zone: ZoneName, _ status: ZoneStatus) {
    let lacking = status.waiting.filter { !$0.isHeld }
    ofZone(zone) {
      record("daybook.hub.pending", zone, status.pending)
      record("daybook.hub.pending.lacking", zone, lacking.reduce(0) { $0 + $1.count })
      record("daybook.hub.origins.forked", zone, status.forked)
      record("daybook.hub.zone.bytes", zone, status.bytes)
    }
    if let first = lacking.first {
      write(
        .notice, "events wait for a stamp", "\(zone)",
        [
          "zone": "\(zone)", "first": "\(first.first)", "count": "\(first.count)",
          "lacking": "\(first.cause)", "origins": "\(lacking.count)",
        ])
    }
  }

  // MARK: - Listening

  func listening(_ zone: ZoneName, _ count: Int) {
    ofZone(zone) { record("daybook.hub.live.clients", zone, count) }
  }

  func notified(bytes: Int = 0) {
    notifications.increment()
    if bytes > 0 { sent.increment(by: bytes) }
  }

  // MARK: - Zones

  func zonesOpen(_ count: Int) { zones.record(count) }

  /// Notes that a zone is in use, so that it has figures of its own.
  func begin(_ zone: ZoneName) { inUse.withLock { _ = $0.insert(zone) } }

  /// Notes that a zone is no longer in use, and removes its figures and those of its log.
  func end(_ zone: ZoneName) {
    inUse.withLock { inUse in
      inUse.remove(zone)
      registry.forget("zone", zone.description)
      // A log is named after its folder, which has the zone's name.
      registry.forget("store", zone.description)
    }
  }

  /// Runs `body`, which may make figures of a zone, if the zone is in use.
  private func ofZone(_ zone: ZoneName, _ body: () -> Void) {
    inUse.withLock { if $0.contains(zone) { body() } }
  }

  func closingFailed(_ zone: ZoneName, _ error: any Error) {
    logger.error("a zone was not closed well", metadata: ["zone": "\(zone)", "error": "\(error)"])
  }
}
