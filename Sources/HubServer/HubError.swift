import DaybookEventCore

/// The reason why a hub cannot be set up or started: a code, one clear sentence, and the next step.
public struct HubError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// A name, time or address is not valid.
    case badArgument
    /// There is no such token, zone or hub's folder.
    case notFound
    /// There is already a zone of that name.
    case exists
    /// A file of the hub's folder has invalid contents.
    case damaged
    /// The system refused an operation.
    case ioFailed
    /// Another process serves the folder.
    case inUse
    /// The hub cannot listen on the address.
    case cannotListen
    /// The certificate or its key cannot be used.
    case badCertificate
    /// Access without tokens is allowed only on addresses of this machine.
    case notLocal
  }

  public var code: Code
  public var message: String
  public var hint: String?
  /// The error of the layer below.
  public var cause: String?

  public init(_ code: Code, _ message: String, hint: String? = nil, cause: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  public var description: String { text(hintAfter: " — ") }
}

extension HubError: ExplainedError {
  package var causeText: String? { cause }
}
