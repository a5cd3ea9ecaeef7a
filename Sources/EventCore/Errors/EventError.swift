/// An error in bytes or values that claim to be an event or part of one.
///
/// Every decoder of this module is total: any bytes give a value or an `EventError`, in memory and
/// time bounded by their number.
public struct EventError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: String, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// The bytes are no valid encoding in this version of the format.
    case malformed
    /// The bytes encode a valid value, but not in the one canonical way.
    case notCanonical
    /// The version, kind or codec is not known to this software.
    case unknownVersion
    /// The value is larger than the format allows.
    case tooLarge
    /// The value may not occur in an event: a real that is not finite, text that is not UTF-8.
    case invalidValue
    /// A signature, key or certificate does not verify, or a signature could not be made.
    case badSignature
    /// The causal context does not follow from the origin's previous event.
    case badContext
  }

  /// The kind of the error.
  public let code: Code
  /// What is wrong, in one sentence.
  public let message: String
  /// The offset of the offending byte in the decoded bytes, if there is one.
  public let offset: Int?

  /// Makes an error.
  public init(_ code: Code, _ message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  public var description: String { explanation }
}

extension EventError: ExplainedError {
  package var place: String? { offset.map { "(byte \($0))" } }
}
