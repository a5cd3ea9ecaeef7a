import DaybookEventCore

/// The words that the Tab key completes in the shell of `evtool gql`.
struct GQLCompletion: Sendable {
  /// The words, functions and procedures of the language.
  var language: [String] = []
  /// The graph's labels and types of relationships.
  var names: [String] = []
  /// The graph's properties.
  var properties: [String] = []

  private static let commands = ["at", "explain", "help", "params", "quit"]

  /// Returns the words that begin as what is typed, in any case, sorted.
  ///
  /// Behind a colon these are labels and types, at the beginning of a line the shell's commands.
  /// Behind a dot, what follows it may be a property: `n.na` for the property `name`.
  /// - Parameters:
  ///   - text: the word that is typed.
  ///   - line: the line before it.
  func words(for text: String, behind line: String) -> [String] {
    let before = line.unicodeScalars.last { $0 != " " && $0 != "\t" }
    if before == ":" {
      let isCommand = line.unicodeScalars.allSatisfy { $0 == " " || $0 == "\t" || $0 == ":" }
      return Self.matches(of: text, among: isCommand ? Self.commands : names)
    }
    let found = Self.matches(of: text, among: language + names + properties)
    guard found.isEmpty, let dot = text.unicodeScalars.lastIndex(of: ".") else { return found }
    let start = text.unicodeScalars.index(after: dot)
    return Self.matches(of: String(text[start...]), among: properties).map { text[..<start] + $0 }
  }

  private static func matches(of text: String, among words: [String]) -> [String] {
    let wanted = text.lowercased()
    return Set(words).filter { $0.lowercased().begins(with: wanted) }.sorted()
  }
}
