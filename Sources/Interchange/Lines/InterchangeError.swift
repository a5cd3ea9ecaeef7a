import DaybookEventCore
package import DaybookJSON

/// An error in a line of interchange. Its message says in one sentence what is wrong, why, and what
/// to do.
package struct InterchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The bytes are not JSON (RFC 8259).
    case malformedJSON
    /// Arrays and objects are nested deeper than `JSONParser.depthMax`.
    case nestedTooDeep
    /// A number does not fit into a 64-bit integer or a finite real.
    case numberOutOfRange
    /// The text holds bytes that are not UTF-8, or an unpaired surrogate escape.
    case invalidText
    /// An object has the same key twice.
    case duplicateKey
    /// The line is JSON but not an operation: a key is missing, unknown, or of the wrong kind.
    case notAnOperation
    /// A name cannot be used for a table or a column, or an id is empty or too long.
    case invalidName
    case unknownCollection
    case unknownField
    /// A value does not fit the declared type of its field.
    case wrongType
    /// A definition contradicts the one in the store.
    case contradiction
    /// The line is larger than an event may be.
    case tooLarge
  }

  package let code: Code
  package let message: String
  /// The first offending byte of the line, counted from 1; nil if the error is about the whole
  /// line.
  package let column: Int?

  package init(_ code: Code, _ message: String, column: Int? = nil) {
    self.code = code
    self.message = message
    self.column = column
  }

  /// Returns the error of a line that is not valid JSON.
  package init(_ error: JSONError) {
    let code: Code =
      switch error.code {
      case .malformedJSON: .malformedJSON
      case .nestedTooDeep: .nestedTooDeep
      case .numberOutOfRange: .numberOutOfRange
      case .invalidText: .invalidText
      case .duplicateKey: .duplicateKey
      }
    self.init(code, error.message, column: error.column)
  }

  package var description: String { explanation }
}

extension InterchangeError: ExplainedError {
  package var place: String? { column.map { "(column \($0))" } }
}
