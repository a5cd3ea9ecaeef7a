/// Takes the text of a query apart, one token at a time.
///
/// It is a value: a copy of it looks ahead. It never holds more than one token, so that a text of
/// any length costs no more memory than the text.
struct GQLLexer {
  let bytes: [UInt8]
  private(set) var offset = 0
  private var line = 1
  private var lineStart = 0
  /// How many bytes of the line, up to `offset`, go on with a scalar that an earlier byte began.
  private var continuations = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private var position: GQLPosition {
    GQLPosition(line: line, column: offset - lineStart - continuations + 1, offset: offset)
  }

  private func byte(_ distance: Int = 0) -> UInt8? {
    offset + distance < bytes.count ? bytes[offset + distance] : nil
  }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if byte == UInt8(ascii: "\n") {
        line += 1
        lineStart = offset
        continuations = 0
      } else if byte & 0xc0 == 0x80 {
        continuations += 1
      }
    }
  }

  /// The scalar at the current place; nil at the end.
  private var scalar: Unicode.Scalar? {
    guard let first = byte() else { return nil }
    if first < 0x80 { return Unicode.Scalar(first) }
    let length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    let end = min(offset + length, bytes.count)
    return String(decoding: bytes[offset..<end], as: UTF8.self).unicodeScalars.first
  }

  // MARK: - Tokens

  /// Returns the next token; at the end, always the end.
  mutating func next() throws(GQLError) -> GQLToken {
    try skipSpace()
    let start = position
    func token(_ kind: GQLToken.Kind, _ lexer: GQLLexer) -> GQLToken {
      GQLToken(kind: kind, position: start, end: lexer.offset)
    }
    guard let first = byte() else { return token(.end, self) }
    switch first {
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      let text = try text(closing: first)
      return token(.text(text), self)
    case UInt8(ascii: "`"):
      let name = try quotedName()
      return token(.word(name, isQuoted: true), self)
    case UInt8(ascii: "$"):
      let name = try parameterName()
      return token(.parameter(name), self)
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      let number = try number()
      return token(number, self)
    case UInt8(ascii: ".") where byte(1).map(Self.isDigit) == true && !followsOperand:
      let number = try number()
      return token(number, self)
    default:
      if let scalar, Self.beginsWord(scalar) {
        return token(.word(word(), isQuoted: false), self)
      }
      guard let sign = sign() else {
        let shown = scalar.map { String($0) } ?? "?"
        throw GQLError(
          .syntax, (scalar?.isASCII ?? true) ? "UnexpectedSyntax" : "InvalidUnicodeCharacter",
          "“\(shown)” means nothing here", at: start)
      }
      return token(.sign(sign), self)
    }
  }

  /// Whether what stands directly before is a value, so that a point after it is an access.
  private var followsOperand: Bool {
    guard offset > 0 else { return false }
    let before = bytes[offset - 1]
    return Self.isDigit(before) || before == UInt8(ascii: ")") || before == UInt8(ascii: "]")
      || before == UInt8(ascii: "}") || before == UInt8(ascii: "_") || before >= 0x80
      || before | 0x20 >= UInt8(ascii: "a") && before | 0x20 <= UInt8(ascii: "z")
  }

  private mutating func skipSpace() throws(GQLError) {
    while let byte = byte() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0b,
        0x0c:
        advance()
      case UInt8(ascii: "/") where self.byte(1) == UInt8(ascii: "/"):
        while let next = self.byte(), next != UInt8(ascii: "\n") { advance() }
      case UInt8(ascii: "/") where self.byte(1) == UInt8(ascii: "*"):
        let start = position
        advance(2)
        while !(self.byte() == UInt8(ascii: "*") && self.byte(1) == UInt8(ascii: "/")) {
          guard self.byte() != nil else {
            throw GQLError(.syntax, "UnexpectedSyntax", "a comment has no end", at: start)
          }
          advance()
        }
        advance(2)
      case 0x80...:
        guard let scalar, scalar.properties.isWhitespace || scalar.value == 0xfeff else { return }
        advance(String(scalar).utf8.count)
      default: return
      }
    }
  }

  private mutating func sign() -> GQLToken.Sign? {
    guard let first = byte(), first < 0x80 else { return nil }
    let one = String(UnicodeScalar(first))
    if let second = byte(1), second < 0x80,
      let sign = GQLToken.Sign(rawValue: one + String(UnicodeScalar(second)))
    {
      advance(2)
      return sign
    }
    guard let sign = GQLToken.Sign(rawValue: one) else { return nil }
    advance()
    return sign
  }

  // MARK: - Words

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar == "_" || scalar.properties.isAlphabetic }
    return scalar.properties.isXIDStart
      || scalar.properties.generalCategory == .connectorPunctuation
  }

  static func continuesWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return beginsWord(scalar) || isDigit(UInt8(ascii: scalar)) }
    return scalar.properties.isXIDContinue
      || scalar.properties.generalCategory == .connectorPunctuation
  }

  private mutating func word() -> String {
    let start = offset
    while let scalar, Self.continuesWord(scalar) { advance(UTF8.width(scalar)) }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// A name between backticks, in which two backticks are one.
  private mutating func quotedName() throws(GQLError) -> String {
    let start = position
    advance()
    var name: [UInt8] = []
    while let byte = byte() {
      advance()
      if byte == UInt8(ascii: "`") {
        guard self.byte() == UInt8(ascii: "`") else {
          return String(decoding: name, as: UTF8.self)
        }
        advance()
      }
      name.append(byte)
    }
    throw GQLError(.syntax, "UnexpectedSyntax", "a name between backticks has no end", at: start)
  }

  private mutating func parameterName() throws(GQLError) -> String {
    let start = position
    advance()
    if byte() == UInt8(ascii: "`") { return try quotedName() }
    let begin = offset
    while let scalar, Self.continuesWord(scalar) { advance(UTF8.width(scalar)) }
    if byte() == UInt8(ascii: "(") {
      throw GQLError(
        .unsupported, "UnsupportedFeature",
        "a label or type whose name is a value, $(…), is a feature that this version does not have",
        at: start, hint: "docs/gql.md lists what there is")
    }
    guard offset > begin else {
      throw GQLError(.syntax, "UnexpectedSyntax", "“$” has no name of a parameter", at: start)
    }
    return String(decoding: bytes[begin..<offset], as: UTF8.self)
  }
}

