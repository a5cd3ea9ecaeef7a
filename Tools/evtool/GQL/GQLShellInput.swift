import DaybookEventCore
import DaybookGQL

/// What the lines of `evtool gql` on a terminal mean.
///
/// A statement ends with a semicolon, and may go over several lines. A line that begins with a
/// colon is a command of the shell.
struct GQLShellInput {
  enum Entry: Equatable {
    case statement(String)
    /// `:explain STATEMENT`: the plan of a statement.
    case explain(String)
    /// `:params`: all parameters.
    case parameters
    /// `:params NAME VALUE`: gives a parameter a value.
    case parameter(String, GQLValue)
    /// `:params NAME`: takes a parameter away.
    case noParameter(String)
    /// `:at POSITION`: reads the past; nil for the present.
    case moment(String?)
    case help
    case quit
  }

  /// What has been typed of a statement so far.
  private(set) var typed = ""

  /// Whether the next line goes on with a statement.
  var isWithinStatement: Bool { !typed.isEmpty }

  /// Forgets what has been typed of a statement.
  mutating func forget() { typed = "" }

  /// Takes a line.
  /// - Returns: what it completes, in order.
  /// - Throws: ``Failure`` for a command that is none.
  mutating func take(_ line: String) throws(Failure) -> [Entry] {
    let words = line.withoutIndent
    if typed.isEmpty {
      if words.isEmpty { return [] }
      if words.begins(with: ":") { return [try Self.command(String(words.dropFirst()))] }
    }
    typed += line + "\n"
    guard let parts = try? GQLScript.parts(typed) else {
      // A text or a comment may go on in the next line, unless the statement says that it ends.
      guard line.words.last.map({ String($0).ends(with: ";") }) ?? false else { return [] }
      defer { typed = "" }
      return [.statement(typed)]
    }
    typed = parts.rest.text
    return parts.statements.map { .statement($0.text) }
  }

  private static func command(_ line: String) throws(Failure) -> Entry {
    let (name, rest) = Self.first(line)
    switch name.lowercased() {
    case "help", "?": return .help
    case "quit", "exit", "q": return .quit
    case "explain":
      guard !rest.isEmpty else { throw Failure(.usage, "there is no statement to explain") }
      return .explain(rest)
    case "at": return .moment(rest.isEmpty || rest.isSame(as: "now") ? nil : rest)
    case "params", "param":
      let (name, value) = Self.first(rest)
      if name.isEmpty { return .parameters }
      return value.isEmpty ? .noParameter(name) : .parameter(name, try GQLParameter.value(value))
    default:
      throw Failure(.usage, "there is no command “:\(name)”", hint: "Type :help for a list")
    }
  }

  /// Returns the first word of a text, and what follows it.
  private static func first(_ text: String) -> (word: String, rest: String) {
    guard let word = text.words.first else { return ("", "") }
    return (String(word), String(text[word.endIndex...].withoutIndent))
  }
}
