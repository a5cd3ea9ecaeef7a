import DaybookEventCore

/// A user's search text, translated to an FTS5 expression without syntax errors.
///
/// - Words must all occur, and `"a phrase"` as it stands. A quote that is not closed ends with the
///   text.
/// - `swif*` matches every word with that beginning.
/// - `-word` must not occur.
/// - `a OR b` matches either.
/// - `title:word` searches one field only.
///
/// With ``SearchMatch/any``, one of the required terms is enough. In scripts without spaces, where
/// a whole question is one word, that word is then split into pairs of characters.
package struct SearchQuery: Sendable {
  /// The expression in the language of FTS5 (sqlite.org/fts5.html, section 3).
  package let expression: String
  /// Whether the query has several terms; with one only, all of them are any of them.
  package let hasChoice: Bool

  /// Translates a search text.
  /// - Parameters:
  ///   - text: the text as the user typed it.
  ///   - fields: the searchable fields in the order of their columns, which `field:` may name.
  ///   - match: whether all terms must occur, or any of them.
  ///   - takesBeginnings: whether each bare word may be the beginning of a longer one.
  /// - Throws: ``ProjectionError/Code/invalidQuery`` if the text has no word that must occur.
  package init(
    _ text: String, fields: [String], match: SearchMatch = .all, takesBeginnings: Bool = false
  ) throws(ProjectionError) {
    var groups: [[Term]] = []
    var excluded: [Term] = []
    var joinsNext = false
    var hasPieces = false
    var scanner = Scanner(text)
    while var token = scanner.next() {
      if takesBeginnings, token.isBare { token.isPrefix = true }
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
      } else if token.isBare, case let pieces = Self.pieces(token.text), pieces.count > 1 {
        hasPieces = true
        if match == .all {
          groups.append([term])
        } else {
          groups += pieces.map { piece in
            var part = token
            part.text = piece
            return [Term(part, fields: fields)]
          }
        }
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
    hasChoice = groups.count > 1 || hasPieces
    let all = groups.map { group in
      let terms = group.map(\.expression)
      return terms.count == 1 ? terms[0] : "(\(terms.joined(separator: " OR ")))"
    }
    var expression = all.joined(separator: match == .all ? " AND " : " OR ")
    if !excluded.isEmpty {
      expression = "(\(expression)) NOT (\(excluded.map(\.expression).joined(separator: " OR ")))"
    }
    self.expression = expression
  }

  /// Whether a search text has a word that must occur.
  package static func asksForAWord(_ text: String) -> Bool {
    (try? SearchQuery(text, fields: [])) != nil
  }

  /// Returns what the writer of a search text may have meant otherwise than it is taken, one
  /// sentence each.
  /// - Parameters:
  ///   - text: the text as the user typed it.
  ///   - fields: the names that `field:` may name.
  package static func advice(on text: String, fields: [String]) -> [String] {
    var advice: [String] = []
    var scanner = Scanner(text)
    while let token = scanner.next() {
      var sentence: String?
      if token.isBare, token.text == "NOT" {
        sentence = "“NOT” is searched as a word: write -word for what must not occur"
      } else if token.isBare, token.text == "AND" {
        sentence = "“AND” is searched as a word: all words have to occur anyway"
      } else if let field = token.field, !fields.contains(field), !token.text.begins(with: "/"),
        field.utf8.first.map({ !(0x30...0x39).contains($0) }) == true
      {
        let hint = NameSuggestion.hint(
          for: field, among: fields, none: "No field is searched")
        sentence =
          "\(field.quotedForMessage) is searched as a word, as no searched field has that name. "
          + hint
      }
      if let sentence, !advice.contains(sentence) { advice.append(sentence) }
    }
    return advice
  }

  /// Splits a word written without spaces: into overlapping pairs of characters in scripts without
  /// spaces, and the runs of other words between them.
  private static func pieces(_ text: String) -> [String] {
    let words = SearchTokenizer.words(of: text)
    let utf8 = Array(text.utf8)
    var pieces: [String] = []
    func add(_ first: Int, _ last: Int) {
      let bytes = words[first].bytes.lowerBound..<words[last].bytes.upperBound
      pieces.append(String(decoding: utf8[bytes], as: UTF8.self))
    }
    var first = 0
    while first < words.count {
      var last = first
      while last + 1 < words.count, words[last + 1].isAlone == words[first].isAlone { last += 1 }
      if words[first].isAlone, last - first >= 2 {
        for index in first..<last { add(index, index + 1) }
      } else {
        add(first, last)
      }
      first = last + 1
    }
    return pieces
  }

  private struct Token {
    var text: String
    /// Whether it is neither quoted nor marked with `-`, a field or the like.
    var isBare: Bool
    var isExcluded = false
    var isPrefix = false
    var field: String?
  }

  private struct Term {
    private let token: Token
    /// FTS5's name of the column.
    private let field: String?

    init(_ token: Token, fields: [String]) {
      var token = token
      field = token.field.flatMap { fields.firstIndex(of: $0) }.map(CollectionTable.searchColumn)
      // As in 12:30, or with a field that is not searched: the colon is part of the text.
      if let unknown = token.field, field == nil { token.text = "\(unknown) \(token.text)" }
      self.token = token
    }

    var isExcluded: Bool { token.isExcluded }

    var hasWord: Bool { SearchTokenizer.hasWord(token.text) }

    var expression: String {
      // By scalars: FTS5 does not see a quote and its accent as one character.
      var quoted = String.UnicodeScalarView("\"".unicodeScalars)
      for scalar in token.text.unicodeScalars {
        quoted.append(scalar)
        if scalar == "\"" { quoted.append(scalar) }
      }
      quoted.append("\"")
      let column = field.map { "\($0) : " } ?? ""
      return "\(column)\(String(quoted))\(token.isPrefix ? " *" : "")"
    }
  }

  /// A scanner that goes by scalars, as FTS5 does: a quote with an accent is a quote.
  private struct Scanner {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
      // FTS5 takes NUL for the end.
      rest = text.replacing("\0", by: " ")[...].unicodeScalars
    }

    mutating func next() -> Token? {
      rest = rest.drop(while: \.properties.isWhitespace)
      guard let first = rest.first else { return nil }
      var token = Token(text: "", isBare: true)
      if first == "-", rest.dropFirst().first != nil {
        token.isExcluded = true
        token.isBare = false
        rest = rest.dropFirst()
      }
      if let field = takeField() {
        token.field = field
        token.isBare = false
      }
      if rest.first == "\"" {
        token.isBare = false
        rest = rest.dropFirst()
        token.text = take { $0 == "\"" }
        rest = rest.dropFirst()
      } else {
        token.text = take { $0 == "\"" || $0.properties.isWhitespace }
      }
      if token.text.unicodeScalars.last == "*" {
        token.text.unicodeScalars.removeLast()
        token.isPrefix = true
      } else if rest.first == "*" {
        rest = rest.dropFirst()
        token.isPrefix = true
      }
      return token
    }

    /// Takes what stands before a colon, if it is spelled like a field's name and a word follows.
    private mutating func takeField() -> String? {
      let after = rest.drop {
        $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_")
      }
      let value = after.dropFirst()
      guard after.first == ":", after.startIndex > rest.startIndex, let next = value.first,
        !next.properties.isWhitespace
      else { return nil }
      let name = String(rest[..<after.startIndex])
      rest = value
      return name
    }

    /// Takes the text up to the first scalar for which `isEnd` holds.
    private mutating func take(until isEnd: (Unicode.Scalar) -> Bool) -> String {
      let end = rest.firstIndex(where: isEnd) ?? rest.endIndex
      let text = String(rest[..<end])
      rest = rest[end...]
      return text
    }
  }
}