extension UTF8 {
  /// The number of bytes of a scalar.
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
    scalar.value < 0x80 ? 1 : scalar.value < 0x800 ? 2 : scalar.value < 0x10000 ? 3 : 4
  }
}

// MARK: - Numbers and texts

extension GQLLexer {
  private mutating func number() throws(GQLError) -> GQLToken.Kind {
    let start = position
    func fail(_ detail: String, _ message: String) -> GQLError {
      GQLError(.syntax, detail, message, at: start)
    }
    if byte() == UInt8(ascii: "0"), let mark = byte(1), mark | 0x20 == UInt8(ascii: "x") {
      return try radix(16, skipping: 2, start)
    }
    if byte() == UInt8(ascii: "0"), let mark = byte(1), mark | 0x20 == UInt8(ascii: "o") {
      return try radix(8, skipping: 2, start)
    }
    let begin = offset
    var isReal = false
    digits()
    if byte() == UInt8(ascii: "."), let next = byte(1), Self.isDigit(next) {
      isReal = true
      advance()
      digits()
    }
    if let mark = byte(), mark | 0x20 == UInt8(ascii: "e") {
      let signed = byte(1) == UInt8(ascii: "-") || byte(1) == UInt8(ascii: "+")
      if let digit = byte(signed ? 2 : 1), Self.isDigit(digit) {
        isReal = true
        advance(signed ? 2 : 1)
        digits()
      }
    }
    let text = String(decoding: bytes[begin..<offset], as: UTF8.self)
    if let scalar, Self.continuesWord(scalar) {
      throw fail("InvalidNumberLiteral", "“\(text)\(scalar)…” is no number")
    }
    if isReal {
      guard let value = Double(text), value.isFinite else {
        throw fail("FloatingPointOverflow", "“\(text)” is beyond the numbers of 64 bits")
      }
      return .real(value)
    }
    if text.utf8.count > 1, text.utf8.first == UInt8(ascii: "0") {
      guard let value = UInt64(text, radix: 10) else {
        throw fail("IntegerOverflow", "“\(text)” is beyond the integers of 64 bits")
      }
      return .integer(.init(magnitude: value))
    }
    guard let value = UInt64(text), value <= UInt64(1) << 63 else {
      throw fail("IntegerOverflow", "“\(text)” is beyond the integers of 64 bits")
    }
    return .integer(.init(magnitude: value))
  }

