import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookLocks
public import DaybookPeers
public import DaybookReplication
import Foundation

/// A peer that is a zone of a hub, over HTTP.
///
/// ```swift
/// let hub = try HubClient(url: "https://hub.example.org", zone: "team") { await keychain.token() }
/// try await store.syncOnce(with: hub)
/// ```
/// The token is fetched for each request, so that a renewed token needs no restart.
public final class HubClient: LiveSyncPeer {
  /// The timeouts, each a millisecond to a year, and the trusted certificates.
  public struct Options: Sendable {
    /// The timeout of establishing a connection.
    public var connectTimeout = Duration.seconds(10)
    /// The timeout of an answer. A second is added for each KiB of the request, so that a slow line
    /// has time for a large push.
    public var exchangeTimeout = Duration.seconds(300)
    /// The timeout of the next bytes in either direction, so it does not end a slow upload. A hub
    /// sends listeners something every 15 seconds.
    public var silenceTimeout = Duration.seconds(60)
    /// The path of a PEM file with certificates to trust besides the system's, for a hub with a
    /// self-signed certificate.
    public var trustedCertificatesPath: String?

    /// Makes options with the usual timeouts and the system's certificates.
    public init() {}
  }

  /// The address of the zone.
  public let hub: HubAddress
  private let token: @Sendable () async throws -> String?
  private let options: Options
  private let transport: any HubTransport
  private let traffic = ByteCount()
  /// The replica of the latest request.
  private let replica = Mutex<ReplicaID?>(nil)
  /// The version of the protocol that the hub is known to speak.
  private let versions: Mutex<VersionChoice>

  /// Creates a client of a zone.
  /// - Parameters:
  ///   - hub: The address of the zone.
  ///   - options: The timeouts and trusted certificates.
  ///   - token: Returns the token that the hub's `evtool token create` printed; nil if the hub
  ///     needs none. Called for each request, so a renewed token needs no restart.
  /// - Throws: `SyncError` if the trusted certificates cannot be read.
  public convenience init(
    _ hub: HubAddress, options: Options = Options(),
    token: @escaping @Sendable () async throws -> String?
  ) throws(SyncError) {
    guard let transport = TransportKind.usual else { throw .noTransport }
    try self.init(hub, options: options, over: transport, token: token)
  }

  init(
    _ hub: HubAddress, options: Options, over transport: TransportKind,
    speaking versions: VersionChoice = VersionChoice(),
    token: @escaping @Sendable () async throws -> String?
  ) throws(SyncError) {
    self.versions = Mutex(versions)
    self.hub = hub
    self.options = options
    self.token = token
    self.transport = try transport.transport(options)
  }

  /// Creates a client of a zone at a hub.
  /// - Parameters:
  ///   - url: `http://HOST:PORT` or `https://HOST`.
  ///   - zone: The zone's name at the hub.
  ///   - options: The timeouts and trusted certificates.
  ///   - token: Returns the token that the hub's `evtool token create` printed; nil if the hub
  ///     needs none. Called for each request, so a renewed token needs no restart.
  /// - Throws: `SyncError` if the address is not valid, or the trusted certificates cannot be
  ///   read.
  public convenience init(
    url: String, zone: String, options: Options = Options(),
    token: @escaping @Sendable () async throws -> String?
  ) throws(SyncError) {
    try self.init(HubAddress(url: url, zone: zone), options: options, token: token)
  }

  public var address: String { hub.description }

  // MARK: - Exchanging

