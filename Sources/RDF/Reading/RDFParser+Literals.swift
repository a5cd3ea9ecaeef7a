import DaybookEventCore

extension RDFParser {
  // MARK: - Texts

  /// Reads a literal in quotes, which begins here, with its language or datatype.
  mutating func literal() throws(RDFError) -> RDFLiteral {
    let text = try quoted()
    try skipWithin()
    switch try window.byte(0) {
    case UInt8(ascii: "@"):
      return RDFLiteral(text, checkedLanguage: try languageTag())
    case UInt8(ascii: "^"):
      guard try window.byte(1) == UInt8(ascii: "^") else {
        throw try unexpected("^^ before a datatype", 1)
      }
      window.advance(2)
      try skipWithin()
      let datatype = try name("the IRI of a datatype")
      guard datatype != .rdfLangString else {
        throw RDFError(
          .badLiteral, "a literal of the datatype rdf:langString has no language",
          at: window.place(),
          hint: "Write the language: \"…\"@en")
      }
      return RDFLiteral(text, checked: datatype)
    default: return RDFLiteral(text)
    }
  }

  /// Skips white space within a statement.
  private mutating func skipWithin() throws(RDFError) {
    if format.isLines { try skipBlanks() } else { try skipSpace() }
  }

  /// Reads an IRI, in brackets or with a prefix.
  private mutating func name(_ wanted: String) throws(RDFError) -> IRI {
    if try window.byte(0) == UInt8(ascii: "<") { return try iriReference() }
    if format.isLines { throw try unexpected(wanted) }
    guard case .name(let iri) = try word(wanted) else { throw try unexpected(wanted) }
    return iri
  }

  private mutating func languageTag() throws(RDFError) -> String {
    let end = try tagEnd()
    guard let tag = LanguageTag.canonical(window.slice(1, end)) else {
      throw RDFError(
        .badLanguageTag, "\(window.text(1, end).quotedForMessage) is no language tag",
        at: window.place(1), hint: "A tag is like en, de-CH or zh-Hant-TW (RFC 5646)")
    }
    window.advance(end)
    return tag
  }

