import NIOCore
import NIOPosix

/// A server that answers every request with the same bytes, and closes the connection.
final class CannedServer: Sendable {
  private let channel: any Channel

  private init(_ channel: any Channel) { self.channel = channel }

  /// - Parameters:
  ///   - head: the status line and headers, without the length.
  ///   - body: the body.
  static func start(_ head: String, _ body: String) async throws -> CannedServer {
    let answer = ByteBuffer(
      string: "\(head)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.pipeline.addHandler(Answering(answer))
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return CannedServer(channel)
  }

  var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  func stop() async throws { try await channel.close() }

  private final class Answering: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ByteBuffer

    init(_ answer: ByteBuffer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let context = NIOLoopBound(context, eventLoop: context.eventLoop)
      context.value.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in
        context.value.close(promise: nil)
      }
    }
  }
}
