/// An error in a CSV file, with its line. The message says in one sentence what is wrong, why, and
/// what to do.
package struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The quotes do not match.
    case malformed
    /// The file holds NUL, or bytes that are not UTF-8.
    case invalidText
    /// A row has more or fewer cells than the header.
    case ragged
    /// A cell does not fit the type of its column.
    case wrongType
    /// The id of a row is missing or too long.
    case invalidID
    /// The header lacks a column, or the file has no header.
    case unknownColumn
    /// A record is larger than an event may be, or has more cells than a table may have columns.
    case tooLarge
  }

  package let code: Code
  /// The line of the error, counted from 1.
  package let line: Int
  package let message: String

  package init(_ code: Code, line: Int, _ message: String) {
    self.code = code
    self.line = line
    self.message = message
  }

  package var description: String { "line \(line): \(message)" }
}
