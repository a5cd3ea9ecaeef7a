import DaybookEventCore
public import Foundation

/// An error of the notes library itself: what happened, and what to do next.
///
/// What a store throws is thrown as it is, a `StoreError`.
public struct NotesError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: String, Sendable {
    /// The notebook syncs with a shared folder already.
    case alreadyShared
    /// A notebook of that name is on the shelf already.
    case alreadyOpen
    /// There is no notebook of that name on the shelf.
    case noSuchNotebook
    /// A folder would be moved beside one that is elsewhere.
    case notASibling
    /// A tag is empty, or has a line break in it.
    case invalidTag
    /// A folder of files cannot be read or written.
    case unusableFolder
    /// There is no room for a file.
    case noSpace
    /// What is imported is not what the importer says.
    case invalidImport
  }

  /// The kind of the error.
  public var code: Code
  /// What happened, as a part of a sentence.
  public var message: String
  /// What to do next; nil if there is no advice.
  public var hint: String?

  /// Makes an error, for example in an importer.
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: what happened, as a part of a sentence.
  ///   - hint: what to do next; nil if there is no advice.
  public init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message and, if there is one, the hint.
  public var description: String { text(hintAfter: ". ") }

  /// What happened.
  public var errorDescription: String? { message }

  /// What to do next; nil if there is no advice.
  public var recoverySuggestion: String? { hint }
}

extension NotesError: ExplainedError {}
