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
    /// A query that cannot be understood.
    case invalidQuery
    /// A position that selects nothing that this store knows.
    case unknownPosition
  }

  public let code: Code
  public let message: String
  public let sql: String?
  public let hint: String?

  public init(_ code: Code, _ message: String, sql: String? = nil, hint: String? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
    self.hint = hint
  }

  public var description: String {
    var text = message
    if let sql { text += " [\(sql)]" }
    if let hint { text += ". \(hint)" }
    return text
  }

  static func damaged(_ what: String) -> ProjectionError {
    ProjectionError(
      .damagedReadModel, "the read model is damaged: \(what)",
      hint: "Run `evtool rebuild` to make it again from the log")
  }
}
