/// What is wrong with a line of interchange: what, why and what to do, in one sentence.
package struct InterchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The bytes are no JSON (RFC 8259).
    case malformedJSON
    /// Arrays and objects inside one another beyond ``JSONParser/depthMax``.
    case nestedTooDeep
    /// A number that no 64-bit integer, or no finite real, can hold.
    case numberOutOfRange
    /// Bytes that are not UTF-8, or an escape of half a character.
    case invalidText
    /// One key twice in one object.
    case duplicateKey
    /// JSON, and no operation: a key is missing, unknown, or of the wrong kind.
    case notAnOperation
    /// A name that cannot be that of a table or column, or an id that is empty or too long.
    case invalidName
    case unknownCollection
    case unknownField
    /// A value that does not fit the declared type of its field.
    case wrongType
    /// A definition that contradicts the one in the store.
    case contradiction
    /// Larger than an event may be.
    case tooLarge
  }

  package let code: Code
  package let message: String
  /// The first offending byte of the line, counted from 1; nil where the line as a whole is meant.
  package let column: Int?

  package init(_ code: Code, _ message: String, column: Int? = nil) {
    self.code = code
    self.message = message
    self.column = column
  }

  package var description: String {
    column.map { "\(message) (column \($0))" } ?? message
  }
}
