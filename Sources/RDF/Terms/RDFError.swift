import DaybookEventCore

/// An error in RDF: in a file, in a name, or in what a format can say.
///
/// It says what is wrong and, in a file, where.
public struct RDFError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Code: String, Hashable, Sendable {
    /// The text does not follow the format's grammar.
    case syntax
    /// The text ends within a statement, a string or a graph.
    case unexpectedEnd
    /// A prefix is used that was not declared.
    case undeclaredPrefix
    /// An IRI is not valid (RFC 3987), or is relative where there is no base.
    case badIRI
    /// A language tag is not well-formed (RFC 5646).
    case badLanguageTag
    /// A backslash is followed by something that it does not go with, or by no character.
    case badEscape
    /// The bytes are not UTF-8.
    case badUTF8
    /// A literal has a datatype that it cannot have.
    case badLiteral
    /// A name or a literal is longer than an event of a store may be, or a file nests too deep.
    case tooLarge
    /// The format has no graphs, and the statement is in one.
    case noGraphs
    /// The file, or what the statements are written to, failed.
    case inputOutput
  }

  /// The kind of error.
  public let code: Code
  /// What is wrong, as a sentence without a full stop.
  public let message: String
  /// The line, counted from 1; nil if the error is not about a file.
  public let line: Int?
  /// The character of the line, counted from 1; nil if the error is not about a file.
  public let column: Int?
  /// What to do; nil if the message says it.
  public let hint: String?

  init(_ code: Code, _ message: String, at place: TextPlace? = nil, hint: String? = nil) {
    self.code = code
    self.message = message
    line = place?.line
    column = place?.column
    self.hint = hint
  }

  /// The message with the place and the hint.
  public var description: String { text(hintAfter: ". ") }
}

extension RDFError: ExplainedError {
  package var place: String? {
    guard let line, let column else { return nil }
    return "(line \(line), column \(column))"
  }
}

/// A place in a text: line and column, each counted from 1. A column is a Unicode scalar.
struct TextPlace: Hashable, Sendable {
  var line = 1
  var column = 1
}
