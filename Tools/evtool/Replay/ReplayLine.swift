import Daybook

/// A line of `evtool replay`, understood.
enum ReplayLine: Equatable {
  case nothing
  case help
  case quit
  /// Says where it is.
  case place
  /// Moves to a position, as the command line writes it.
  case move(String)
  /// Moves by so many events; back where negative.
  case step(Int)
  /// A command of evtool: its words, and where among them the store belongs.
  case command([String], storeAt: Int)

  /// Commands that look at a store, and whether they take the rest of the line as it is.
  static let commands = [
    "show", "history", "search", "query", "graph", "log", "diff", "digest", "export",
  ]
  private static let sqlWords = ["select", "with", "values", "explain"]
  /// The options of `search` that take a value.
  private static let searchOptions = ["--collection", "--limit"]

  init(_ line: String) throws(Failure) {
    let text = line.drop(while: \.isWhitespace)
    guard let first = text.split(maxSplits: 1, whereSeparator: \.isWhitespace).first,
      !first.hasPrefix("#")
    else {
      self = .nothing
      return
    }
    let word = first.lowercased()
    let rest = text.dropFirst(first.count).drop(while: \.isWhitespace)
    if Self.sqlWords.contains(where: { word == $0 || word.hasPrefix("\($0)(") }) {
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
      // A version vector has quotes of its own.
      self = .move(rest.hasPrefix("{") ? String(rest) : position)
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
    let trimmed = text.filter { !$0.isWhitespace }
    if trimmed.isEmpty { return 1 }
    guard let count = Int(trimmed), isSigned || count > 0, count > -Int.max else {
      throw Failure(.usage, "\(word): \(trimmed.quotedForMessage) is no number of events")
    }
    return count
  }

  /// SQL needs no quotes around it.
  private static func query(_ rest: Substring) throws(Failure) -> ReplayLine {
    var rest = rest
    var flags: [String] = []
    while let flag = ["--json", "--csv"].first(where: { rest.hasPrefix("\($0) ") }) {
      flags.append(flag)
      rest = rest.dropFirst(flag.count).drop(while: \.isWhitespace)
    }
    if rest.first == "'" || rest.first == "\"" {
      let words = try words(rest)
      if words.count == 1 { return .command(["query"] + flags + ["--", words[0]], storeAt: 1) }
    }
    return .command(["query"] + flags + ["--", String(rest)], storeAt: 1)
  }

  /// Neither do words to look for.
  private static func search(_ rest: Substring) throws(Failure) -> ReplayLine {
    var options: [String] = []
    var looked: [String] = []
    var words = try words(rest)[...]
    while let word = words.popFirst() {
      if searchOptions.contains(word), let value = words.popFirst() {
        options += [word, value]
      } else if word.hasPrefix("--") {
        options.append(word)
      } else {
        looked.append(word)
      }
    }
    return .command(["search"] + options + ["--", looked.joined(separator: " ")], storeAt: 1)
  }

  /// Words as a shell splits them: quotes of both kinds, and a backslash before any character outside
  /// single quotes.
  static func words(_ text: some StringProtocol) throws(Failure) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let whole = word { words.append(whole) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil, !isEscaped else {
      throw Failure(.usage, "the line ends within quotes", hint: "Close them on the same line")
    }
    if let whole = word { words.append(whole) }
    return words
  }
}
