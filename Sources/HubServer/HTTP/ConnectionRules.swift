import NIOCore
import NIOHTTP1

/// The rules of one connection: which answer is its last, and how long a request may take to
/// arrive.
///
/// A connection ends with the answer to a request of HTTP/1.0, to one that says `Connection:
/// close`, or with an answer that says so itself. A head that has begun must be complete in time,
/// however its bytes trickle in, and so must a body that is left unread when its answer has been
/// sent. A `BodyReader` has its own limit for the bodies that it reads.
final class ConnectionRules: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// How far the request that is arriving has come.
  private enum Arrival {
    case none, head, body
  }

  /// A request whose answer is not complete.
  private struct Asked {
    var version: HTTPVersion
    var isLast: Bool
  }

  /// The time for a client to close its side after the last answer. A close before that could take
  /// the answer from a client that is still sending.
  private static let farewell = TimeAmount.seconds(2)

  private let timeout: TimeAmount
  private let whenCut: @Sendable () -> Void
  private var unanswered = CircularBuffer<Asked>()
  private var arrival = Arrival.none
  /// Whether a part of a request has arrived since the last pause.
  private var hadPart = false
  private var isFinished = false
  private var timer: Scheduled<Void>?

  /// Creates the rules of a new connection.
  /// - Parameters:
  ///   - timeout: The time in which the head of a request must arrive.
  ///   - whenCut: Called when a head was too slow.
  init(timeout: Duration, whenCut: @escaping @Sendable () -> Void) {
    self.timeout = TimeAmount(timeout)
    self.whenCut = whenCut
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  // MARK: - Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hadPart = true
    guard !isFinished else { return }
    switch unwrapInboundIn(data) {
    case .head(var head):
      stopTimer()
      arrival = .body
      let isLast = head.version != .http1_1 || !head.isKeepAlive
      unanswered.append(Asked(version: head.version, isLast: isLast))
      // The server understands only this spelling.
      if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body: context.fireChannelRead(data)
    case .end:
      stopTimer()
      arrival = .none
      context.fireChannelRead(data)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // Bytes that complete no part, outside a request, are the beginning of a head.
    if !hadPart, arrival == .none, !isFinished {
      arrival = .head
      startTimer(context)
    }
    hadPart = false
    context.fireChannelReadComplete()
  }

  // MARK: - Answers

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if unanswered.isEmpty {
        // The server refuses what is no request of HTTP.
        unanswered.append(Asked(version: .http1_1, isLast: true))
      }
      if unanswered[unanswered.startIndex].isLast {
        head.headers.replaceOrAdd(name: "connection", value: "close")
      } else if !head.isKeepAlive {
        unanswered[unanswered.startIndex].isLast = true
      }
      // Clients of HTTP/1.0 know no chunks: the end of the connection ends the body.
      if unanswered[unanswered.startIndex].version == .http1_0 { head.version = .http1_0 }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      let isLast = unanswered.popFirst()?.isLast ?? true
      guard isLast else {
        if arrival == .body, unanswered.isEmpty { startTimer(context) }
        return context.write(data, promise: promise)
      }
      let written = promise ?? context.eventLoop.makePromise(of: Void.self)
      written.futureResult.assumeIsolated().whenComplete { _ in self.finish(context) }
      context.writeAndFlush(data, promise: written)
    }
  }

  /// Ends the connection: no answer follows, and requests are no longer read.
  private func finish(_ context: ChannelHandlerContext) {
    guard !isFinished else { return }
    isFinished = true
    stopTimer()
    context.close(mode: .output, promise: nil)
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) {
      context.close(promise: nil)
    }
  }

  // MARK: - Time

  private func startTimer(_ context: ChannelHandlerContext) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { self.cut(context) }
  }

  private func stopTimer() {
    timer?.cancel()
    timer = nil
  }

  /// Ends a connection whose request takes too long to arrive.
  private func cut(_ context: ChannelHandlerContext) {
    // An answer under way comes first.
    guard unanswered.isEmpty else { return startTimer(context) }
    // The request of this body is answered already.
    guard arrival == .head else { return finish(context) }
    whenCut()
    let body = HTTPRefusal.tooSlow.json
    let head = HTTPResponseHead(
      version: .http1_1, status: .requestTimeout,
      headers: [
        "content-type": "application/json", "content-length": "\(body.readableBytes)",
        "connection": "close",
      ])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in self.finish(context) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
  }
}