  /// Returns the end of the letters, digits and hyphens that follow an `@`.
  mutating func tagEnd() throws(RDFError) -> Int {
    var offset = 1
    while true {
      switch try window.byte(offset) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        offset += 1
      default: return offset
      }
    }
  }

  /// Reads the text in quotes that begins here.
  private mutating func quoted() throws(RDFError) -> String {
    let quote = try window.byte(0)
    let second = try window.byte(1)
    if !format.isLines, second == quote {
      let third = try window.byte(2)
      if third == quote { return try long(quote) }
      window.advance(2)
      return ""
    }
    var offset = 1
    var hasEscape = false
    while true {
      switch try window.byte(offset) {
      case quote:
        let text = try text(1, offset, hasEscape)
        window.advance(offset + 1)
        return text
      case UInt8(ascii: "\\"):
        hasEscape = true
        offset += 1
        if try window.byte(offset) == 0, window.hasEnded(at: offset) { throw unclosed(offset) }
      case 0x0A, 0x0D:
        throw RDFError(
          .syntax, "the text in quotes does not end on its line", at: window.place(offset),
          hint: format.isLines ? "Write \\n for a line's end" : "Use three quotes for several lines"
        )
      case 0 where window.hasEnded(at: offset): throw unclosed(offset)
      default: break
      }
      offset += 1
    }
  }

  /// Reads a text between three quotes.
  private mutating func long(_ quote: UInt8) throws(RDFError) -> String {
    var offset = 3
    var hasEscape = false
    while true {
      switch try window.byte(offset) {
      case quote:
        let second = try window.byte(offset + 1)
        let third = try window.byte(offset + 2)
        if second == quote, third == quote {
          let text = try text(3, offset, hasEscape)
          window.advance(offset + 3)
          return text
        }
      case UInt8(ascii: "\\"):
        hasEscape = true
        offset += 1
        if try window.byte(offset) == 0, window.hasEnded(at: offset) { throw unclosed(offset) }
      case 0 where window.hasEnded(at: offset): throw unclosed(offset)
      default: break
      }
      offset += 1
    }
  }

  private func unclosed(_ offset: Int) -> RDFError {
    let start = window.place()
    return RDFError(
      .unexpectedEnd,
      "the text in quotes that begins in line \(start.line), column \(start.column) does not end",
      at: window.place(offset), hint: "Check whether the file is complete")
  }

  private func text(_ from: Int, _ to: Int, _ hasEscape: Bool) throws(RDFError) -> String {
    guard hasEscape else { return window.text(from, to) }
    return String(decoding: try unescaped(from, to, isIRI: false), as: UTF8.self)
  }

  // MARK: - Escapes

  /// Returns the bytes between two offsets, with the characters that backslashes stand for.
  func unescaped(_ from: Int, _ to: Int, isIRI: Bool) throws(RDFError) -> [UInt8] {
    let source = window.slice(from, to)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(source.count)
    var index = source.startIndex
    while index < source.endIndex {
      guard source[index] == UInt8(ascii: "\\") else {
        bytes.append(source[index])
        index += 1
        continue
      }
      let rest = source[(index + 1)...]
      let place = from + index - source.startIndex
      if let byte = rest.first.flatMap(Self.character), !isIRI {
        bytes.append(byte)
        index += 2
      } else {
        let (scalar, count) = try numbered(rest, place)
        if isIRI, Self.isForbidden(scalar.value) {
          throw RDFError(
            .badIRI, "an IRI cannot have \(CharacterNames.name(scalar.value)), not even escaped",
            at: window.place(place))
        }
        bytes += UTF8.encode(scalar) ?? .init()
        index += 1 + count
      }
    }
    return bytes
  }

  /// Returns the character that a letter after a backslash stands for.
  private static func character(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): letter
    default: nil
    }
  }

  /// Reads `u` and four digits, or `U` and eight.
  private func numbered(_ rest: ArraySlice<UInt8>, _ offset: Int) throws(RDFError)
    -> (Unicode.Scalar, Int)
  {
    let count: Int
    switch rest.first {
    case UInt8(ascii: "u"): count = 4
    case UInt8(ascii: "U"): count = 8
    default:
      throw RDFError(
        .badEscape, "\\ is followed by a character that it does not go with",
        at: window.place(offset), hint: "Write \\\\ for the character \\ itself")
    }
    let digits = rest.dropFirst().prefix(count)
    guard digits.count == count, digits.allSatisfy(IRISyntax.isHex),
      let number = Int(String(decoding: digits, as: UTF8.self), radix: 16),
      let value = UInt32(exactly: number)
    else {
      throw RDFError(
        .badEscape, "\\\(count == 4 ? "u" : "U") needs \(count) hexadecimal digits",
        at: window.place(offset))
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw RDFError(
        .badEscape, "U+\(String(value, radix: 16, uppercase: true)) is no character",
        at: window.place(offset), hint: "Write the character itself, or \\U and its eight digits")
    }
    return (scalar, 1 + count)
  }

  private static func isForbidden(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D: true
    default: false
    }
  }

  // MARK: - Numbers

  /// Reads a number, which begins here, as the literal that it abbreviates.
  mutating func number() throws(RDFError) -> RDFLiteral {
    var offset = 0
    switch try window.byte(0) {
    case UInt8(ascii: "+"), UInt8(ascii: "-"): offset = 1
    default: break
    }
    let first = offset
    offset = try digitsEnd(offset)
    let hasWhole = offset > first
    var datatype = IRI.xsdInteger
    var end = offset
    if try window.byte(offset) == UInt8(ascii: ".") {
      let decimals = try digitsEnd(offset + 1)
      if decimals > offset + 1 { (datatype, end) = (.xsdDecimal, decimals) }
      if hasWhole || decimals > offset + 1, let exponent = try exponentEnd(decimals) {
        (datatype, end) = (.xsdDouble, exponent)
      }
    } else if hasWhole, let exponent = try exponentEnd(offset) {
      (datatype, end) = (.xsdDouble, exponent)
    }
    guard end > first else { throw try unexpected("a number", end) }
    let text = window.text(0, end)
    window.advance(end)
    return RDFLiteral(text, checked: datatype)
  }

  private mutating func digitsEnd(_ start: Int) throws(RDFError) -> Int {
    var offset = start
    while true {
      let byte = try window.byte(offset)
      guard (0x30...0x39).contains(byte) else { return offset }
      offset += 1
    }
  }

  /// Returns the end of the exponent that begins at an offset; nil if there is none.
  private mutating func exponentEnd(_ start: Int) throws(RDFError) -> Int? {
    guard try window.byte(start) | 0x20 == UInt8(ascii: "e") else { return nil }
    var offset = start + 1
    switch try window.byte(offset) {
    case UInt8(ascii: "+"), UInt8(ascii: "-"): offset += 1
    default: break
    }
    let end = try digitsEnd(offset)
    return end > offset ? end : nil
  }
}
