import Daybook
import DaybookCSystemCalls
import DaybookHubZone
import DaybookInspector
import DaybookLogEngine
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// A running hub, which serves the zones of a folder over HTTP.
public final class HubServer: Sendable {
  /// The address on which the hub listens, such as `http://127.0.0.1:8080`.
  public let address: String
  public let port: Int
  private let group: ServiceGroup
  private let pool: ZonePool
  private let running: Task<Void, any Error>
  private let secrets: Secrets
  private let logger: Logger

  /// Makes this process return freed memory to the system soon.
  ///
  /// Call it once before a hub starts, in a program that does little else. Otherwise a hub that has
  /// handled many large requests keeps several times the memory that they took.
  public static func tuneProcess() { daybook_keep_memory_small() }

  /// Starts a hub, and returns when it listens.
  ///
  /// Raises the number of files that the process may open as far as the system allows. If that is
  /// too few for ``HubOptions/limits``, the hub accepts fewer connections and zones, and logs a
  /// warning.
  ///
  /// - Parameter folder: The hub's folder, created if it is missing.
  /// - Throws: ``HubError``; `LogError` or `StoreError` if a file or lock fails.
  public static func start(
    _ folder: HubFolder, _ options: HubOptions = HubOptions()
  ) async throws -> HubServer {
    try options.limits.check()
    try folder.prepare()
    let lock = try folder.lockForServing()
    var zoneOptions = Zone.Options()
    zoneOptions.metrics = options.metrics
    zoneOptions.logger = options.logger
    zoneOptions.bytesMax = options.limits.zoneBytesMax
    zoneOptions.lockTimeout = options.limits.lockTimeout
    let directory = try FolderZones(folder, options: zoneOptions)
    let book = TokenBook(TokenFile(folder), now: options.wallMilliseconds)
    return try await start(directory, book, options, folder) { lock.unlock() }
  }

  /// Starts a hub on a directory of zones.
  /// - Parameters:
  ///   - folder: The folder for the stores of inspectors; nil for no inspector.
  ///   - release: Called when the hub has stopped.
  static func start(
    _ directory: any ZoneDirectory, _ book: TokenBook, _ options: HubOptions,
    _ folder: HubFolder? = nil, release: @escaping @Sendable () -> Void
  ) async throws -> HubServer {
    let listen = try address(options)
    let secrets = Secrets(
      certificate: try options.tls.map { try Certificate($0) }, book: book, logger: options.logger)
    let metrics = HubMetrics(options.metrics, options.logger)
    let limits = Descriptors.fitting(options.limits, options.logger)
    let pool = ZonePool(
      directory, .init(idle: limits.zoneIdle, openMax: limits.zonesOpenMax), metrics)
    let requests = RequestsInProgress()
    let access = AccessCheck(book: book, isInsecureLocal: options.isInsecureLocal)
    let gate = Gate(limits)
    let inspections =
      options.offersInspector && !options.isInsecureLocal
      ? folder.map { ZoneInspections($0, pool, gate, limits) } : nil
    let responder = HubResponder(
      pool: pool, access: access, limits: limits, metrics: metrics, gate: gate,
      budget: ByteBudget(limits.bodyBytesMax, ownersLeast: limits.requestBytesMax),
      live: LiveCount(max: limits.liveClientsMax),
      requests: requests,
      creator: options.isInsecureLocal ? directory : nil,
      inspector: inspections?.responder(access))
    let (listening, said) = AsyncStream<Int?>.makeStream()
    let application = Application(
      responder: responder,
      server: HTTPServerBuilder { respond in
        HubChannel(respond, limits: limits, certificate: secrets.certificate) {
          metrics.refused(.tooSlow, "other", zone: nil, token: nil)
          metrics.answered("other", status: HTTPRefusal.tooSlow.status.code)
        }
      },
      configuration: ApplicationConfiguration(
        address: .hostname(listen.host, port: listen.port), backlog: 1024,
        availableConnectionsDelegate: MaximumAvailableConnections(
          limits.connectionsMax, logger: quiet)),
      onServerRunning: { said.yield($0.localAddress?.port) },
      logger: quiet)
    var services: [any Service] = [
      application,
      Upkeep(
        pool: pool, requests: requests, heartbeat: limits.heartbeat, inspections: inspections),
    ]
    if options.handlesSignals {
      // Signals are caught from here on, so none that comes while the hub starts can end it.
      let hangups = await UnixSignalsSequence(trapping: .sighup)
      services.insert(Reloading(hangups: hangups, secrets: secrets), at: 0)
    }
    var configuration = ServiceGroupConfiguration(
      services: services,
      gracefulShutdownSignals: options.handlesSignals ? [.sigterm, .sigint] : [], logger: quiet)
    configuration.maximumGracefulShutdownDuration = limits.stopTimeout
    let group = ServiceGroup(configuration: configuration)
    let running = Task {
      defer { said.finish() }
      let result = await Result.of { try await group.run() }
      await inspections?.closeAll()
      await pool.closeAll()
      release()
      try result.get()
    }
    for await port in listening {
      let number = port ?? listen.port
      let address = reached(listen, number, options)
      return HubServer(address, number, group, pool, running, secrets, options.logger)
    }
    throw await failure(running, options.listen)
  }

