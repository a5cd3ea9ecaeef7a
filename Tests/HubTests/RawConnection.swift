import NIOCore
import NIOPosix

@testable import DaybookHubServer

/// A connection made by hand, and the text that has arrived on it.
struct RawConnection {
  let channel: any Channel
  let received: Box<String>

  static func open(_ hub: HubServer) async throws -> RawConnection {
    let received = Box("")
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Collector(received))
        }
      }
      .connect(host: "127.0.0.1", port: hub.port).get()
    return RawConnection(channel: channel, received: received)
  }

  /// Listens to the changes of the zone `team`, in a version of HTTP that has no chunks.
  static func changes(
    _ hub: HubServer, _ token: String, _ query: String = ""
  ) async throws -> RawConnection {
    let connection = try await open(hub)
    try await connection.send(
      "GET /v1/zones/team/changes\(query) HTTP/1.0\r\nHost: 127.0.0.1\r\n"
        + "Authorization: Bearer \(token)\r\n\r\n")
    return connection
  }

  func send(_ text: String) async throws {
    try await channel.writeAndFlush(ByteBuffer(string: text)).get()
  }

  /// Waits until the hub closes the connection.
  func isClosed(within limit: Duration) async throws -> Bool {
    try await eventually(within: limit) { !channel.isActive }
  }
}

private final class Collector: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let received: Box<String>

  init(_ received: Box<String>) { self.received = received }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let text = String(buffer: unwrapInboundIn(data))
    received.change { $0 += text }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
