/// An error of a query: what happened, where in its text, and what to do next.
public struct GQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of error it is.
  public enum Code: String, Hashable, Sendable {
    /// The text is no query, or one that cannot mean anything: found before anything runs.
    case syntax
    /// A feature of the language that this version does not have; nothing was run.
    case unsupported
    /// A value has a type that the operation does not take.
    case type
    /// A value has the right type, and the operation has no result for it.
    case argument
    /// A number has no room, or a division has no result.
    case arithmetic
    /// A parameter has no value.
    case missingParameter
    /// A node or relationship was deleted by the same statement.
    case deletedElement
    /// The statement would break a rule of the graph, such as a relationship without an end.
    case constraint
    /// There is no such schema, graph, procedure or index.
    case notFound
    /// The name is taken.
    case exists
    /// The statement writes, and the session only reads.
    case readOnly
    /// The statement has used up its rows, its memory or its time.
    case budget
    /// The task was cancelled.
    case cancelled
  }

  /// What kind of error it is.
  public var code: Code
  /// The kind in more detail, by the names that openCypher's tests use, such as
  /// `UndefinedVariable`.
  public var detail: String
  /// What happened.
  public var message: String
  /// Where in the query, if it is about a place.
  public var position: GQLPosition?
  /// What to do next.
  public var hint: String?

  init(
    _ code: Code, _ detail: String, _ message: String, at position: GQLPosition? = nil,
    hint: String? = nil
  ) {
    self.code = code
    self.detail = detail
    self.message = message
    self.position = position
    self.hint = hint
  }

  /// The message with its place and hint, in one line.
  public var description: String {
    let place = position.map { "line \($0.line), column \($0.column): " } ?? ""
    return place + message + (hint.map { ". \($0)" } ?? "")
  }

  /// Returns the lines to show to a person: the message, the query's line, and a mark below it.
  /// - Parameter query: the text of the query.
  public func explanation(in query: String) -> String {
    guard let position, let line = position.line(of: query) else { return description }
    let marked = String(repeating: " ", count: max(0, position.column - 1)) + "^"
    return line.utf8.count > 200 ? description : "\(description)\n  \(line)\n  \(marked)"
  }

  /// Returns the error at a place, if it has none.
  func at(_ place: GQLPosition) -> GQLError {
    guard position == nil else { return self }
    var copy = self
    copy.position = place
    return copy
  }
}

/// A place in the text of a query.
public struct GQLPosition: Hashable, Sendable {
  /// The line, from 1.
  public var line: Int
  /// The column in Unicode scalars, from 1.
  public var column: Int
  /// The number of bytes of UTF-8 before the place.
  public var offset: Int

  /// Returns the place in a text whose statement begins at `start`.
  package func moved(to start: GQLPosition) -> GQLPosition {
    GQLPosition(
      line: start.line + line - 1, column: line == 1 ? start.column + column - 1 : column,
      offset: start.offset + offset)
  }

  /// Returns the line of a query that holds the place; nil if there is none.
  func line(of query: String) -> Substring? {
    var number = 1
    var rest = query[...]
    while number < line {
      guard let end = rest.unicodeScalars.firstIndex(of: "\n") else { return nil }
      rest = rest[query.unicodeScalars.index(after: end)...]
      number += 1
    }
    return rest.unicodeScalars.firstIndex(of: "\n").map { rest[..<$0] } ?? rest
  }
}

/// A place that takes no part in comparisons: two expressions are the same wherever they stand.
struct Place: Equatable, Sendable {
  var position: GQLPosition

  init(_ position: GQLPosition) { self.position = position }

  static func == (a: Place, b: Place) -> Bool { true }
}
