#if NIOClient && os(Linux)
  import AsyncHTTPClient
  import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL

  extension TransportFailure {
    /// Maps an error of SwiftNIO, NIOSSL or AsyncHTTPClient.
    init(nio error: any Error) { self.init(kind: Self.kind(error), cause: Self.words(error)) }

    private static func kind(_ error: any Error) -> Kind {
      switch error {
      case let error as HTTPClientError where error == .remoteConnectionClosed: .hungUp
      case let error as HTTPClientError
      where [.readTimeout, .writeTimeout, .deadlineExceeded].contains(error):
        .silent
      case let error as ChannelError where error == .ioOnClosedChannel: .hungUp
      case is IOError, is ChannelError, is HTTPParserError: .broken
      case NIOSSLError.uncleanShutdown: .broken
      case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .untrusted
      default: .unreached
      }
    }

    /// The cause in plain words. The texts of the libraries are for programmers.
    private static func words(_ error: any Error) -> String {
      switch error {
      case let error as IOError: words(number: error.errnoCode)
      case let error as NIOConnectionError:
        error.connectionErrors.first.map { words($0.error) }
          ?? (error.dnsAError ?? error.dnsAAAAError).map(words) ?? "nothing answers there"
      case let error as SocketAddressError.UnknownHost: "no machine is called \(error.host)"
      case let error as HTTPClientError: words(error)
      case is ChannelError: "the connection was closed"
      case let error as NIOSSLError: tlsWords("\(error)")
      case let error as BoringSSLError: tlsWords("\(error)")
      case is NIOSSLExtraError: "its certificate is for another name"
      default: "\(error)"
      }
    }

    private static func words(number: Int32) -> String {
      switch number {
      case ECONNREFUSED: "nothing listens there"
      case EHOSTUNREACH, ENETUNREACH: "no network leads there"
      case ETIMEDOUT: "nothing answers there"
      case ECONNRESET, EPIPE: "the connection was cut"
      default: String(cString: strerror(number))
      }
    }

    private static func words(_ error: HTTPClientError) -> String {
      switch error {
      case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded,
        .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
        "the time ran out"
      case .remoteConnectionClosed: "the connection was closed"
      default: error.shortDescription
      }
    }

    /// Returns the cause of a failed TLS handshake in plain words.
    /// - Parameter text: BoringSSL's text, which names its own source files.
    private static func tlsWords(_ text: String) -> String {
      if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
        return "what listens there does not speak TLS; perhaps it is http://"
      }
      if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate")
      {
        return "this machine does not trust its certificate"
      }
      return "TLS could not be agreed upon"
    }
  }
#endif