  public func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    replica.withLock { $0 = request.replica }
    for _ in 0..<Self.versionsMax {
      let version = versions.withLock { $0.version }
      do { return try await exchange(request, in: version) } catch let other as OtherVersion {
        try versions.withLock { choice throws(SyncError) in
          // Another exchange may have changed the version meanwhile.
          if choice.version == version { try choice.refused(by: other.known) }
        }
      }
    }
    throw SyncError(
      .badMessage, "\(hub.url) takes back which versions of the protocol it knows, again and again",
      hint: "Is that the address of one hub?")
  }

  /// The most attempts of one exchange, each in another version, as hubs may be replaced meanwhile.
  private static let versionsMax = 4

  /// The error of a hub that does not speak the request's version.
  private struct OtherVersion: Error { var known: ClosedRange<UInt8> }

  private func exchange(_ request: SyncRequest, in version: UInt8) async throws -> SyncResponse {
    var request = request
    request.version = version
    var message = try await self.request(.post, hub.exchange)
    message.body = Data(request.encoded())
    message.headers.append(("content-type", "application/octet-stream"))
    message.headers.append(
      (BodyChecksum.field, message.body.withUnsafeBytes { BodyChecksum.text($0) }))
    let hasEvents = !request.ranges.isEmpty
    let progress = AnswerProgress()
    let (head, bytes) = try await reaching(hasEvents: hasEvents, progress) {
      do { return try await answer(to: message, progress) } catch let failure as TransportFailure
        where failure.kind == .hungUp && !hasEvents && !progress.hasBegun
      {
        // The hub had just closed an idle connection. A request with events may have been taken, so
        // the caller asks first.
        return try await answer(to: message, progress)
      }
    }
    traffic.count(sent: message.body.count, received: bytes.count)
    guard head.isAnswer else {
      let failure = HubFailure(head, bytes, hub)
      if let known = failure.versions { throw OtherVersion(known: known) }
      throw failure.error
    }
    guard bytes.withUnsafeBytes({ BodyChecksum.matches($0, head.checksum) }) else {
      throw SyncError(
        .unavailable, "the answer was damaged on its way", hint: "Try again")
    }
    return try decode(bytes)
  }

  /// The bytes for which a request has another second.
  private static let bytesPerSecond = 1 << 10

  private func answer(
    to message: HubRequest, _ progress: AnswerProgress
  ) async throws -> (HubReply, Data) {
    let time = options.exchangeTimeout.bounded + .seconds(message.body.count / Self.bytesPerSecond)
    let answer = try await transport.send(message, within: time)
    progress.begin()
    return (answer.head, try await collect(answer, upTo: SyncProtocol.messageBytesMax))
  }

  private func collect(_ answer: HubAnswer, upTo bytesMax: Int) async throws -> Data {
    if let bytes = try await answer.collect(upTo: bytesMax) { return bytes }
    throw SyncError(
      .badMessage, "what \(hub.url) answers is larger than any message",
      hint: "Is that the address of a hub?")
  }

  private func decode(_ bytes: Data) throws(SyncError) -> SyncResponse {
    let decoded = bytes.withUnsafeBytes { bytes in
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

  /// Returns a stream that yields when the hub begins to tell changes, and then at each change of
  /// the zone, with its news if possible. Several changes may be combined.
  ///
  /// The stream ends when the hub stops. It throws `SyncError` if the hub cannot be reached or
  /// refuses. To continue, call this again after a pause.
  public func changes() -> AsyncThrowingStream<PeerChange, any Error> {
    let (stream, continuation) = AsyncThrowingStream<PeerChange, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.changesMax))
    let task = Task {
      do {
        try await listen { change in
          // If a change was dropped, the peer has to be asked.
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

  /// The most changes that wait to be consumed.
  private static let changesMax = 256

  private func listen(_ tell: (PeerChange) -> Void) async throws {
    var message = try await request(
      .get, hub.changes(replica.withLock { $0 }, version: versions.withLock { $0.version }))
    message.headers.append(("accept", "text/event-stream"))
    try await reaching {
      // No limit: the stream lasts as long as the hub sends something.
      let answer = try await transport.send(message, within: nil)
      guard answer.head.isEventStream else {
        throw HubFailure(answer.head, try await collect(answer, upTo: 64 << 10), hub).error
      }
      var parser = EventStreamParser()
      for try await chunk in answer.body {
        guard let events = parser.take(chunk) else {
          throw SyncError(
            .badMessage, "what \(hub.url) says is no stream of events",
            hint: "Is that the address of a hub?")
        }
        traffic.count(received: chunk.count)
        for event in events { change(event).map(tell) }
      }
    }
  }

  /// Returns the change of an event; nil for events of later hubs.
  private func change(_ event: EventStreamParser.Event) -> PeerChange? {
    switch event.name {
    case "change":
      let parsed = try? JSONParser.parse(Array(event.data.utf8))
      guard case .text(let text)? = parsed?["digest"] else { return .changed(nil) }
      return .changed(KnowledgeDigest(text))
    case "news":
      // If the news cannot be read, the hub has to be asked.
      let news = Base64.decode(event.data).flatMap { bytes in
        bytes.withUnsafeBytes { try? SyncResponse(decoding: $0) }
      }
      return news.map { .news($0) } ?? .changed(nil)
    default: return nil
    }
  }

  // MARK: - Traffic

  /// The bytes of bodies and of the stream of changes so far, without HTTP headers.
  public var bytes: (sent: Int, received: Int) { traffic.bytes }

  // MARK: - Requests

  private func request(_ method: HubRequest.Method, _ url: String) async throws -> HubRequest {
    var request = HubRequest(method: method, url: url)
    request.headers.append(("user-agent", "daybook"))
    if let token = try await token() {
      // A line break would end the header.
      guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw SyncError(
          .unauthorized, "the token has characters that no token has",
          hint: "Hand over what `evtool token create` has said, and nothing else")
      }
      request.headers.append(("authorization", "Bearer \(token)"))
    }
    return request
  }

  /// Maps errors of the connection to sync errors.
  /// - Parameters:
  ///   - hasEvents: Whether the request has events.
  ///   - progress: How far the answer has come.
  ///   - body: Sends a request.
  private func reaching<T>(
    hasEvents: Bool = false, _ progress: AnswerProgress = AnswerProgress(),
    _ body: () async throws -> T
  ) async throws -> T {
    do { return try await body() } catch {
      if error is CancellationError || error is SyncError { throw error }
      throw HubFailure.unreached(error, hub, isOnItsWay: hasEvents || progress.hasBegun)
    }
  }
}
