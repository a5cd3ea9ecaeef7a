import DaybookEventCore

/// An error in a JSON text. Its message says in one sentence what is wrong.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The bytes are not JSON (RFC 8259).
    case malformedJSON
    /// Arrays and objects are nested deeper than ``JSONParser/depthMax``.
    case nestedTooDeep
    /// A number does not fit into a 64-bit integer or a finite real, or would become 0.
    case numberOutOfRange
    /// The text holds bytes that are not UTF-8, or an unpaired surrogate escape.
    case invalidText
    /// An object has the same key twice.
    case duplicateKey
  }

  package let code: Code
  package let message: String
  /// The first offending byte of the text, counted from 1.
  package let column: Int?

  package init(_ code: Code, _ message: String, column: Int? = nil) {
    self.code = code
    self.message = message
    self.column = column
  }

  package var description: String { explanation }
}

extension JSONError: ExplainedError {
  package var place: String? { column.map { "(column \($0))" } }
}
