import DaybookEventCore

extension JSONParser {
  package mutating func text() throws(JSONError) -> String { try string(try quoted()) }

  /// Reads a quoted text without creating a `String`.
  mutating func quoted() throws(JSONError) -> JSONKey {
    let start = offset + 1
    var i = start
    var isEscaped = false
    var seen: UInt8 = 0
    while true {
      i = skipPlain(from: i)
      guard i < bytes.count else {
        offset = bytes.count
        throw malformed("a text does not end on its line; close it with a double quote")
      }
      let byte = bytes[i]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        i += 2
      } else if byte < 0x20 {
        offset = i
        throw malformed(
          "a control character stands in a text; write it as "
            + "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))")
      } else {
        seen |= byte
        i += 1
      }
    }
    let key = JSONKey(start: start, end: i, isEscaped: isEscaped, isASCII: seen < 0x80)
    if !key.isASCII {
      let raw = UnsafeRawBufferPointer(rebasing: bytes[start..<i])
      guard UTF8Validation.isValid(raw) else { throw invalidUTF8(from: start) }
    }
    offset = i + 1
    return key
  }

  /// Returns the offset of the next byte that is a quote, a backslash, a control character or not
  /// ASCII.
  private func skipPlain(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var i = start
    while i + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      // A byte's high bit is set if the byte is zero after the XOR, is below 0x20, or had its high
      // bit set. A borrow can only mark bytes above a rightly marked one, and only the lowest mark
      // is used.
      let marks =
        ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        | ((word &- ones &* 0x20) & ~word) | word
      let hits = marks & highs
      if hits != 0 { return i + hits.trailingZeroBitCount >> 3 }
      i += 8
    }
    while i < bytes.count {
      let byte = bytes[i]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { return i }
      i += 1
    }
    return i
  }

  package func matches(_ key: JSONKey, _ word: StaticString) -> Bool {
    matches(word, at: key.start, count: key.end - key.start)
  }

  package func string(_ key: JSONKey) throws(JSONError) -> String {
    let raw = UnsafeRawBufferPointer(rebasing: bytes[key.start..<key.end])
    guard key.isEscaped else { return String(decoding: raw, as: UTF8.self) }
    var out: [UInt8] = []
    out.reserveCapacity(raw.count)
    var i = 0
    while i < raw.count {
      let byte = raw[i]
      guard byte == UInt8(ascii: "\\") else {
        out.append(byte)
        i += 1
        continue
      }
      i += try unescape(raw, at: i, column: key.start + i + 1, into: &out)
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Decodes the escape at `i` and appends its bytes to `out`.
  /// - Returns: the length of the escape in bytes.
  private func unescape(
    _ raw: UnsafeRawBufferPointer, at i: Int, column: Int, into out: inout [UInt8]
  ) throws(JSONError) -> Int {
    switch raw[i + 1] {
    case UInt8(ascii: "\""): out.append(0x22)
    case UInt8(ascii: "\\"): out.append(0x5C)
    case UInt8(ascii: "/"): out.append(0x2F)
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0C)
    case UInt8(ascii: "n"): out.append(0x0A)
    case UInt8(ascii: "r"): out.append(0x0D)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "u"): return try unescapeUnicode(raw, at: i, column: column, into: &out)
    default:
      throw JSONError(
        .malformedJSON,
        "this is no JSON: a backslash in a text is followed by none of \" \\ / b f n r t u; write "
          + "\\\\ for a backslash", column: column)
    }
    return 2
  }

  private func unescapeUnicode(
    _ raw: UnsafeRawBufferPointer, at i: Int, column: Int, into out: inout [UInt8]
  ) throws(JSONError) -> Int {
    guard let unit = fourDigits(raw, at: i + 2) else {
      throw JSONError(
        .malformedJSON, "this is no JSON: \\u is not followed by four hexadecimal digits",
        column: column)
    }
    if let scalar = Unicode.Scalar(unit) {
      out.append(contentsOf: Array(String(Character(scalar)).utf8))
      return 6
    }
    guard (0xD800...0xDBFF).contains(unit), i + 8 <= raw.count, raw[i + 6] == 0x5C,
      raw[i + 7] == UInt8(ascii: "u"), let low = fourDigits(raw, at: i + 8),
      (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else {
      throw JSONError(
        .invalidText,
        "\\u\(String(unit, radix: 16)) is half a character (a lone surrogate), which no text may "
          + "hold; write both halves, or neither", column: column)
    }
    out.append(contentsOf: Array(String(Character(scalar)).utf8))
    return 12
  }

  private func fourDigits(_ raw: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
    guard start + 4 <= raw.count else { return nil }
    var value: UInt32 = 0
    for byte in raw[start..<start + 4] {
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(byte - 0x41 + 10)
      case 0x61...0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
      default: return nil
      }
    }
    return value
  }

  private func invalidUTF8(from start: Int) -> JSONError {
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes[start...].makeIterator()
    var column = start + 1
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { column += scalar.count }
    return JSONError(
      .invalidText,
      "the bytes of a text are not valid UTF-8; convert the file, for example with "
        + "`iconv -t UTF-8`",
      column: column)
  }
}
