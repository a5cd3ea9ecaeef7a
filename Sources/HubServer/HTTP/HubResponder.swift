import HTTPTypes
import Hummingbird
import NIOCore
import Replication

/// What a request comes with.
struct HubContext: InitializableFromSource {
  let channel: any Channel

  init(source: ApplicationRequestContextSource) { channel = source.channel }
}

/// Answers every request that reaches a hub.
struct HubResponder: HTTPResponder {
  let pool: ZonePool
  let access: AccessCheck
  let limits: HubOptions.Limits
  let metrics: HubMetrics
  let gate: Gate
  let budget: ByteBudget
  let live: LiveCount
  let traffic: Traffic
  /// Makes zones that are asked for; nil where only those are served that are there.
  let creator: (any ZoneDirectory)?

  func respond(to request: Request, context: HubContext) async throws -> Response {
    var label = "other"
    var zone: ZoneName?
    var token: AccessToken?
    do {
      let route = try Route(method: request.method, path: request.head.path ?? "")
      (label, zone) = (route.label, route.zone)
      // Whoever balances load is told too that no more is taken here.
      guard traffic.enter() else { throw PoolRefusal.stopping }
      defer { traffic.leave() }
      token = try access.admit(request.head, to: route)
      let response = try await respond(to: request, route, token, context.channel)
      metrics.answered(label, status: response.status.code)
      return response
    } catch {
      // The connection's own fault: nobody is there to be told.
      if error is CancellationError || Self.isConnectionGone(error) { throw error }
      return refuse(error, request, label, zone, token, context.channel)
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
    case .exchange(let zone):
      return try await exchange(request, zone, token, channel)
    case .changes(let zone):
      return try await changes(request, zone, token, channel)
    }
  }

  private func refuse(
    _ error: any Error, _ request: Request, _ label: String, _ zone: ZoneName?,
    _ token: AccessToken?, _ channel: any Channel
  ) -> Response {
    let refusal =
      HTTPRefusal(error)
      ?? HTTPRefusal(.internalServerError, "failed", "the hub failed; its log says why")
    if refusal.status.code >= 500, !(error is HTTPRefusal || error is PoolRefusal) {
      metrics.failed(error, zone: zone)
    }
    metrics.refused(refusal, label, zone: zone, token: token?.id)
    metrics.answered(label, status: refusal.status.code)
    // What may be left of a large body is not waited for.
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? .max
    let leavesBody = request.method == .post && length > Self.drainedBytesMax
    if leavesBody {
      channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    }
    return refusal.response(closes: leavesBody || refusal.code == "stopping")
  }

  private static let drainedBytesMax = 64 << 10

  private static func isConnectionGone(_ error: any Error) -> Bool {
    error is ChannelError || error is IOError || "\(type(of: error))" == "HTTPParserError"
  }

  /// Runs `body` with a zone, made if that is allowed.
  /// - Parameter id: of the zone that the asker's store belongs to: one that is made becomes that.
  func withZone<T: Sendable>(
    _ name: ZoneName, id: ZoneID? = nil, makesZone: Bool = true,
    _ body: @Sendable (any HostedZone, ChangeFeed) async throws -> T
  ) async throws -> T {
    if let result = try await pool.use(name, body) { return result }
    if makesZone, let creator {
      try await creator.create(name, id: id)
      if let result = try await pool.use(name, body) { return result }
    }
    throw HTTPRefusal(.notFound, "unknownZone", "the hub has no zone \(name)")
  }
}
