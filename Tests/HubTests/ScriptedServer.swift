import NIOCore
import NIOPosix

@testable import DaybookHubServer

/// A server that answers the first bytes of each connection with a script, and records it.
final class ScriptedServer: Sendable {
  let received: Box<String>
  private let closes: Box<Int>
  private let channel: any Channel

  private init(_ channel: any Channel, _ received: Box<String>, _ closes: Box<Int>) {
    (self.channel, self.received, self.closes) = (channel, received, closes)
  }

  /// - Parameters:
  ///   - pieces: The bytes to send, one piece after the other.
  ///   - drop: The bytes to send again and again afterwards; nil for none.
  ///   - pause: The time between two drops.
  ///   - closes: Whether the connection is closed then.
  static func start(
    _ pieces: [String], thenEach drop: String? = nil, after pause: TimeAmount = .zero,
    closes: Bool = false
  ) async throws -> ScriptedServer {
    let (received, closed) = (Box(""), Box(0))
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.closeFuture.whenComplete { _ in closed.change { $0 += 1 } }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Script(channel, pieces, drop, pause, closes, received))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return ScriptedServer(channel, received, closed)
  }

  var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }
  /// The connections that were closed, by either side.
  var closed: Int { closes.value }

  func stop() async throws { try await channel.close() }

  private final class Script: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let channel: any Channel
    private let pieces: [String]
    private let drop: String?
    private let pause: TimeAmount
    private let closes: Bool
    private let received: Box<String>
    private var hasBegun = false

    init(
      _ channel: any Channel, _ pieces: [String], _ drop: String?, _ pause: TimeAmount,
      _ closes: Bool, _ received: Box<String>
    ) {
      (self.channel, self.pieces, self.drop) = (channel, pieces, drop)
      (self.pause, self.closes, self.received) = (pause, closes, received)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      // Bodies are not text.
      let text = String(decoding: unwrapInboundIn(data).readableBytesView, as: UTF8.self)
      received.change { $0 += text }
      guard !hasBegun else { return }
      hasBegun = true
      let channel = channel
      for piece in pieces { channel.writeAndFlush(ByteBuffer(string: piece), promise: nil) }
      if let drop {
        let drops = channel.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
          channel.writeAndFlush(ByteBuffer(string: drop), promise: nil)
        }
        channel.closeFuture.whenComplete { _ in drops.cancel() }
      }
      if closes { channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
