/// One word, number, text or sign of a query.
struct GQLToken: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// A word. `isQuoted` if it stands between backticks, where it is never a keyword.
    case word(String, isQuoted: Bool)
    case integer(IntegerDigits)
    case real(Double)
    case text(String)
    case parameter(String)
    /// A sign, such as `<=`.
    case sign(Sign)
    case end
  }

  /// An integer without its sign, which stands before it as a token of its own.
  struct IntegerDigits: Equatable, Sendable {
    var magnitude: UInt64
  }

  enum Sign: String, Sendable, CaseIterable {
    case open = "("
    case close = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"
    case comma = ","
    case dot = "."
    case range = ".."
    case colon = ":"
    case semicolon = ";"
    case plus = "+"
    case plusEquals = "+="
    case minus = "-"
    case star = "*"
    case slash = "/"
    case percent = "%"
    case power = "^"
    case equals = "="
    case matches = "=~"
    case notEquals = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case bar = "|"
    case concatenation = "||"
    case ampersand = "&"
    case exclamation = "!"
    case question = "?"
    case tilde = "~"
  }

  var kind: Kind
  var position: GQLPosition
  /// The offset behind the token's last byte.
  var end: Int

  /// The token as messages quote it.
  var shown: String {
    switch kind {
    case .word(let name, let isQuoted): isQuoted ? "`\(name)`" : "“\(name)”"
    case .integer(let digits): "\(digits.magnitude)"
    case .real(let value): "\(value)"
    case .text: "a text"
    case .parameter(let name): "$\(name)"
    case .sign(let sign): "“\(sign.rawValue)”"
    case .end: "the end of the query"
    }
  }

  /// Whether the token is this keyword, in any case of its letters.
  func isKeyword(_ word: StaticString) -> Bool {
    guard case .word(let name, false) = kind, name.utf8.count == word.utf8CodeUnitCount else {
      return false
    }
    return word.withUTF8Buffer { wanted in
      zip(name.utf8, wanted).allSatisfy { have, want in
        (have >= 0x61 && have <= 0x7a ? have - 0x20 : have) == want
      }
    }
  }
}
