import ArgumentParser
import EventCore
import Projections

/// The words after the command's name, before and after ArgumentParser has had them.
enum Arguments {
  /// As they were given.
  /// - Throws: ``Failure`` for one that is not UTF-8: nothing may be stored that was not meant.
  static func ofProcess() throws(Failure) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let start = CommandLine.unsafeArgv[index] else { break }
      guard let word = String(validatingCString: start) else {
        throw Failure(
          .usage, "argument \(index) is not UTF-8", hint: "Type it in a terminal that uses UTF-8")
      }
      words.append(contentsOf: separated(word))
    }
    return words
  }

  /// `--label=VALUE` as two words where VALUE begins with a mark that combines with the equals sign:
  /// ArgumentParser goes by characters, and sees none there.
  private static func separated(_ word: String) -> [String] {
    guard word.begins(with: "--"), !word.contains("=" as Character),
      let equals = word.unicodeScalars.firstIndex(of: "=")
    else { return [word] }
    let value = word.unicodeScalars.index(after: equals)
    return [String(word[..<equals]), String(word[value...])]
  }

  // MARK: - Parsing

  /// The command that the words ask for.
  /// - Throws: what ArgumentParser throws, help and the version among it.
  static func command(_ words: [String]) throws -> sending any ParsableCommand {
    // Alone, a command is parsed in half the time that it takes with all the others around it. Whatever
    // that does not understand is for the whole to explain.
    var rest = words[...]
    var type: any ParsableCommand.Type = Evtool.self
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
    return try Evtool.parseAsRoot(words)
  }

  // MARK: - What was meant

  /// What to say where a word stands in a command's place and is none; nil where that is not so.
  static func mistypedCommand(_ words: [String]) -> Failure? {
    var words = words[...]
    var names: [String] = []
    var command: any ParsableCommand.Type = Evtool.self
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
    // Without a name of its own a command may be another's default, and the word its argument.
    if command.configuration.defaultSubcommand != nil, nearest == nil { return nil }
    let question = nearest.map { "Did you mean `evtool \(path)\($0)`? " } ?? ""
    return Failure(
      .usage, "there is no command \("\(path)\(word)".quotedForMessage)",
      hint: "\(question)`evtool help\(names.isEmpty ? "" : " \(names.joined(separator: " "))")` "
        + "lists them")
  }

  /// ArgumentParser's quotation marks as ours: backquotes where a command is named, else curly ones.
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
