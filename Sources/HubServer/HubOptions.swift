import Daybook
import Foundation
public import Logging

/// The options of a hub: its address, its limits, and its logging.
public struct HubOptions: Sendable {
  /// The limits of a hub on sizes, counts and waiting times.
  public struct Limits: Sendable {
    /// The most bytes of a request.
    public var requestBytesMax = 48 << 20
    /// The most bytes of requests in memory, of all clients together. One token has at most half of
    /// them.
    public var bodyBytesMax = 128 << 20
    /// The most bytes of requests that are handled at once; each takes several times its size in
    /// memory. A larger request is handled alone.
    public var exchangedBytesMax = 48 << 20
    /// The most bytes of ranges in an answer. A larger range comes alone.
    public var answerBytes = 4 << 20
    /// The most clients that listen for changes.
    public var liveClientsMax = 10_000
    /// The most connections; others wait to be accepted. Fewer if the process may not open enough
    /// files.
    public var connectionsMax = 12_000
    /// The most exchanges that are handled at once, each on its own thread. One token has at most
    /// half of them.
    public var exchangesMax = 8
    /// The most exchanges that wait for their turn. One token has at most half of them.
    public var waitingMax = 4096
    /// The time that the exchanges of one token may take in an hour; nil for no limit. A token gets
    /// it back evenly, and one that was idle may use it up at once.
    public var tokenTimeMax: Duration?
    /// The size of a zone, in bytes, from which on it takes no more events; nil for no limit.
    /// Events count with what they cost, which may be more than their bytes.
    public var zoneBytesMax: UInt64?
    /// The time to wait for the lock of a zone that another process uses.
    public var lockTimeout = Duration.seconds(30)
    /// The most zones open at once. Fewer if the process may not open enough files.
    public var zonesOpenMax = 256
    /// The time after which an unused zone is closed.
    public var zoneIdle = Duration.seconds(300)
    /// The time that a connection may be silent when it is its turn.
    public var idleTimeout = Duration.seconds(90)
    /// The time that a client may take to send a request, plus a second for each KiB that has
    /// come.
    public var bodyTimeout = Duration.seconds(30)
    /// The time that a client may take to accept 64 KiB of an answer.
    public var writeTimeout = Duration.seconds(30)
    /// The interval of heartbeats to listeners.
    public var heartbeat = Duration.seconds(15)
    /// The time that a stopping hub waits for requests in progress.
    public var stopTimeout = Duration.seconds(30)

    public init() {}

    /// Checks that the limits allow a hub to work.
    /// - Throws: ``HubError`` `.badArgument` for a count that is too small, or a duration outside a
    ///   millisecond to a year.
    func check() throws(HubError) {
      let counts: KeyValuePairs = [
        "requestBytesMax": requestBytesMax, "bodyBytesMax": bodyBytesMax,
        "exchangedBytesMax": exchangedBytesMax, "answerBytes": answerBytes,
        "connectionsMax": connectionsMax, "exchangesMax": exchangesMax,
        "zonesOpenMax": zonesOpenMax,
      ]
      for (name, count) in counts where count < 1 {
        throw Self.wrong(name, "\(count)", "Give at least 1")
      }
      for (name, count) in ["liveClientsMax": liveClientsMax, "waitingMax": waitingMax]
      where count < 0 {
        throw Self.wrong(name, "\(count)", "Give at least 0")
      }
      let durations: KeyValuePairs = [
        "zoneIdle": zoneIdle, "idleTimeout": idleTimeout, "bodyTimeout": bodyTimeout,
        "writeTimeout": writeTimeout, "heartbeat": heartbeat, "stopTimeout": stopTimeout,
      ]
      for (name, duration) in durations where duration != duration.bounded {
        throw Self.wrong(name, "\(duration)", "Give a millisecond to a year")
      }
      if let time = tokenTimeMax, time != time.bounded {
        throw Self.wrong("tokenTimeMax", "\(time)", "Give a millisecond to a year")
      }
    }

    private static func wrong(_ name: String, _ value: String, _ hint: String) -> HubError {
      HubError(.badArgument, "a hub cannot have \(value) as its \(name)", hint: hint)
    }
  }

  /// The hub's certificate and key, in PEM files. The chain's first certificate is the hub's own.
  public struct TLS: Sendable {
    public var certificatePath: String
    public var keyPath: String

    public init(certificatePath: String, keyPath: String) {
      self.certificatePath = certificatePath
      self.keyPath = keyPath
    }
  }

  /// The address, `HOST:PORT`. Port 0 selects a free port.
  public var listen = "127.0.0.1:8080"
  /// Whether to allow access without a token, and to create requested zones. Only valid if
  /// ``listen`` is an address of this machine.
  public var isInsecureLocal = false
  public var tls: TLS?
  /// Whether `/inspect` is a page about a zone, for whoever has a token of that zone.
  ///
  /// A token made for reading shows everything, and one for writing settles conflicts, too. The hub
  /// keeps a store of its own for each zone that somebody looks at. Without tokens, there is no
  /// page.
  public var offersInspector = false
  public var limits = Limits()
  public var logger = Logger(label: "daybook.hub")
  /// The metrics that `/metrics` shows.
  public var metrics = MetricsRegistry()
  /// Whether SIGTERM and SIGINT stop the hub, and SIGHUP makes it read its certificate and tokens
  /// again.
  public var handlesSignals = false
  /// Returns the time in milliseconds since 1970.
  var wallMilliseconds: @Sendable () -> Int64 = { Date.now.milliseconds }

  public init() {}
}
