import ArgumentParser
import DaybookCSystemCalls
import DaybookEventCore
import DaybookProjections

/// The words after the command's name, and their way through ArgumentParser.
enum Arguments {
  /// Returns the process's arguments.
  /// - Throws: ``Failure`` for an argument that is not UTF-8, so that no unintended text is stored.
  static func ofProcess() throws(Failure) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, count) {
      guard let start = argument(index) else { break }
      guard let word = String(validatingCString: start) else {
        throw Failure(
          .usage, "argument \(index) is not UTF-8", hint: "Type it in a terminal that uses UTF-8")
      }
      // After `--`, all words are arguments as they stand.
      words.append(contentsOf: words.contains("--") ? [word] : separated(word))
    }
    return words
  }

  /// The number of arguments, with the program's name.
  private static var count: Int {
    let count = Int(daybook_argument_count())
    return count < 0 ? Int(CommandLine.argc) : count
  }

  private static func argument(_ index: Int) -> UnsafePointer<CChar>? {
    guard daybook_argument_count() < 0 else { return daybook_argument(Int32(clamping: index)) }
    return CommandLine.unsafeArgv[index].map { UnsafePointer($0) }
  }

  /// Splits `--label=VALUE` into two words if VALUE begins with a mark that combines with the
  /// equals sign. ArgumentParser compares characters, and would not find the equals sign.
  private static func separated(_ word: String) -> [String] {
    guard word.begins(with: "--"), !word.contains("=" as Character),
      let equals = word.unicodeScalars.firstIndex(of: "=")
    else { return [word] }
    let value = word.unicodeScalars.index(after: equals)
    return [String(word[..<equals]), String(word[value...])]
  }

  // MARK: - Parsing

  /// Returns the command that the words ask for.
  /// - Throws: Any error of ArgumentParser, including requests for help and the version.
  static func command(_ words: [String]) throws -> sending any ParsableCommand {
    // Parsing a command alone takes half the time of parsing it among all others. If that fails,
    // the complete parser explains why.
    var rest = words[...]
    var type: any ParsableCommand.Type = EvtoolCommand.self
    while let word = rest.first,
      let next = type.configuration.subcommands.first(where: { $0._commandName.isSame(as: word) })
    {
      type = next
      rest.removeFirst()
    }
    if rest.count < words.count, type.configuration.subcommands.isEmpty,
      let command = try? type.parseAsRoot(Array(rest)), Swift.type(of: command) == type
    {
      return command
    }
    return try EvtoolCommand.parseAsRoot(words)
  }

  // MARK: - Mistyped commands

  /// Returns the failure for a word that should be a command's name; nil if the words name a
  /// command.
  static func mistypedCommand(_ words: [String]) -> Failure? {
    var words = words[...]
    var names: [String] = []
    var command: any ParsableCommand.Type = EvtoolCommand.self
    if words.first?.isSame(as: "help") == true { words.removeFirst() }
    while let word = words.popFirst(), !word.begins(with: "-") {
      let known = command.configuration.subcommands
      guard !known.isEmpty else { return nil }
      if let next = known.first(where: { $0._commandName.isSame(as: word) }) {
        command = next
        names.append(word)
        continue
      }
      return failure(word, names, command)
    }
    return nil
  }

  private static func failure(
    _ word: String, _ names: [String], _ command: any ParsableCommand.Type
  ) -> Failure? {
    let known = command.configuration.subcommands.map { $0._commandName }
    let nearest = NameSuggestion.nearest(to: word, among: known)
    let path = names.map { "\($0) " }.joined()
    // The word may be an argument of a default subcommand.
    if command.configuration.defaultSubcommand != nil, nearest == nil { return nil }
    let question = nearest.map { "Did you mean `evtool \(path)\($0)`? " } ?? ""
    return Failure(
      .usage, "there is no command \("\(path)\(word)".quotedForMessage)",
      hint: "\(question)`evtool help\(names.isEmpty ? "" : " \(names.joined(separator: " "))")` "
        + "lists them")
  }

  /// Replaces ArgumentParser's quotation marks: backquotes around commands, curly quotes otherwise.
  static func inOurQuotes(_ message: String) -> String {
    let scalars = Array(message.unicodeScalars)
    var out = String.UnicodeScalarView()
    var isOpen = false
    var isCommand = false
    for (index, scalar) in scalars.enumerated() {
      let before = index > 0 ? scalars[index - 1] : " "
      let after = index + 1 < scalars.count ? scalars[index + 1] : " "
      let begins = !isOpen && (before == " " || before == "(" || before == "\n")
      let ends =
        isOpen && (after == " " || after == "\n" || ".,:;?!)".unicodeScalars.contains(after))
      if scalar == "'", begins {
        isCommand = scalars[(index + 1)...].starts(with: "evtool ".unicodeScalars)
        out.append(isCommand ? "`" : "“")
        isOpen = true
      } else if scalar == "'", ends {
        out.append(isCommand ? "`" : "”")
        isOpen = false
      } else {
        out.append(scalar)
      }
    }
    return isOpen ? message : String(out)
  }
}
