import Foundation

/// What a client needs of HTTP: one request, and its answer in pieces.
///
/// A transport follows no redirection, because a token is for one hub only. It keeps no cookies and
/// no cache.
protocol HubTransport: Sendable {
  /// Sends a request, and returns when the head of the answer has arrived.
  ///
  /// The request ends early if the task is cancelled, or if the answer's body is released.
  /// - Parameters:
  ///   - request: The request.
  ///   - time: The timeout of the answer; nil if it lasts as long as something arrives.
  /// - Throws: `TransportFailure` or `CancellationError`. The body throws the same.
  func send(_ request: HubRequest, within time: Duration?) async throws -> HubAnswer
}

/// A request to a hub.
struct HubRequest: Sendable {
  enum Method: String {
    case get = "GET"
    case post = "POST"
  }

  var method: Method
  var url: String
  var headers: [(name: String, value: String)] = []
  var body = Data()
}

/// A hub's answer.
struct HubAnswer {
  /// A body in pieces of any size, which can be read once.
  struct Body: AsyncSequence, AsyncIteratorProtocol {
    /// Returns the next piece; nil at the end.
    let piece: () async throws -> Data?

    func makeAsyncIterator() -> Self { self }

    func next() async throws -> Data? { try await piece() }
  }

  var head: HubReply
  var body: Body

  /// Reads the whole body.
  /// - Returns: The body; nil if it has more bytes than the limit.
  func collect(upTo bytesMax: Int) async throws -> Data? {
    var collected = Data()
    for try await piece in body {
      guard collected.count + piece.count <= bytesMax else { return nil }
      collected += piece
    }
    // A body ends without an error if the task is cancelled.
    try Task.checkCancellation()
    return collected
  }
}

/// A request without a whole answer.
struct TransportFailure: Error {
  enum Kind {
    /// No connection could be made.
    case unreached
    /// The other side cannot prove who it is, or TLS could not be agreed on.
    case untrusted
    /// The connection was closed before an answer began.
    case hungUp
    /// The connection was cut, or what arrived is not HTTP.
    case broken
    /// Nothing has arrived in time.
    case silent
  }

  var kind: Kind
  /// The cause in plain words.
  var cause: String
}
