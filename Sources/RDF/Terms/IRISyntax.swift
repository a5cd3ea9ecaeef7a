/// The grammar of IRIs (RFC 3987, section 2.2).
enum IRISyntax {
  /// What is wrong with a text as an IRI.
  struct Problem {
    /// The offset of the first byte that does not fit.
    var offset: Int
    var message: String

    init(_ offset: Int, _ message: String) {
      self.offset = offset
      self.message = message
    }
  }

  /// Returns what is wrong with a text, which is valid UTF-8, as an absolute IRI; nil if nothing.
  ///
  /// An address in brackets is checked by its characters only.
  static func problem(in text: UnsafeBufferPointer<UInt8>) -> Problem? {
    guard let colon = schemeEnd(text) else { return Problem(0, "it has no scheme, such as http:") }
    var next = colon + 1
    if next + 1 < text.count, text[next] == UInt8(ascii: "/"), text[next + 1] == UInt8(ascii: "/") {
      next += 2
      let end = text[next...].firstIndex(where: isAuthorityEnd) ?? text.count
      if let problem = authorityProblem(text, next, end) { return problem }
      next = end
    }
    return pathProblem(text, next)
  }

  /// Returns the offset of the colon after the scheme; nil if the text has no scheme, so is a
  /// relative reference.
  static func schemeEnd(_ text: some Collection<UInt8>) -> Int? {
    var offset = 0
    for byte in text {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."):
        if offset == 0 { return nil }
      case UInt8(ascii: ":"): return offset == 0 ? nil : offset
      default: return nil
      }
      offset += 1
    }
    return nil
  }

  /// Whether a text without a scheme can be a relative reference: a colon in its first segment
  /// would end a scheme (RFC 3986, section 4.2).
  static func isReference(_ text: some Collection<UInt8>) -> Bool {
    !text.prefix { !isAuthorityEnd($0) }.contains(UInt8(ascii: ":"))
  }

  private static func isAuthorityEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Checks what stands between `//` and the path: a user, a host and a port.
  private static func authorityProblem(
    _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
  ) -> Problem? {
    var host = start
    if let at = text[start..<end].firstIndex(of: UInt8(ascii: "@")) {
      if let problem = nameProblem(text, start, at, allowsColon: true) { return problem }
      host = at + 1
    }
    var hostEnd = host
    if host < end, text[host] == UInt8(ascii: "[") {
      guard let bracket = text[host..<end].firstIndex(of: UInt8(ascii: "]")) else {
        return Problem(host, "the address after [ has no ]")
      }
      for offset in host + 1..<bracket where !isAddress(text[offset]) {
        return Problem(offset, "the address in brackets has another character")
      }
      hostEnd = bracket + 1
      if hostEnd < end, text[hostEnd] != UInt8(ascii: ":") {
        return Problem(hostEnd, "after the address only a port may follow")
      }
    } else {
      hostEnd = text[host..<end].firstIndex(of: UInt8(ascii: ":")) ?? end
      if let problem = nameProblem(text, host, hostEnd, allowsColon: false) { return problem }
    }
    for offset in hostEnd..<end where offset > hostEnd && !isDigit(text[offset]) {
      return Problem(offset, "a port has digits only")
    }
    return nil
  }

  /// Checks a user or a host.
  private static func nameProblem(
    _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, allowsColon: Bool
  ) -> Problem? {
    var offset = start
    while offset < end {
      let byte = text[offset]
      if isPlain(byte) || allowsColon && byte == UInt8(ascii: ":") {
        offset += 1
      } else if let count = sequence(text, offset, end, isQuery: false) {
        offset += count
      } else {
        return badCharacter(text, offset)
      }
    }
    return nil
  }

  /// Checks the path, the query and the fragment.
  private static func pathProblem(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Problem? {
    var offset = start
    var isQuery = false
    var isFragment = false
    while offset < text.count {
      let byte = text[offset]
      if isPlain(byte) {
        offset += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"): offset += 1
      case UInt8(ascii: "?"):
        isQuery = isQuery || !isFragment
        offset += 1
      case UInt8(ascii: "#"):
        if isFragment { return Problem(offset, "it has a second #") }
        (isQuery, isFragment) = (false, true)
        offset += 1
      default:
        guard let count = sequence(text, offset, text.count, isQuery: isQuery) else {
          return badCharacter(text, offset)
        }
        offset += count
      }
    }
    return nil
  }

  private static func badCharacter(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Problem {
    if text[offset] == UInt8(ascii: "%") {
      return Problem(offset, "after % there must be two hexadecimal digits")
    }
    let scalar = UTF8Scalar(text, at: offset).value
    return Problem(offset, "it may not have \(CharacterNames.name(scalar))")
  }

  /// Returns the length of a percent-encoded byte or of a character outside ASCII; nil if there is
  /// none that an IRI may have.
  private static func sequence(
    _ text: UnsafeBufferPointer<UInt8>, _ offset: Int, _ end: Int, isQuery: Bool
  ) -> Int? {
    let byte = text[offset]
    if byte == UInt8(ascii: "%") {
      guard offset + 2 < end, isHex(text[offset + 1]), isHex(text[offset + 2]) else { return nil }
      return 3
    }
    guard byte >= 0x80 else { return nil }
    let scalar = UTF8Scalar(text, at: offset)
    return isUniversal(scalar.value) || isQuery && isPrivate(scalar.value) ? scalar.count : nil
  }

  /// Whether a byte may stand everywhere behind the scheme: `iunreserved` in ASCII, `sub-delims`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"),
      UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private static func isAddress(_ byte: UInt8) -> Bool {
    isPlain(byte) || byte == UInt8(ascii: ":")
  }

  /// Whether a scalar is one of `ucschar`, or of U+E0000 to U+E0FFF.
  ///
  /// RFC 3987 leaves those out, and names in Turtle may have them, so the W3C's suite has an IRI
  /// with one.
  private static func isUniversal(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: true
    case 0x1_0000...0xE_FFFD: scalar & 0xFFFF <= 0xFFFD
    default: false
    }
  }

  /// Whether a scalar is one of `iprivate`, which a query may have.
  private static func isPrivate(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0xE000...0xF8FF: true
    case 0xF_0000...0x10_FFFD: scalar & 0xFFFF <= 0xFFFD
    default: false
    }
  }
}
