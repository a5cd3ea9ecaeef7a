import DaybookEventCore
import GRDBSQLite

/// An error between the log and the read model.
public struct ProjectionError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Code: String, Sendable {
    /// SQLite refused; the message carries its words, and ``ProjectionError/sql`` the SQL.
    case sqlite
    /// A disk is full: the read model's, or that of SQLite's temporary files. Nothing is broken.
    case noSpace
    /// The read model's own records do not make sense. Rebuild it.
    case damagedReadModel
    /// An event that the log must have could not be read.
    case missingEvent
    /// Another version of Daybook, which is open as well, has made the read model again.
    case newerFormat
    /// There is no such collection, field or entity.
    case unknownName
    /// Several collections hold the id, and none was given: see ``ProjectionError/choices``.
    case ambiguousID
    /// The query cannot be understood.
    case invalidQuery
    /// The position selects nothing that this store knows.
    case unknownPosition
  }

  /// The kind of the error.
  public let code: Code
  /// What happened, in one sentence.
  public let message: String
  /// The SQL that failed, if there is any.
  public let sql: String?
  /// What to do next; nil if there is no advice.
  public let hint: String?
  /// SQLite's extended result code; nil if SQLite did not refuse.
  package var resultCode: Int32?
  /// The identity of the collection for which SQLite has refused to store rows or to make a table,
  /// or the name of one that there is not.
  package var collection: String?
  /// The entities that may be meant, for `ambiguousID`; empty otherwise.
  public let choices: [GraphVertex]

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, sql: String? = nil, hint: String? = nil,
    choices: [GraphVertex] = []
  ) {
    self.code = code
    self.message = message
    self.sql = sql
    self.hint = hint
    self.choices = choices
  }

  public var description: String { text(hintAfter: ". ") }

  /// Whether SQLite refused because of what it was given, and so would each time: too many columns,
  /// too long a row, a name that it does not take. A full disk or a damaged file is no refusal.
  var isRefusal: Bool {
    guard let result = resultCode.map({ $0 & 0xFF }) else { return false }
    // A constraint that fails on an internal table is damage.
    if result == SQLITE_CONSTRAINT { return code != .damagedReadModel }
    return [SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE].contains(result)
  }

  /// Returns the error; if it is a refusal, with the table's collection set.
  func about(_ table: CollectionTable) -> ProjectionError {
    guard isRefusal, table.isDeclared else { return self }
    var error = self
    error.collection = table.identity
    return error
  }

  static func damaged(_ what: String) -> ProjectionError {
    ProjectionError(
      .damagedReadModel, "the read model is damaged: \(what)",
      hint: "Run `evtool rebuild` to make it again from the log")
  }
}

extension ProjectionError: ExplainedError {
  package var place: String? { sql.map { "[\($0)]" } }
}
