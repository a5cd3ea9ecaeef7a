import Hummingbird
import NIOCore

/// A writer that closes the connection if the client does not accept each piece of 64 KiB in time.
struct SlowWriter: Sendable {
  private static let pieceBytes = 64 << 10

  private let channel: any Channel
  private let timeout: TimeAmount

  init(_ channel: any Channel, _ timeout: Duration) {
    self.channel = channel
    self.timeout = TimeAmount(timeout)
  }

  @concurrent
  func write(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
    var rest = bytes
    while let piece = rest.readSlice(length: min(Self.pieceBytes, rest.readableBytes)),
      piece.readableBytes > 0
    {
      let channel = channel
      let end = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
      defer { end.cancel() }
      try await writer.write(piece)
    }
  }
}
