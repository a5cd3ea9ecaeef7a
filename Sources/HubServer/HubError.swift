/// Why a hub cannot be set up or started: code, one clear sentence, and what to do next.
public struct HubError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// A name, time or address that is none.
    case badArgument
    /// There is no such token or zone, or there is one already.
    case notFound
    case exists
    /// A file of the hub's folder does not say what it should.
    case damaged
    /// The system did not let it.
    case ioFailed
    /// Another process serves the folder.
    case inUse
    /// The address cannot be listened on.
    case cannotListen
    /// The certificate or its key cannot be used.
    case badCertificate
    /// Access without tokens is only for the machine itself.
    case notLocal
  }

  public var code: Code
  public var message: String
  public var hint: String?
  /// What the layer below said.
  public var cause: String?

  public init(_ code: Code, _ message: String, hint: String? = nil, cause: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  public var description: String {
    message + (cause.map { ": \($0)" } ?? "") + (hint.map { " — \($0)" } ?? "")
  }
}
