import DaybookReplication

/// What carries the requests of a client.
///
/// On Linux it is SwiftNIO, if the trait `NIOClient` is on, and nothing otherwise: Foundation there
/// ends the process at an answer that is no HTTP. See decision 0079. Debug builds have URLSession
/// on Linux, too, so that tests run over both.
enum TransportKind: CaseIterable, Sendable {
  #if NIOClient && os(Linux)
    case nio
  #endif
  #if !os(Linux) || DEBUG
    case urlSession
  #endif

  /// What a client uses; nil if this build has nothing to use.
  #if NIOClient && os(Linux)
    static let usual: Self? = nio
  #elseif !os(Linux)
    static let usual: Self? = urlSession
  #else
    static let usual: Self? = nil
  #endif

  /// Makes a transport.
  /// - Throws: `SyncError` if the trusted certificates cannot be used.
  func transport(_ options: HubClient.Options) throws(SyncError) -> any HubTransport {
    switch self {
    #if NIOClient && os(Linux)
      case .nio: try NIOTransport(options)
    #endif
    #if !os(Linux) || DEBUG
      case .urlSession: try URLSessionTransport(options)
    #endif
    }
  }
}

extension SyncError {
  /// The error of a client in a build without a transport.
  static let noTransport = SyncError(
    .unreachable, "this program was built without a client for hubs",
    hint: "On Linux, name the trait NIOClient where your package depends on Daybook")
}
