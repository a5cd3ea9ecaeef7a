/// The reason why two replicas could not sync: a code, one clear sentence, and the next step.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// The peer's store belongs to another zone.
    case wrongZone
    /// The peer's hub is certified by another authority than the pinned one.
    case wrongAuthority
    /// The peer's bytes are not a message of the protocol.
    case badMessage
    /// The peer speaks no version of the protocol that this software knows.
    case otherVersion
    /// Access is refused: the token is missing, wrong, or does not allow the request.
    case unauthorized
    /// The peer lets this replica read, and accepts no events from it.
    case readOnly
    /// The peer cannot be reached.
    case unreachable
    /// The peer answers, but cannot serve the request now.
    case unavailable
    /// A message is larger than the peer accepts.
    case tooLarge
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

  public var description: String {
    message + (cause.map { ": \($0)" } ?? "") + (hint.map { " — \($0)" } ?? "")
  }
}
