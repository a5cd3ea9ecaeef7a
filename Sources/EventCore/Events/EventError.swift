/// What is wrong with bytes or values that claim to be an event, or part of one.
///
/// Every decoder of this module is total: any bytes give a value or an `EventError`, in memory and
/// time bounded by their number.
public struct EventError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// The bytes are no encoding of this version's format.
    case malformed
    /// The bytes say the right thing in another way than the one canonical way.
    case notCanonical
    /// A version, kind or codec that this software does not know.
    case unknownVersion
    /// Larger than the format allows.
    case tooLarge
    /// A value that no event may hold: a real that is not finite, text that is not UTF-8.
    case invalidValue
    /// A signature, key or certificate that does not verify.
    case badSignature
    /// A causal context that does not follow from the origin's previous event.
    case badContext
  }

  public let code: Code
  public let message: String
  /// Offset of the offending byte in what was decoded, where there is one.
  public let offset: Int?

  public init(_ code: Code, _ message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  public var description: String {
    offset.map { "\(message) (byte \($0))" } ?? message
  }
}
