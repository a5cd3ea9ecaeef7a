import DaybookEventCore

/// The reason why two replicas could not sync: a code, one clear sentence, and the next step.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
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
    /// The connection broke, or nothing moved for too long, while a message was on its way. A
    /// smaller message may arrive.
    case interrupted
  }

  /// The kind of the error.
  public var code: Code
  /// What happened, in one sentence.
  public var message: String
  /// What to do next; nil if there is no advice.
  public var hint: String?
  /// The error of the layer below.
  public var cause: String?
  /// The pause after which the peer wants to be asked again; nil if it has not said one.
  public var retryAfter: Duration?

  /// Makes an error, for a peer that an app writes.
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: what happened, in one sentence.
  ///   - hint: what to do next; nil if there is no advice.
  ///   - cause: the error of the layer below.
  ///   - retryAfter: the pause after which the peer wants to be asked again.
  public init(
    _ code: Code, _ message: String, hint: String? = nil, cause: String? = nil,
    retryAfter: Duration? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
    self.retryAfter = retryAfter
  }

  public var description: String { text(hintAfter: " — ") }
}

extension SyncError: ExplainedError {
  package var causeText: String? { cause }
}
