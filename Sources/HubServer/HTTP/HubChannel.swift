import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// The set-up of each connection of a hub: TLS, HTTP/1, and the rules of the connection.
struct HubChannel: ServerChildChannel {
  private let http: HTTP1Channel
  private let limits: HubOptions.Limits
  /// The hub's certificate; nil without TLS.
  private let certificate: Certificate?
  private let whenCut: @Sendable () -> Void

  /// - Parameters:
  ///   - whenCut: Called when the head of a request was too slow.
  init(
    _ responder: @escaping HTTPChannelHandler.Responder, limits: HubOptions.Limits,
    certificate: Certificate?, whenCut: @escaping @Sendable () -> Void
  ) {
    http = HTTP1Channel(
      responder: responder,
      configuration: .init(
        idleTimeout: TimeAmount(limits.idleTimeout),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64)))
    self.limits = limits
    self.certificate = certificate
    self.whenCut = whenCut
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    channel.eventLoop.makeCompletedFuture {
      guard let certificate else { return }
      try channel.pipeline.syncOperations.addHandler(
        NIOSSLServerHandler(context: certificate.context))
    }.flatMap {
      http.setup(channel: channel, logger: logger)
    }.flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      let rules = ConnectionRules(timeout: limits.bodyTimeout, whenCut: whenCut)
      try pipeline.addHandler(rules, position: .after(decoder))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}
