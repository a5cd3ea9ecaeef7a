import Replication

/// What carries the requests of a client.
///
/// Debug builds on Linux have both, so that tests run over both. A release build with the trait
/// `NIOClient` has only SwiftNIO, and so does not need the system's libcurl.
enum TransportKind: CaseIterable, Sendable {
  #if NIOClient && os(Linux)
    case nio
  #endif
  #if !(NIOClient && os(Linux)) || DEBUG
    case urlSession
  #endif

  #if NIOClient && os(Linux)
    static let usual = nio
  #else
    static let usual = urlSession
  #endif

  /// Makes a transport.
  /// - Throws: `SyncError` if the trusted certificates cannot be used.
  func transport(_ options: HubClient.Options) throws(SyncError) -> any HubTransport {
    switch self {
    #if NIOClient && os(Linux)
      case .nio: try NIOTransport(options)
    #endif
    #if !(NIOClient && os(Linux)) || DEBUG
      case .urlSession: try URLSessionTransport(options)
    #endif
    }
  }
}
