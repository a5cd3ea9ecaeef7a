/// What a person types into a search field, made into an FTS5 expression that cannot fail.
///
/// Words must all occur; `"a phrase"` occurs as it stands; `swif*` stands for every word that begins
/// so; `-word` must not occur; `a OR b` is either; `title:word` looks in one field only.
public struct SearchQuery: Sendable {
  /// In the language of FTS5 (sqlite.org/fts5.html, section 3).
  public let expression: String

  /// - Parameter fields: the searchable fields, which a `field:` may name.
  /// - Throws: ``ProjectionError/Code/invalidQuery`` where nothing is asked for, or only what must
  ///   not occur.
  public init(_ text: String, fields: [String]) throws(ProjectionError) {
    var groups: [[Term]] = []
    var excluded: [Term] = []
    var joinsNext = false
    var scanner = Scanner(text)
    while let token = scanner.next() {
      if token.isBare, token.text == "OR" {
        joinsNext = !groups.isEmpty
        continue
      }
      let term = Term(token, fields: fields)
      guard term.hasWord else { continue }
      if term.isExcluded {
        excluded.append(term)
      } else if joinsNext {
        groups[groups.count - 1].append(term)
      } else {
        groups.append([term])
      }
      joinsNext = false
    }
    guard !groups.isEmpty else {
      throw ProjectionError(
        .invalidQuery, "the search “\(text)” asks for no word",
        hint: "Give at least one word that has to occur")
    }
    let all = groups.map { group in
      let terms = group.map(\.expression)
      return terms.count == 1 ? terms[0] : "(\(terms.joined(separator: " OR ")))"
    }
    var expression = all.joined(separator: " AND ")
    if !excluded.isEmpty {
      expression = "(\(expression)) NOT (\(excluded.map(\.expression).joined(separator: " OR ")))"
    }
    self.expression = expression
  }

  private struct Token {
    var text: String
    /// Neither quoted nor decorated.
    var isBare: Bool
    var isExcluded = false
    var isPrefix = false
    var field: String?
  }

  private struct Term {
    private let token: Token
    private let field: String?

    init(_ token: Token, fields: [String]) {
      var token = token
      field = token.field.flatMap { fields.contains($0) ? $0 : nil }
      // Something like 12:30, or a field that is not searched: the colon was part of the text.
      if let unknown = token.field, field == nil { token.text = "\(unknown) \(token.text)" }
      self.token = token
    }

    var isExcluded: Bool { token.isExcluded }

    var hasWord: Bool {
      token.text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.value >= 0x80 }
        || token.text.utf8.contains { (0x30...0x39).contains($0) }
    }

    var expression: String {
      // By code points: FTS5 does not see a quote and an accent upon it as one character.
      var quoted = String.UnicodeScalarView("\"".unicodeScalars)
      for scalar in token.text.unicodeScalars {
        quoted.append(scalar)
        if scalar == "\"" { quoted.append(scalar) }
      }
      quoted.append("\"")
      let column = field.map { "\"\($0)\" : " } ?? ""
      return "\(column)\(String(quoted))\(token.isPrefix ? " *" : "")"
    }
  }

  private struct Scanner {
    private var rest: Substring

    init(_ text: String) {
      // FTS5 takes a NUL for the end.
      var scalars = String.UnicodeScalarView()
      for scalar in text.unicodeScalars { scalars.append(scalar == "\0" ? " " : scalar) }
      rest = String(scalars)[...]
    }

    mutating func next() -> Token? {
      rest = rest.drop(while: \.isWhitespace)
      guard !rest.isEmpty else { return nil }
      var token = Token(text: "", isBare: true)
      if rest.first == "-", rest.count > 1 {
        token.isExcluded = true
        token.isBare = false
        rest.removeFirst()
      }
      if let colon = rest.firstIndex(of: ":"), colon > rest.startIndex,
        rest[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
        rest.index(after: colon) < rest.endIndex, !rest[rest.index(after: colon)].isWhitespace
      {
        token.field = String(rest[..<colon])
        token.isBare = false
        rest = rest[rest.index(after: colon)...]
      }
      if rest.first == "\"" {
        token.isBare = false
        rest.removeFirst()
        let end = rest.firstIndex(of: "\"") ?? rest.endIndex
        token.text = String(rest[..<end])
        rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
      } else {
        let end = rest.firstIndex { $0.isWhitespace || $0 == "\"" } ?? rest.endIndex
        token.text = String(rest[..<end])
        rest = rest[end...]
      }
      if token.text.last == "*" {
        token.text.removeLast()
        token.isPrefix = true
      } else if rest.first == "*" {
        rest.removeFirst()
        token.isPrefix = true
      }
      return token
    }
  }
}
