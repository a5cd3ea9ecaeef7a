/// Why two replicas could not sync: code, one clear sentence, and what to do next.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// The peer's store is of another zone.
    case wrongZone
    /// The peer's hub is certified by another authority than the one that is pinned.
    case wrongAuthority
    /// What the peer says is no message of the protocol.
    case badMessage
    /// The peer speaks another version of the protocol.
    case otherVersion
    /// Access is refused: no token, a wrong one, or one that does not allow it.
    case unauthorized
    /// The peer lets this replica read, and takes no events from it.
    case readOnly
    /// The peer cannot be reached.
    case unreachable
    /// The peer answers, and cannot do it now.
    case unavailable
    /// The peer and this replica disagree on what was exchanged, again and again.
    case noProgress
    /// A message is larger than the peer takes.
    case tooLarge
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
