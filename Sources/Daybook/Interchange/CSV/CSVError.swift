/// What is wrong with a file of CSV: what, why and what to do, in one sentence, and where.
public struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// Quotes that do not belong together.
    case malformed
    /// Bytes that are not UTF-8, or NUL.
    case invalidText
    /// A row with more or fewer cells than the header.
    case ragged
    /// A cell that is no value of its column's type.
    case wrongType
    /// A row whose id is missing or too long.
    case invalidID
    /// A column that the header does not have, or a file without a header.
    case unknownColumn
    /// Larger than an event, or wider than a table, may be.
    case tooLarge
  }

  public let code: Code
  /// From 1.
  public let line: Int
  public let message: String

  public init(_ code: Code, line: Int, _ message: String) {
    self.code = code
    self.line = line
    self.message = message
  }

  public var description: String { "line \(line): \(message)" }
}
