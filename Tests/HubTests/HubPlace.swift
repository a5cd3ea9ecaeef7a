import Daybook
import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import Foundation
import GRDB
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import DaybookHubClient
@testable import DaybookHubServer

/// A folder for the hub and the stores of one test.
struct HubPlace {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "daybook-hub-\(UUID().uuidString)")

  static let notes = Definition("notes", [.text("title").searchable()])

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  var hubFolder: HubFolder { HubFolder(folder.appending(path: "hub")) }

  // MARK: - Hubs

  static func options(_ change: (inout HubOptions) -> Void = { _ in }) -> HubOptions {
    var options = HubOptions()
    options.listen = "127.0.0.1:0"
    options.logger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }
    change(&options)
    return options
  }

  /// Runs `body` with a hub, and stops it whatever happens.
  @discardableResult
  func withHub<T>(
    _ folder: HubFolder? = nil, options: HubOptions = options(),
    _ body: (HubServer) async throws -> T
  ) async throws -> T {
    let hub = try await HubServer.start(folder ?? hubFolder, options)
    do {
      let result = try await body(hub)
      try await hub.stop()
      return result
    } catch {
      try? await hub.stop()
      throw error
    }
  }

  /// Returns a token for a zone, which is created if it is missing.
  func token(
    _ zone: String = "team", _ access: AccessToken.Access = .write, expires: Int64? = nil,
    in hub: HubFolder? = nil
  ) throws -> String {
    try issue(zone, access, expires: expires, in: hub).text
  }

  func issue(
    _ zone: String = "team", _ access: AccessToken.Access = .write, expires: Int64? = nil,
    in hub: HubFolder? = nil
  ) throws -> (token: AccessToken, text: String) {
    let hub = hub ?? hubFolder
    try hub.prepare()
    let name = access == .metrics ? nil : try ZoneName(argument: zone)
    if let name, try !hub.hasZone(name) { try hub.createZone(name) }
    let made = AccessToken.make(zone: name, access: access, created: 0, expires: expires)
    try TokenFile(hub).add(made.token)
    return made
  }

  /// Returns a client over the transport of the running test.
  func client(
    _ hub: HubServer, zone: String = "team", _ token: String?,
    options: HubClient.Options = .init()
  ) throws -> HubClient {
    try client(hub.address, zone: zone, options: options) { token }
  }

  func client(
    _ url: String, zone: String = "team", options: HubClient.Options = .init(),
    token: @escaping @Sendable () async throws -> String?
  ) throws -> HubClient {
    try HubClient(
      HubAddress(url: url, zone: zone), options: options, over: EachTransport.current,
      token: token)
  }

  // MARK: - Stores

  func store(_ name: String) async throws -> Store {
    var options = Store.Options()
    options.logger = Logger(label: "store") { _ in SwiftLogNoOpLogHandler() }
    return try await Store.create(at: folder.appending(path: name), options: options)
  }

  /// A store with one note.
  func store(_ name: String, title: String) async throws -> Store {
    let store = try await store(name)
    try await store.write { tx in
      try tx.define(Self.notes)
      try tx.insert("notes", name, ["title": .text(title)])
    }
    return store
  }

  func titles(_ store: Store) async throws -> [String] {
    try await store.read { try String.fetchAll($0, sql: "SELECT title FROM notes ORDER BY id") }
  }

  /// Returns the digest of the hub's zone, read from its files while no hub runs.
  func digest(ofZone zone: String = "team") throws -> KnowledgeDigest {
    var options = Zone.Options()
    options.logger = Logger(label: "zone") { _ in SwiftLogNoOpLogHandler() }
    let zone = try Zone.open(
      at: hubFolder.folder(of: ZoneName(argument: zone)), authority: hubFolder.authority(),
      options: options)
    defer { try? zone.close() }
    return try zone.knowledge().digest
  }
}

/// What a hub answered to a request made by hand.
struct Answer {
  var status: Int
  var headers: HTTPHeaders
  var body: ByteBuffer

  /// The machine-readable code, if the answer has a sentence too.
  var code: String? {
    let parsed = try? JSONSerialization.jsonObject(with: Data(body.readableBytesView))
    guard let object = parsed as? [String: Any], let message = object["message"] as? String,
      message.count > 10
    else { return nil }
    return object["code"] as? String
  }

  var text: String { String(buffer: body) }
}

/// Requests by hand.
enum Raw {
  static func exchange(
    _ hub: HubServer, zone: String = "team", token: String?, _ body: [UInt8],
    headers: [(String, String)] = [], type: String = "application/octet-stream"
  ) async throws -> Answer {
    try await send(
      .POST, "\(hub.address)/v1/zones/\(zone)/exchange", token: token,
      headers: headers + [("content-type", type)], body)
  }

  static func send(
    _ method: HTTPMethod, _ url: String, token: String? = nil,
    headers: [(String, String)] = [], _ body: [UInt8]? = nil
  ) async throws -> Answer {
    let parts = try #require(URLComponents(string: url))
    let port = try #require(parts.port)
    var fields = HTTPHeaders([("host", "127.0.0.1:\(port)")])
    for (name, value) in headers { fields.replaceOrAdd(name: name, value: value) }
    if let token { fields.add(name: "authorization", value: "Bearer \(token)") }
    if let body { fields.add(name: "content-length", value: "\(body.count)") }
    let target = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    let head = HTTPRequestHead(
      version: .http1_1, method: method, uri: target, headers: fields)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandlers([
            NIOHTTPClientResponseAggregator(maxContentLength: 64 << 20), AnswerTaker(channel),
          ])
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    let answer = try await channel.pipeline.handler(type: AnswerTaker.self).map(\.answer).get()
    let late = channel.eventLoop.scheduleTask(in: .seconds(180)) { channel.close(promise: nil) }
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    if let body {
      channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
    }
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    let response = try await answer.get()
    late.cancel()
    channel.close(promise: nil)
    return Answer(
      status: Int(response.head.status.code), headers: response.head.headers,
      body: response.body ?? ByteBuffer())
  }
}

/// Takes the first answer of a connection.
private final class AnswerTaker: ChannelInboundHandler, Sendable {
  typealias InboundIn = NIOHTTPClientResponseFull
  private let promise: EventLoopPromise<NIOHTTPClientResponseFull>

  init(_ channel: any Channel) { promise = channel.eventLoop.makePromise() }

  var answer: EventLoopFuture<NIOHTTPClientResponseFull> { promise.futureResult }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    promise.succeed(unwrapInboundIn(data))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}

/// Records the messages between a store and a hub, so that a test can send changed ones.
final class Recorder: SyncPeer {
  let peer: HubClient
  private let requests = Box<[SyncRequest]>([])
  private let answers = Box<[SyncResponse]>([])

  init(_ peer: HubClient) { self.peer = peer }

  var address: String { peer.address }
  var recorded: [SyncRequest] { requests.value }
  var answered: [SyncResponse] { answers.value }

  func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    requests.change { $0.append(request) }
    let answer = try await peer.exchange(request)
    answers.change { $0.append(answer) }
    return answer
  }
}

/// A value that tasks share.
final class Box<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var held: Value

  init(_ value: Value) { held = value }

  var value: Value { lock.withLock { held } }
  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&held) } }
}

/// Waits for a condition.
func eventually(
  within limit: Duration = .seconds(180), _ condition: () async throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now.advanced(by: limit)
  while ContinuousClock.now < end {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(5))
  }
  return try await condition()
}
