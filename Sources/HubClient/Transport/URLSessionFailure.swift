#if !os(Linux) || DEBUG
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension TransportFailure {
    /// Maps an error of a session.
    /// - Parameters:
    ///   - error: The error.
    ///   - task: The task that failed.
    ///   - hasBegun: Whether the answer's head had arrived.
    ///   - hasSent: Whether there was a connection, as far as is known.
    init(_ error: any Error, of task: URLSessionTask, hasBegun: Bool, hasSent: Bool) {
      let host = task.originalRequest?.url?.host() ?? "that"
      /// The kind of a connection that was closed.
      let closed = hasBegun ? Kind.broken : .hungUp
      // Foundation on Linux has one code for most errors, and curl's text.
      let text = error.localizedDescription
      (kind, cause) =
        switch (error as? URLError)?.code {
        case .cannotFindHost, .dnsLookupFailed: (.unreached, "no machine is called \(host)")
        case .cannotConnectToHost: (.unreached, "nothing listens there")
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
          (.unreached, "this machine is offline")
        case .timedOut: (hasBegun ? .broken : .unreached, "nothing answers there")
        case .networkConnectionLost: (closed, "the connection was cut")
        case .badServerResponse: (closed, "the connection was closed")
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
          .serverCertificateHasBadDate, .serverCertificateNotYetValid:
          (.untrusted, Self.untrustedWords)
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
          (.untrusted, Self.disagreedWords)
        case .appTransportSecurityRequiresSecureConnection:
          (.unreached, "the system allows this app https:// only")
        default: Self.parse(text, closed, isConnected: hasBegun || hasSent)
        }
    }

    private static let untrustedWords = "this machine does not trust its certificate"
    private static let disagreedWords = "TLS could not be agreed upon"

    /// Returns what a text of curl means.
    /// - Parameters:
    ///   - text: The text.
    ///   - closed: The kind of a connection that was closed.
    ///   - isConnected: Whether there was a connection, as far as is known.
    static func parse(_ text: String, _ closed: Kind, isConnected: Bool) -> (Kind, String) {
      let known: [(words: [String], kind: Kind, cause: String)] = [
        (["SSL certificate problem"], .untrusted, untrustedWords),
        (
          ["subject name", "does not match target host"], .untrusted,
          "its certificate is for another name"
        ),
        (
          ["wrong version number", "packet length too long", "http request"], .untrusted,
          "what listens there does not speak TLS; perhaps it is http://"
        ),
        (["reset by peer", "Broken pipe"], closed, "the connection was cut"),
        (
          ["Empty reply", "unexpected eof", "Connection died", "SSL_ERROR_SYSCALL"], closed,
          "the connection was closed"
        ),
        (["SSL", "TLS", "certificate"], .untrusted, disagreedWords),
        (["No route to host", "unreachable"], .unreached, "no network leads there"),
        (["Connection refused"], .unreached, "nothing listens there"),
        (["onnect"], isConnected ? .broken : .unreached, "nothing answers there"),
        (["closed", "bytes remaining"], .broken, "the connection was closed"),
      ]
      let found = known.first { $0.words.contains { text.contains($0) } }
      return found.map { ($0.kind, $0.cause) } ?? (isConnected ? .broken : .unreached, text)
    }
  }
#endif