  /// Returns the address to listen on.
  /// - Throws: ``HubError`` `badArgument` or `notLocal`.
  private static func address(_ options: HubOptions) throws(HubError) -> ListenAddress {
    guard let listen = ListenAddress(options.listen) else {
      throw HubError(
        .badArgument, "“\(options.listen)” is no address to listen on",
        hint: "Say it as 127.0.0.1:8080")
    }
    guard !options.isInsecureLocal || listen.isLoopback else {
      throw HubError(
        .notLocal, "without tokens a hub listens on this machine only, and \(listen.host) is more",
        hint: "Listen on 127.0.0.1, or give tokens out with `evtool token create`")
    }
    return listen
  }

  /// Logs that the hub can be reached, and returns its address.
  private static func reached(
    _ listen: ListenAddress, _ port: Int, _ options: HubOptions
  ) -> String {
    let scheme = options.tls == nil ? "http" : "https"
    let host = listen.host.unicodeScalars.contains(":") ? "[\(listen.host)]" : listen.host
    let address = "\(scheme)://\(host):\(port)"
    options.logger.notice("the hub listens", metadata: ["address": "\(address)"])
    if options.tls == nil, !listen.isLoopback {
      options.logger.warning(
        "other machines reach this hub without TLS: tokens and events can be read on their way",
        metadata: ["address": "\(address)"])
    }
    return address
  }

  private init(
    _ address: String, _ port: Int, _ group: ServiceGroup, _ pool: ZonePool,
    _ running: Task<Void, any Error>, _ secrets: Secrets, _ logger: Logger
  ) {
    self.address = address
    self.port = port
    self.group = group
    self.pool = pool
    self.running = running
    self.secrets = secrets
    self.logger = logger
  }

  /// Waits until the hub has stopped, by ``stop()`` or by a signal that it handles.
  public func wait() async throws {
    let result = await running.result
    logger.notice("the hub has stopped")
    try result.get()
  }

  /// Stops the hub: refuses new requests, finishes those in progress, and closes the zones.
  ///
  /// Until the last request is answered, new requests of all kinds, including `/healthz`, get
  /// status 503 and code `stopping`.
  public func stop() async throws {
    await group.triggerGracefulShutdown()
    try await wait()
  }

  /// Reads the certificate, its key and the tokens again, while the hub goes on.
  ///
  /// New connections get the new certificate, and those that exist keep theirs. A certificate that
  /// cannot be used changes nothing. While the tokens cannot be read, the hub refuses all of them.
  ///
  /// - Throws: ``HubError`` of what cannot be used. The rest counts nevertheless.
  public func reload() throws(HubError) { try secrets.reload() }

  // MARK: - Starting

  /// Hummingbird's own messages do not belong in the hub's log.
  private static var quiet: Logger {
    Logger(label: "daybook.http") { _ in SwiftLogNoOpLogHandler() }
  }

  private static func hint(_ error: any Error) -> String {
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE:
      "Another program listens there: name another port; port 0 takes one that is free"
    case EADDRNOTAVAIL: "The host is not this machine's: 127.0.0.1 and 0.0.0.0 always are"
    case EACCES: "Ports below 1024 are the system's: name another"
    default: "Say it as 127.0.0.1:8080; port 0 takes one that is free"
    }
  }

  private static func failure(_ running: Task<Void, any Error>, _ address: String) async
    -> any Error
  {
    switch await running.result {
    case .success: HubError(.cannotListen, "the hub stopped before it listened")
    case .failure(let error):
      HubError(
        .cannotListen, "the hub cannot listen on \(address)", hint: hint(error),
        cause: (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)")
    }
  }
}

/// The periodic work of a hub, and the first step of its stop.
///
/// When a hub stops, this service is signaled first. It makes the hub refuse new requests, ends the
/// listeners' streams, and waits for requests in progress. The server ends after that, so that new
/// clients still learn that the hub is stopping.
private struct Upkeep: Service {
  let pool: ZonePool
  let requests: RequestsInProgress
  let heartbeat: Duration
  let inspections: ZoneInspections?

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: heartbeat)
        await pool.beat()
        await pool.closeIdle()
        await inspections?.closeIdle()
      }
    }
    requests.stop()
    await inspections?.closeAll()
    await pool.stopListening()
    await requests.waitUntilNone()
  }
}

extension Result where Failure == any Error {
  static func of(_ body: () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}

extension Gate {
  /// Makes a gate for the limits of a hub.
  convenience init(_ limits: HubOptions.Limits) {
    self.init(
      Limits(
        count: limits.exchangesMax, waitingMax: limits.waitingMax,
        bytes: limits.exchangedBytesMax, hourlyTime: limits.tokenTimeMax))
  }
}
