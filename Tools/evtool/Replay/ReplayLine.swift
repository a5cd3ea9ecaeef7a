import Daybook
import DaybookEventCore
import DaybookProjections

/// A parsed line of `evtool replay`.
enum ReplayLine: Equatable {
  case nothing
  case help
  case quit
  /// Shows the current position.
  case place
  /// Moves to a position, given as on the command line.
  case move(String)
  /// Moves by a number of events, back if it is negative.
  case step(Int)
  /// A command of evtool: its words, and the index at which the store belongs.
  case command([String], storeAt: Int)

  /// The commands that read a store.
  static let commands = [
    "show", "history", "search", "query", "graph", "log", "diff", "digest", "export",
  ]
  private static let sqlWords = ["select", "with", "values", "explain"]
  /// The options of `search` that take a value.
  private static let searchOptions = ["--collection", "--limit"]

  init(_ line: String) throws(Failure) {
    let text = line.withoutIndent
    guard let first = text.words.first, !first.begins(with: "#") else {
      self = .nothing
      return
    }
    let word = Names.folded(String(first))
    let rest = text[first.endIndex...].withoutIndent
    if Self.sqlWords.contains(where: { word == $0 || word.begins(with: "\($0)(") }) {
      self = .command(["query", "--", String(text)], storeAt: 1)
      return
    }
    switch word {
    case "help", "?": self = .help
    case "quit", "exit": self = .quit
    case "where": self = .place
    case "at", "goto":
      let position = try Self.words(rest).joined(separator: " ")
      guard !position.isEmpty else { throw Failure(.usage, "at: which position?") }
      // A version vector contains quotes, which must stay.
      self = .move(rest.begins(with: "{") ? String(rest) : position)
    case "next": self = .step(try Self.count(rest, "next"))
    case "back": self = .step(-(try Self.count(rest, "back")))
    case "step": self = .step(try Self.count(rest, "step", isSigned: true))
    case "query": self = try Self.query(rest)
    case "search": self = try Self.search(rest)
    case "graph": self = .command(["graph"] + (try Self.words(rest)), storeAt: 2)
    case _ where Self.commands.contains(word):
      self = .command([word] + (try Self.words(rest)), storeAt: 1)
    default:
      throw Failure(
        .usage, "\(String(first).quotedForMessage) is none of the commands here",
        hint: "“help” lists them")
    }
  }

  private static func count(_ text: Substring, _ word: String, isSigned: Bool = false)
    throws(Failure) -> Int
  {
    let trimmed = text.words.joined()
    if trimmed.isEmpty { return 1 }
    guard let count = Int(trimmed), isSigned || count > 0, count > -Int.max else {
      throw Failure(.usage, "\(word): \(trimmed.quotedForMessage) is no number of events")
    }
    return count
  }

  /// Parses a query, whose SQL needs no quotes.
  private static func query(_ rest: Substring) throws(Failure) -> ReplayLine {
    var rest = rest
    var flags: [String] = []
    while let flag = ["--json", "--csv"].first(where: { rest.begins(with: "\($0) ") }) {
      flags.append(flag)
      rest = (rest.rest(after: flag) ?? "").withoutIndent
    }
    if rest.begins(with: "'") || rest.begins(with: "\"") {
      let words = try words(rest)
      if words.count == 1 { return .command(["query"] + flags + ["--", words[0]], storeAt: 1) }
    }
    return .command(["query"] + flags + ["--", String(rest)], storeAt: 1)
  }

  /// Parses a search, whose words need no quotes.
  private static func search(_ rest: Substring) throws(Failure) -> ReplayLine {
    var options: [String] = []
    var looked: [String] = []
    var words = try words(rest)[...]
    while let word = words.popFirst() {
      if searchOptions.contains(word), let value = words.popFirst() {
        options += [word, value]
      } else if word.begins(with: "--") {
        options.append(word)
      } else {
        looked.append(word)
      }
    }
    return .command(["search"] + options + ["--", looked.joined(separator: " ")], storeAt: 1)
  }

  /// Splits a text into words as a shell does: with quotes of both kinds, and a backslash before
  /// any scalar outside single quotes.
  static func words(_ text: some StringProtocol) throws(Failure) -> [String] {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        word = word ?? .init()
        word?.append(scalar)
        isEscaped = false
      } else if scalar == "\\", quote != "'" {
        isEscaped = true
      } else if scalar == quote {
        quote = nil
      } else if quote == nil, scalar == "'" || scalar == "\"" {
        quote = scalar
        word = word ?? .init()
      } else if quote == nil, scalar.properties.isWhitespace {
        if let whole = word { words.append(String(whole)) }
        word = nil
      } else {
        word = word ?? .init()
        word?.append(scalar)
      }
    }
    guard quote == nil, !isEscaped else {
      throw Failure(.usage, "the line ends within quotes", hint: "Close them on the same line")
    }
    if let whole = word { words.append(String(whole)) }
    return words
  }
}
