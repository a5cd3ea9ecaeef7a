import AsyncHTTPClient
public import Daybook
import EventCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
public import Replication
import Synchronization

/// A zone of a hub, over HTTP, as a peer.
///
/// ```swift
/// let hub = try HubClient(url: "https://hub.example.org", zone: "team") { await keychain.token() }
/// try await store.sync(with: hub)
/// ```
/// The token is asked for with each request, so that a renewed one is used without a restart.
public final class HubClient: LiveSyncPeer {
  /// How long to wait, at least a millisecond and at most a year, and whom to trust.
  public struct Options: Sendable {
    /// For a connection to be made.
    public var connectTimeout = Duration.seconds(10)
    /// For an answer. A large push over a slow line takes its time.
    public var exchangeTimeout = Duration.seconds(300)
    /// For the next byte. A hub that is listened to says something every 15 seconds.
    public var silenceTimeout = Duration.seconds(60)
    /// Certificates to trust beside those that the system does, in a PEM file: of a hub with a
    /// certificate of its own making.
    public var trustedCertificatesPath: String?

    public init() {}
  }

  public let hub: HubAddress
  private let token: @Sendable () async throws -> String?
  private let options: Options
  private let http: HTTPClient
  private let traffic = Traffic()
  /// Who has asked last.
  private let replica = Mutex<ReplicaID?>(nil)
  /// What the hub was found to speak.
  private let versions: Mutex<VersionChoice>

  /// - Parameters:
  ///   - token: what the hub's `evtool token create` has said; nil where the hub asks for none.
  /// - Throws: ``SyncError`` where the address is none, or the trusted certificates cannot be read.
  public convenience init(
    _ hub: HubAddress, options: Options = Options(),
    token: @escaping @Sendable () async throws -> String?
  ) throws(SyncError) {
    try self.init(hub, options: options, speaking: VersionChoice(), token: token)
  }

  init(
    _ hub: HubAddress, options: Options, speaking versions: VersionChoice,
    token: @escaping @Sendable () async throws -> String?
  ) throws(SyncError) {
    self.versions = Mutex(versions)
    self.hub = hub
    self.options = options
    self.token = token
    http = try Self.httpClient(options)
  }

  /// - Parameters:
  ///   - url: `http://HOST:PORT` or `https://HOST`.
  ///   - zone: what the zone is called at the hub.
  public convenience init(
    url: String, zone: String, options: Options = Options(),
    token: @escaping @Sendable () async throws -> String?
  ) throws(SyncError) {
    try self.init(HubAddress(url: url, zone: zone), options: options, token: token)
  }

  deinit {
    let http = http
    Task { try? await http.shutdown() }
  }

  public var address: String { hub.description }

  // MARK: - Exchanging

