import GRDBSQLite

/// What went wrong between the log and the read model.
public struct ProjectionError: Error, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// SQLite refused; the message carries its words and the SQL.
    case sqlite
    /// A disk is full: the read model's, or that of SQLite's temporary files. Nothing is broken.
    case noSpace
    /// The read model's own records do not make sense: rebuild it.
    case damagedReadModel
    /// An event that the log must have could not be read.
    case missingEvent
    /// The read model was made by a newer version.
    case newerFormat
    /// No such collection, field or entity.
    case unknownName
    /// An id alone, which several collections hold: see ``ProjectionError/choices``.
    case ambiguousID
    /// A query that cannot be understood.
    case invalidQuery
    /// A position that selects nothing that this store knows.
    case unknownPosition
  }

  public let code: Code
  public let message: String
  public let sql: String?
  public let hint: String?
  /// SQLite's extended result code, if SQLite has refused.
  package var resultCode: Int32?
  /// By its identity, the collection for which SQLite has refused to hold what is written to it.
  package var collection: String?
  /// With `ambiguousID`: the entities that may be meant. Empty otherwise.
  public let choices: [GraphVertex]

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

  public var description: String {
    var text = message
    if let sql { text += " [\(sql)]" }
    if let hint { text += ". \(hint)" }
    return text
  }

  /// Whether SQLite refuses because of what it was given, and so would each time: too many columns, too long
  /// a row, a name that it does not take. A full disk or a damaged file is no refusal.
  var isRefusal: Bool {
    guard let result = resultCode.map({ $0 & 0xFF }) else { return false }
    // That of an internal table is damage.
    if result == SQLITE_CONSTRAINT { return code != .damagedReadModel }
    return [SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE].contains(result)
  }

  /// The same error; if it is a refusal, one about a collection.
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
