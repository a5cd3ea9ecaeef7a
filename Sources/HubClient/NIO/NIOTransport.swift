#if NIOClient && os(Linux)
  import AsyncHTTPClient
  import DaybookEngine
  import DaybookPeers
  import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL
  import DaybookReplication

  /// Requests over AsyncHTTPClient and SwiftNIO.
  ///
  /// What it has and URLSession on Linux has not: certificates to trust, back-pressure, a body's
  /// pieces that are counted when they travel, and many streams that cost little.
  final class NIOTransport: HubTransport {
    /// The part of a body that is handed over at a time. The next one follows when most of it has
    /// been sent, so that the timeout of silence begins anew.
    private static let pieceBytes = 16 << 10

    private let http: HTTPClient

    init(_ options: HubClient.Options) throws(SyncError) {
      var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
      configuration.timeout = .init(
        connect: TimeAmount(options.connectTimeout.bounded),
        read: TimeAmount(options.silenceTimeout.bounded),
        write: TimeAmount(options.silenceTimeout.bounded))
      // Otherwise the system takes megabytes at once, and a slow line looks silent meanwhile.
      configuration.http1_1ConnectionDebugInitializer = { channel in
        channel.setOption(.tcpOption(Self.unsentLimit), value: Self.unsentBytesMax)
          .recover { _ in }
      }
      configuration.httpVersion = .http1Only
      // This is shorter than a hub's timeout, so no request uses a connection that the hub is
      // closing.
      configuration.connectionPool.idleTimeout = .seconds(30)
      // The caller decides when to retry.
      configuration.connectionPool.retryConnectionEstablishment = false
      if let path = options.trustedCertificatesPath {
        do {
          var tls = TLSConfiguration.makeClientConfiguration()
          tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(path))]
          configuration.tlsConfiguration = tls
        } catch { throw .unreadableCertificates("\(error)") }
      }
      http = HTTPClient(
        eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
        configuration: configuration)
    }

    deinit {
      let http = http
      Task { try? await http.shutdown() }
    }

    func send(_ request: HubRequest, within time: Duration?) async throws -> HubAnswer {
      var message = HTTPClientRequest(url: request.url)
      message.method = HTTPMethod(rawValue: request.method.rawValue)
      for (name, value) in request.headers { message.headers.add(name: name, value: value) }
      if !request.body.isEmpty {
        let body = ByteBuffer(bytes: request.body)
        message.body =
          body.readableBytes <= Self.pieceBytes
          ? .bytes(body)
          : .stream(
            BodyPieces(body: body, bytes: Self.pieceBytes),
            length: .known(Int64(body.readableBytes)))
      }
      let end = time.map { ContinuousClock.now + $0 }
      let response = try await failing {
        if let time { return try await http.execute(message, timeout: TimeAmount(time)) }
        return try await http.execute(message, deadline: .distantFuture)
      }
      let head = HubReply(status: Int(response.status.code)) { response.headers.first(name: $0) }
      var pieces = response.body.makeAsyncIterator()
      return HubAnswer(
        head: head,
        body: HubAnswer.Body {
          // The library's timeout ends with the head.
          if let end, ContinuousClock.now > end {
            throw TransportFailure(kind: .silent, cause: "the time ran out")
          }
          return try await failing {
            try await pieces.next(isolation: #isolation).map { Data($0.readableBytesView) }
          }
        })
    }

    /// The most bytes that the system holds of a connection without having sent them.
    private static let unsentBytesMax: SocketOptionValue = 128 << 10
    /// `TCP_NOTSENT_LOWAT`.
    private static let unsentLimit = NIOBSDSocket.Option(rawValue: 25)
  }

  /// Maps errors of the libraries.
  private func failing<T>(_ body: () async throws -> T) async throws -> T {
    do { return try await body() } catch {
      if error is CancellationError { throw error }
      throw TransportFailure(nio: error)
    }
  }
#endif