  private mutating func digits() {
    while let byte = byte(), Self.isDigit(byte) { advance() }
  }

  private mutating func radix(_ radix: Int, skipping count: Int, _ start: GQLPosition)
    throws(GQLError) -> GQLToken.Kind
  {
    advance(count)
    let begin = offset
    while let scalar, Self.continuesWord(scalar) { advance(UTF8.width(scalar)) }
    let text = String(decoding: bytes[begin..<offset], as: UTF8.self)
    let isValid = !text.isEmpty && text.unicodeScalars.allSatisfy { $0.isASCII && digit($0, radix) }
    guard isValid else {
      throw GQLError(
        .syntax, "InvalidNumberLiteral", "“\(text)” has no digits to the base of \(radix)",
        at: start)
    }
    guard let value = UInt64(text, radix: radix), value <= UInt64(1) << 63 else {
      throw GQLError(
        .syntax, "IntegerOverflow", "“\(text)” is beyond the integers of 64 bits", at: start)
    }
    return .integer(.init(magnitude: value))
  }

  private func digit(_ scalar: Unicode.Scalar, _ radix: Int) -> Bool {
    guard let value = Character(scalar).hexDigitValue else { return false }
    return value < radix
  }

  private mutating func text(closing quote: UInt8) throws(GQLError) -> String {
    let start = position
    advance()
    var text: [UInt8] = []
    while let byte = byte() {
      if byte == quote {
        advance()
        return String(decoding: text, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        text += try escape()
      } else {
        text.append(byte)
        advance()
      }
    }
    throw GQLError(.syntax, "UnexpectedSyntax", "a text has no end", at: start)
  }

  private mutating func escape() throws(GQLError) -> [UInt8] {
    let start = position
    advance()
    guard let mark = byte() else {
      throw GQLError(.syntax, "UnexpectedSyntax", "a text has no end", at: start)
    }
    let plain: [UInt8: UInt8] = [
      UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09,
      UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0c, UInt8(ascii: "'"): UInt8(ascii: "'"),
      UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
      UInt8(ascii: "`"): UInt8(ascii: "`"),
    ]
    if let byte = plain[mark | (mark == 0x4e || mark == 0x52 || mark == 0x54 ? 0x20 : 0)] {
      advance()
      return [byte]
    }
    guard mark | 0x20 == UInt8(ascii: "u") else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "a text has a “\\” before what is not escaped", at: start,
        hint: "Write “\\\\” for a backslash")
    }
    var value = try hexadecimal(mark == UInt8(ascii: "u") ? 4 : 8, start)
    if value >= 0xd800, value < 0xdc00, byte() == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "u") {
      advance()
      let low = try hexadecimal(4, start)
      if low >= 0xdc00, low < 0xe000 { value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00) }
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw GQLError(
        .syntax, "InvalidUnicodeLiteral", "an escape names no character of Unicode", at: start)
    }
    return Array(String(scalar).utf8)
  }

  private mutating func hexadecimal(_ count: Int, _ start: GQLPosition) throws(GQLError) -> UInt32 {
    advance()
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let byte = byte(), let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
        throw GQLError(
          .syntax, "InvalidUnicodeLiteral", "an escape of Unicode has \(count) digits", at: start)
      }
      value = value << 4 | UInt32(truncatingIfNeeded: digit)
      advance()
    }
    return value
  }
}
