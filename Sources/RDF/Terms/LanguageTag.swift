/// Language tags (RFC 5646, section 2.1).
enum LanguageTag {
  /// Returns a tag in lower case; nil if it is not well-formed. RDF compares tags without case.
  static func canonical(_ tag: some Collection<UInt8>) -> String? {
    guard tag.count <= 255 else { return nil }
    let bytes = tag.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(isAlphanumeric) }) else {
      return nil
    }
    return irregular.contains(text) || isPrivate(parts[...]) || isTag(parts[...]) ? text : nil
  }

  /// The tags of old that follow no rule.
  private static let irregular: Set<String> = [
    "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux",
    "i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl",
    "sgn-ch-de", "art-lojban", "cel-gaulish", "no-bok", "no-nyn", "zh-guoyu", "zh-hakka",
    "zh-min", "zh-min-nan", "zh-xiang",
  ]

  private typealias Parts = ArraySlice<ArraySlice<UInt8>>

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

  private static func isPrivate(_ parts: Parts) -> Bool {
    parts.count > 1 && parts.first.map { Array($0) == [UInt8(ascii: "x")] } == true
  }

  /// Whether the parts are a language, and then, each if there is one: up to three extended
  /// languages, a script, a region, variants, extensions, and parts for private use.
  private static func isTag(_ parts: Parts) -> Bool {
    guard let language = parts.first, language.count >= 2, language.allSatisfy(isLetter) else {
      return false
    }
    var rest = parts.dropFirst()
    func take(_ fits: (ArraySlice<UInt8>) -> Bool) -> Bool {
      guard let part = rest.first, fits(part) else { return false }
      rest = rest.dropFirst()
      return true
    }
    if language.count <= 3 {
      for _ in 0..<3 where !take({ $0.count == 3 && $0.allSatisfy(isLetter) }) { break }
    }
    _ = take { $0.count == 4 && $0.allSatisfy(isLetter) }
    _ = take {
      $0.count == 2 && $0.allSatisfy(isLetter) || $0.count == 3 && $0.allSatisfy(isDigit)
    }
    while take({ $0.count >= 5 || $0.count == 4 && $0.first.map(isDigit) == true }) {}
    while let first = rest.first, first.count == 1, !isPrivate(rest) {
      rest = rest.dropFirst()
      guard take({ $0.count >= 2 }) else { return false }
      while take({ $0.count >= 2 }) {}
    }
    return rest.isEmpty || isPrivate(rest)
  }
}
