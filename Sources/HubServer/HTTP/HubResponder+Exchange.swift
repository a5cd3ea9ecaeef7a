import Daybook
import DaybookEventCore
import DaybookReplication
import HTTPTypes
import Hummingbird
import NIOCore

extension HubResponder {
  /// Answers `POST /v1/zones/NAME/exchange`: one round trip of the sync protocol.
  func exchange(
    _ request: Request, _ name: ZoneName, _ token: AccessToken?, _ channel: any Channel
  ) async throws -> Response {
    // Without tokens, the shares are by zone.
    let owner = token?.id ?? name.description
    if let wait = gate.wait(of: owner) { throw HTTPRefusal.timeSpent(wait) }
    let body = try await BodyReader(
      limits: limits, budget: budget, token: token, owner: owner
    ).read(request)
    let began = ContinuousClock.now
    // A decoded message takes several times its size, so decoding waits for the turn.
    let exchanged = try await gate.pass(owner: owner, bytes: body.bytes.readableBytes) {
      let message = try Self.decode(body.bytes)
      if !message.ranges.isEmpty { try AccessCheck.requirePush(token) }
      let answer = try await withZone(name, id: message.zone == .none ? nil : message.zone) {
        [limits] zone, feed in
        let answer = try await zone.exchange(message, answerBytes: limits.answerBytes)
        feed.publish(answer.status.digest) { await news(of: name, since: $0) }
        return answer
      }
      return (message, answer)
    }
    guard let (message, answer) = exchanged else { throw HTTPRefusal.busy }
    let bytes = ByteBuffer(bytes: answer.response.encoded())
    metrics.exchanged(
      HubMetrics.Exchange(
        zone: name, replica: message.replica, token: token?.id,
        received: body.bytes.readableBytes, sent: bytes.readableBytes,
        time: ContinuousClock.now - began),
      message, answer)
    return response(bytes, Self.status(message, answer.response), channel)
  }

  /// The most bytes of events in news. Listeners have to ask for more.
  private static let newsBytesMax = 32 << 10

  private func news(of name: ZoneName, since digest: KnowledgeDigest) async -> SyncResponse? {
    do {
      let news = try await pool.use(name) { zone, _ in
        try await zone.news(since: digest, bytes: Self.newsBytesMax)
      }
      return news ?? nil
    } catch {
      // The listeners are told to ask, and learn of the error then.
      if !(error is PoolRefusal) { metrics.failed(error, zone: name) }
      return nil
    }
  }

  private static func decode(_ bytes: ByteBuffer) throws -> SyncRequest {
    let decoded = bytes.withUnsafeReadableBytes { bytes in
      Result { () throws(EventError) in try SyncRequest(decoding: bytes) }
    }
    switch decoded {
    case .success(let request): return request
    case .failure(let error): throw HTTPRefusal(error)
    }
  }

  /// Returns the status of a response. If pushed ranges are refused, it is an error, though the
  /// body is still a response of the protocol.
  private static func status(_ request: SyncRequest, _ response: SyncResponse)
    -> HTTPResponse.Status
  {
    let pushed = Set(request.ranges.map(\.origin))
    let refusals = response.refusals.filter { pushed.contains($0.event.origin) }
    if refusals.isEmpty { return .ok }
    return refusals.contains { $0.code == .full } ? .insufficientStorage : .unprocessableContent
  }

  private func response(
    _ bytes: ByteBuffer, _ status: HTTPResponse.Status, _ channel: any Channel
  ) -> Response {
    var headers: HTTPFields = [
      .contentType: "application/octet-stream",
      .bodyChecksum: bytes.withUnsafeReadableBytes(BodyChecksum.text),
    ]
    if status != .ok {
      let isFull = status == .insufficientStorage
      headers[.daybookCode] = isFull ? "zoneFull" : "rangesRefused"
      headers[.daybookMessage] =
        isFull
        ? "the zone is full; the body says which events were not taken"
        : "not all events were taken; the body says which, and why"
    }
    let slow = SlowWriter(channel, limits.writeTimeout)
    return Response(
      status: status, headers: headers,
      body: .init(contentLength: bytes.readableBytes) { writer in
        try await slow.write(bytes, to: &writer)
        try await writer.finish(nil)
      })
  }
}

extension HTTPField.Name {
  static let daybookCode = HTTPField.Name("Daybook-Code")!
  static let daybookMessage = HTTPField.Name("Daybook-Message")!
}