  public func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    replica.withLock { $0 = request.replica }
    for _ in 0..<Self.versionsMax {
      let version = versions.withLock { $0.version }
      do { return try await exchange(request, in: version) } catch let other as OtherVersion {
        try versions.withLock { choice throws(SyncError) in
          // Another exchange may have found out meanwhile.
          if choice.version == version { try choice.refused(by: other.known) }
        }
      }
    }
    throw SyncError(
      .badMessage, "\(hub.url) takes back which versions of the protocol it knows, again and again",
      hint: "Is that the address of one hub?")
  }

  /// So often one exchange is said in another version: hubs may be replaced meanwhile.
  private static let versionsMax = 4

  /// The hub does not speak the version that it was spoken to in.
  private struct OtherVersion: Error { var known: ClosedRange<UInt8> }

  private func exchange(_ request: SyncRequest, in version: UInt8) async throws -> SyncResponse {
    var request = request
    request.version = version
    let body = ByteBuffer(bytes: request.encoded())
    var message = try await self.request(hub.exchange, .POST)
    message.headers.add(name: "content-type", value: "application/octet-stream")
    message.headers.add(name: Checksum.field, value: Checksum.text(body))
    message.body = .bytes(body)
    let (head, bytes) = try await reaching {
      do { return try await answer(to: message) } catch  where HubFailure.wasHungUp(error) {
        // The hub closed an idle connection just then. Saying the same again does no harm.
        return try await answer(to: message)
      }
    }
    traffic.count(sent: body.readableBytes, received: bytes.readableBytes)
    guard head.isAnswer else {
      let failure = HubFailure(head, bytes, hub)
      if let known = failure.versions { throw OtherVersion(known: known) }
      throw failure.error
    }
    guard Checksum.matches(bytes, head.checksum) else {
      throw SyncError(
        .unavailable, "the answer was damaged on its way", hint: "Try again")
    }
    return try decode(bytes)
  }

  private func answer(to message: HTTPClientRequest) async throws -> (HubReply, ByteBuffer) {
    let response = try await http.execute(
      message, timeout: TimeAmount(options.exchangeTimeout.bounded))
    return (
      HubReply(response), try await response.body.collect(upTo: SyncProtocol.messageBytesMax)
    )
  }

  private func decode(_ bytes: ByteBuffer) throws(SyncError) -> SyncResponse {
    let decoded = bytes.withUnsafeReadableBytes { bytes in
      Result { () throws(EventError) in try SyncResponse(decoding: bytes) }
    }
    switch decoded {
    case .success(let response): return response
    case .failure(let error):
      throw SyncError(
        error.code == .unknownVersion ? .otherVersion : .badMessage,
        "what \(hub.url) answers is no message of the sync protocol",
        hint: error.code == .unknownVersion
          ? "Update this software, or the hub's" : "Is that the address of a hub?",
        cause: error.description)
    }
  }

  // MARK: - Listening

  /// Yields once the hub is listened to, then each time that the zone holds something new, or what is new;
  /// several changes may be one.
  ///
  /// Ends when the hub stops; throws ``SyncError`` where it cannot be reached or refuses. Whoever wants
  /// to go on calls again, after a pause.
  public func changes() -> AsyncThrowingStream<PeerChange, any Error> {
    let (stream, continuation) = AsyncThrowingStream<PeerChange, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.changesMax))
    let task = Task {
      do {
        try await listen { change in
          // What nobody has taken in time is to be asked for.
          if case .dropped = continuation.yield(change) { continuation.yield(.changed(nil)) }
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// So many changes wait to be taken.
  private static let changesMax = 256

  private func listen(_ tell: (PeerChange) -> Void) async throws {
    var message = try await request(
      hub.changes(replica.withLock { $0 }, version: versions.withLock { $0.version }), .GET)
    message.headers.add(name: "accept", value: "text/event-stream")
    // No deadline: it goes on for as long as the hub says something.
    try await reaching {
      let response = try await http.execute(message, deadline: .distantFuture)
      let head = HubReply(response)
      guard head.isEventStream else {
        throw HubFailure(head, try await response.body.collect(upTo: 64 << 10), hub).error
      }
      var parser = EventStreamParser()
      for try await chunk in response.body {
        guard let events = parser.take(chunk.readableBytesView) else {
          throw SyncError(
            .badMessage, "what \(hub.url) says is no stream of events",
            hint: "Is that the address of a hub?")
        }
        traffic.count(received: chunk.readableBytes)
        for event in events { change(event).map(tell) }
      }
    }
  }

  /// Nil for what later hubs may say.
  private func change(_ event: EventStreamParser.Event) -> PeerChange? {
    switch event.name {
    case "change":
      let parsed = try? JSONParser.parse(Array(event.data.utf8))
      guard case .text(let text)? = parsed?["digest"] else { return .changed(nil) }
      return .changed(KnowledgeDigest(text))
    case "news":
      // What cannot be read is asked for.
      let news = Base64.decode(event.data).flatMap { bytes in
        bytes.withUnsafeBytes { try? SyncResponse(decoding: $0) }
      }
      return news.map { .news($0) } ?? .changed(nil)
    default: return nil
    }
  }

  // MARK: - Counting

  /// Bytes of bodies, and of the stream of changes, so far: HTTP's headers aside.
  public var bytes: (sent: Int, received: Int) { traffic.bytes }

  // MARK: - Asking

  private func request(_ url: String, _ method: HTTPMethod) async throws -> HTTPClientRequest {
    var request = HTTPClientRequest(url: url)
    request.method = method
    request.headers.add(name: "user-agent", value: "daybook")
    if let token = try await token() {
      // A line break would end the header.
      guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw SyncError(
          .unauthorized, "the token has characters that no token has",
          hint: "Hand over what `evtool token create` has said, and nothing else")
      }
      request.headers.add(name: "authorization", value: "Bearer \(token)")
    }
    return request
  }

  /// Says what goes wrong on the way in terms of a sync.
  private func reaching<T>(_ body: () async throws -> T) async throws -> T {
    do { return try await body() } catch {
      if error is CancellationError || error is SyncError { throw error }
      throw HubFailure.unreached(error, hub)
    }
  }

  private static func httpClient(_ options: Options) throws(SyncError) -> HTTPClient {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout = .init(
      connect: TimeAmount(options.connectTimeout.bounded),
      read: TimeAmount(options.silenceTimeout.bounded))
    configuration.httpVersion = .http1Only
    // Below what a hub waits, so that no request meets a connection that the hub is closing.
    configuration.connectionPool.idleTimeout = .seconds(30)
    // Whoever asks decides when to try again.
    configuration.connectionPool.retryConnectionEstablishment = false
    if let path = options.trustedCertificatesPath {
      do {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(path))]
        configuration.tlsConfiguration = tls
      } catch {
        throw SyncError(
          .unreachable, "the trusted certificates cannot be read", hint: "Name a PEM file",
          cause: "\(error)")
      }
    }
    return HTTPClient(
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
      configuration: configuration)
  }
}
