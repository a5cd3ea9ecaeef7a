import DaybookInspector
import DaybookReplication
import HTTPTypes
import Hummingbird
import NIOCore

/// The context of a request.
struct HubContext: InitializableFromSource {
  let channel: any Channel

  init(source: ApplicationRequestContextSource) { channel = source.channel }
}

/// The responder for every request to a hub.
struct HubResponder: HTTPResponder {
  let pool: ZonePool
  let access: AccessCheck
  let limits: HubOptions.Limits
  let metrics: HubMetrics
  let gate: Gate
  let budget: ByteBudget
  let live: LiveCount
  let requests: RequestsInProgress
  /// The directory in which requested zones are created; nil if only existing zones are served.
  let creator: (any ZoneDirectory)?
  /// Answers for the inspector; nil if it is not offered.
  let inspector: InspectorResponder?

  func respond(to request: Request, context: HubContext) async throws -> Response {
    let response = try await answer(request, context)
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func answer(_ request: Request, _ context: HubContext) async throws -> Response {
    var label = "other"
    var zone: ZoneName?
    var token: AccessToken?
    do {
      let route = try Route(method: request.method, path: request.head.path ?? "")
      (label, zone) = (route.label, route.zone)
      // Health checks of load balancers also learn that the hub is stopping.
      guard requests.enter() else { throw PoolRefusal.stopping }
      defer { requests.leave() }
      token = try access.admit(request.head, to: route)
      let response = try await respond(to: request, route, token, context.channel)
      metrics.answered(label, status: response.status.code)
      return response
    } catch {
      // The connection is gone, so no client receives an answer.
      if error is CancellationError || Self.isConnectionGone(error) { throw error }
      return refuse(error, request, label, zone, token)
    }
  }

  private func respond(
    to request: Request, _ route: Route, _ token: AccessToken?, _ channel: any Channel
  ) async throws -> Response {
    switch route {
    case .health:
      return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "ok\n")))
    case .metrics:
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: .init(byteBuffer: ByteBuffer(string: metrics.registry.text)))
    case .inspector:
      guard let inspector else {
        throw HTTPRefusal(.notFound, "notFound", "there is nothing at this address")
      }
      return await inspector.respond(to: request)
    case .exchange(let zone):
      return try await exchange(request, zone, token, channel)
    case .changes(let zone):
      return try await changes(request, zone, token, channel)
    }
  }

  private func refuse(
    _ error: any Error, _ request: Request, _ label: String, _ zone: ZoneName?,
    _ token: AccessToken?
  ) -> Response {
    let refusal =
      HTTPRefusal(error)
      ?? HTTPRefusal(.internalServerError, "failed", "the hub failed; its log says why")
    if refusal.status.code >= 500, !(error is HTTPRefusal || error is PoolRefusal) {
      metrics.failed(error, zone: zone)
    }
    metrics.refused(refusal, label, zone: zone, token: token?.id)
    metrics.answered(label, status: refusal.status.code)
    // The rest of a large body is not read: the connection ends.
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? .max
    let leavesBody = request.method == .post && length > Self.drainedBytesMax
    return refusal.response(closes: leavesBody || refusal.code == "stopping")
  }

  private static let drainedBytesMax = 64 << 10

  private static func isConnectionGone(_ error: any Error) -> Bool {
    error is ChannelError || error is IOError || "\(type(of: error))" == "HTTPParserError"
  }

  /// Runs `body` with a zone, which is created if that is allowed.
  /// - Parameters:
  ///   - id: The zone that the requester's store belongs to. A created zone gets this identifier.
  ///   - makesZone: Whether a missing zone may be created.
  /// - Throws: ``HTTPRefusal`` `unknownZone` if there is no such zone; any error of the zone or of
  ///   `body`.
  func withZone<T: Sendable>(
    _ name: ZoneName, id: ZoneID? = nil, makesZone: Bool = true,
    _ body: @Sendable (any HostedZone, ZoneNews) async throws -> T
  ) async throws -> T {
    if let result = try await pool.use(name, body) { return result }
    if makesZone, let creator {
      try await creator.create(name, id: id)
      if let result = try await pool.use(name, body) { return result }
    }
    throw HTTPRefusal(.notFound, "unknownZone", "the hub has no zone \(name)")
  }
}
