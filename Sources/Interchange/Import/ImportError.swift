import DaybookEngine
import DaybookEventCore
import DaybookLogEngine
import DaybookProjections

/// An import that failed: what happened, at which place of the file, and what to do next.
public struct ImportError: Error, Sendable, CustomStringConvertible {
  /// The kind of an import's error.
  public enum Code: String, Sendable {
    /// The file cannot be read, or no temporary copy of it can be made.
    case unreadable
    /// The file, or an option, is not what an import can work with.
    case unusable
    /// A line of the file is not what its format has.
    case malformed
    /// The table has no name that a collection could have.
    case nameless
    /// The store has the content of the file already, or a part of it.
    case importedBefore
    /// The store refuses what a line says, or fails.
    case refused
    /// The task was cancelled before the end of the file.
    case stopped
  }

  /// What an option could put right.
  package enum Remedy: Sendable {
    case collection
    case delimiter(Unicode.Scalar)
    case again(isTable: Bool)
  }

  /// The kind of the error.
  public let code: Code
  /// The place in the file, such as `books.csv:7`; nil if the error is about the whole file.
  public internal(set) var place: String?
  /// What happened, as a sentence without a full stop.
  public internal(set) var message: String
  /// What to do next; nil if there is no advice.
  public internal(set) var hint: String?
  /// The last line of the file, row of its tables or element of its array that is in the store; 0
  /// if none is.
  public internal(set) var lastLine = 0
  package var remedy: Remedy?
  /// The name of the file.
  package var file = ""
  /// The name of what ``lastLine`` counts.
  package var unit = "line"
  /// Whether the error is at a row of a database.
  package var isAtRow = false
  /// The error of the store or of another part of the package.
  package var underlying: (any Error)?

  init(_ code: Code, _ message: String, hint: String? = nil, remedy: Remedy? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.remedy = remedy
  }

  /// Makes the error of an import from that of a part of the package.
  init(_ error: any Error) {
    if let error = error as? ImportError {
      self = error
      return
    }
    let explained = error as? any ExplainedError
    let isLine = error is InterchangeError
    self.init(
      isLine ? .malformed : .refused, explained?.explanation ?? "\(error)", hint: explained?.hint)
    underlying = isLine ? nil : error
  }

  /// The place, the message and the hint.
  public var description: String {
    (place.map { "\($0): " } ?? "") + message + (hint.map { "; \($0)" } ?? "")
  }
}
