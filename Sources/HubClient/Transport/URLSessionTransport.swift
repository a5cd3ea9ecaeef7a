#if !os(Linux) || DEBUG
  import DaybookEngine
  import DaybookPeers
  import Foundation
  import DaybookReplication

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Requests over the system's `URLSession`, with its proxies, VPN and trust.
  ///
  /// Timeouts are its own: those of Foundation count other things on Linux than on Apple's
  /// platforms.
  final class URLSessionTransport: HubTransport {
    private let session: URLSession
    private let exchanges: URLSessionExchanges
    private let options: HubClient.Options

    init(_ options: HubClient.Options) throws(SyncError) {
      var certificates: TrustedCertificates?
      if let path = options.trustedCertificatesPath {
        certificates = try TrustedCertificates(path: path)
        #if canImport(FoundationNetworking)
          throw SyncError(
            .unreachable, "this program cannot trust certificates besides the system's",
            hint: "Add them to the system's, or build with Daybook's trait NIOClient")
        #endif
      }
      self.options = options
      exchanges = URLSessionExchanges(trusting: certificates)
      session = URLSession(
        configuration: Self.configuration, delegate: exchanges, delegateQueue: nil)
    }

    // A session keeps its delegate until it is told to end.
    deinit { session.finishTasksAndInvalidate() }

    private static var configuration: URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.urlCredentialStorage = nil
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.httpCookieStorage = nil
      configuration.httpCookieAcceptPolicy = .never
      configuration.httpShouldSetCookies = false
      configuration.httpMaximumConnectionsPerHost = 8
      let year = TimeInterval(365 * 86_400)
      configuration.timeoutIntervalForRequest = year
      configuration.timeoutIntervalForResource = year
      return configuration
    }

    func send(_ request: HubRequest, within time: Duration?) async throws -> HubAnswer {
      guard let url = URL(string: request.url) else {
        throw TransportFailure(kind: .unreached, cause: "\(request.url) is no address")
      }
      var message = URLRequest(url: url)
      message.httpMethod = request.method.rawValue
      for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
      // A compressed stream would be told late, and bytes are counted as they travel.
      message.setValue("identity", forHTTPHeaderField: "accept-encoding")
      if !request.body.isEmpty { message.httpBody = request.body }
      try Task.checkCancellation()
      let (events, told) = AsyncThrowingStream<URLSessionExchange.Event, any Error>.makeStream()
      let exchange = URLSessionExchange(
        session.dataTask(with: message),
        URLSessionClock(options, bytes: request.body.count, within: time), telling: told)
      exchanges.add(exchange)
      exchange.start()
      let reader = StreamReader(events)
      // A stream of a cancelled task ends without an error.
      guard case .head(let head)? = try await reader.next() else { throw CancellationError() }
      return HubAnswer(
        head: head,
        body: HubAnswer.Body {
          guard case .piece(let piece)? = try await reader.next() else { return nil }
          exchange.read(piece)
          return piece
        })
    }
  }
#endif
