import Daybook
public import Logging

/// How a hub listens, and what it takes.
public struct HubOptions: Sendable {
  /// What a hub takes, and how long it waits.
  public struct Limits: Sendable {
    /// Most bytes of a request.
    public var requestBytesMax = 48 << 20
    /// Bytes of requests in memory, of all clients together. One token has half of them at most.
    public var bodyBytesMax = 128 << 20
    /// Bytes of the requests that are carried out at once: each takes several times its own. A larger one is
    /// carried out alone.
    public var exchangedBytesMax = 48 << 20
    /// Most bytes of ranges in an answer; a larger one comes alone.
    public var answerBytes = 4 << 20
    /// Clients that listen for changes.
    public var liveClientsMax = 10_000
    /// Connections; others wait to be accepted. Fewer if the process may not have so many files open.
    public var connectionsMax = 12_000
    /// Exchanges that are carried out at once; each has a thread. One token has half of them at most.
    public var exchangesMax = 8
    /// Exchanges that wait for their turn. One token has half of them at most.
    public var waitingMax = 4096
    /// Zones that are open at once. Fewer if the process may not have so many files open.
    public var zonesOpenMax = 256
    /// How long a zone stays open that nobody uses.
    public var zoneIdle = Duration.seconds(300)
    /// How long a connection may say nothing where it is its turn.
    public var idleTimeout = Duration.seconds(90)
    /// How long a client may take to send a request: so long, and a second more for each 16 KiB.
    public var bodyTimeout = Duration.seconds(30)
    /// How long a client may take to accept 64 KiB of an answer.
    public var writeTimeout = Duration.seconds(30)
    /// How often those who listen are told that the hub is there.
    public var heartbeat = Duration.seconds(15)
    /// How long a hub that stops waits for what is under way.
    public var stopTimeout = Duration.seconds(30)

    public init() {}

    /// - Throws: ``HubError`` `badArgument` for what would let nobody in, or wait for ever.
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
    }

    private static func wrong(_ name: String, _ value: String, _ hint: String) -> HubError {
      HubError(.badArgument, "a hub cannot have \(value) as its \(name)", hint: hint)
    }
  }

  /// Certificate and key, in PEM files. The chain's first certificate is the hub's own.
  public struct TLS: Sendable {
    public var certificatePath: String
    public var keyPath: String

    public init(certificatePath: String, keyPath: String) {
      self.certificatePath = certificatePath
      self.keyPath = keyPath
    }
  }

  /// `HOST:PORT`; port 0 for one that is free.
  public var listen = "127.0.0.1:8080"
  /// Lets everybody in, without a token, and makes zones that are asked for: only where ``listen`` is
  /// the machine itself.
  public var isInsecureLocal = false
  public var tls: TLS?
  public var limits = Limits()
  public var logger = Logger(label: "daybook.hub")
  /// What `/metrics` shows.
  public var metrics = MetricsRegistry()
  /// Whether SIGTERM and SIGINT stop the hub.
  public var handlesSignals = false
  /// Milliseconds since 1970.
  var wallMilliseconds: @Sendable () -> Int64 = SystemTime.milliseconds

  public init() {}
}
