import DaybookLocks
import Foundation
import NIOCore
import NIOPosix

/// Stands between clients and a hub: holds bytes back, changes some, and hangs up in the middle.
final class BrokenProxy: Sendable {
  /// What happened, so that a test can tell that something did.
  struct Count {
    var connections = 0
    var cuts = 0
    var changes = 0
  }

  let port: Int
  private let server: any Channel
  private let counts: Counts

  final class Counts: Sendable {
    private let state: Mutex<(Count, SplitMix)>

    init(seed: UInt64) { state = Mutex((Count(), SplitMix(seed))) }

    var count: Count { state.withLock { $0.0 } }
    func change(_ body: (inout Count) -> Void) { state.withLock { body(&$0.0) } }
    func random(_ bound: Int) -> Int { state.withLock { Int($0.1.next() % UInt64(bound)) } }
  }

  struct SplitMix {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  init(to hub: Int, seed: UInt64) throws {
    let counts = Counts(seed: seed)
    self.counts = counts
    let group = MultiThreadedEventLoopGroup.singleton
    server = try ServerBootstrap(group: group)
      .childChannelInitializer { client in
        counts.change { $0.connections += 1 }
        let box = NIOLoopBound(client, eventLoop: client.eventLoop)
        return ClientBootstrap(group: client.eventLoop)
          .connect(host: "127.0.0.1", port: hub)
          .flatMapThrowing { upstream in
            let client = box.value
            try client.pipeline.syncOperations.addHandler(Pipe(to: upstream, counts))
            try upstream.pipeline.syncOperations.addHandler(Pipe(to: client, counts))
          }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    port = server.localAddress?.port ?? 0
  }

  var count: Count { counts.count }

  func stop() throws { try server.close().wait() }

  /// One direction.
  private final class Pipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let counts: Counts

    init(to other: any Channel, _ counts: Counts) {
      self.other = other
      self.counts = counts
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var bytes = unwrapInboundIn(data)
      switch counts.random(8) {
      case 0:
        counts.change { $0.cuts += 1 }
        // Half of it arrives, and nothing more.
        if let half = bytes.readSlice(length: bytes.readableBytes / 2) {
          other.writeAndFlush(half, promise: nil)
        }
        other.close(promise: nil)
        context.close(promise: nil)
        return
      case 1 where bytes.readableBytes > 0:
        counts.change { $0.changes += 1 }
        let place = bytes.readerIndex + counts.random(bytes.readableBytes)
        let byte: UInt8 = bytes.getInteger(at: place) ?? 0
        bytes.setInteger(byte ^ 0x10, at: place)
      default: break
      }
      // Both channels share a loop, so what is held back stays in order.
      let held = bytes
      let other = other
      context.eventLoop.scheduleTask(in: .milliseconds(3)) {
        other.writeAndFlush(held, promise: nil)
      }
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
