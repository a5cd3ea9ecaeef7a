/// How names of labels, types and properties are kept as names of fields and collections.
///
/// Those have small ASCII letters only: SQLite does not tell `Name` from `name`. The way back is
/// exact, so that a graph needs no list of its names.
enum GraphSpelling {
  /// What a field of an open node or relationship holds.
  enum Field: Equatable {
    case label(String)
    case property(String)
  }

  /// The most bytes of the name of a collection or field.
  private static let bytesMax = 63

  static func labelField(_ label: String) throws(GQLError) -> String {
    try field("l_", label, "label")
  }

  static func propertyField(_ property: String) throws(GQLError) -> String {
    try field("p_", property, "property")
  }

  private static func field(_ prefix: String, _ name: String, _ what: String) throws(GQLError)
    -> String
  {
    let field = prefix + encoded(name)
    guard field.utf8.count <= bytesMax else { throw tooLong(name, what) }
    return field
  }

  static func tooLong(_ name: String, _ what: String) -> GQLError {
    GQLError(
      .argument, "NameTooLong",
      "the name of a \(what) has no room: “\(name.prefix(20))…”",
      hint: "A name has up to 40 ASCII letters, or 25 bytes of others")
  }

  static func meaning(ofField field: String) -> Field? {
    guard let name = decoded(field.dropFirst(2)) else { return nil }
    return field.hasPrefix("l_") ? .label(name) : field.hasPrefix("p_") ? .property(name) : nil
  }

  // MARK: - Names

  /// Returns the name in small letters, digits and underscores.
  ///
  /// `_x` is the capital X, and `__` an underscore. A name of capitals only begins with `_1`, and
  /// one with other characters with `_0`, behind which its bytes stand to the base of 32.
  static func encoded(_ name: String) -> String {
    let bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.allSatisfy(isPlain) else { return "_0" + Base32.encode(bytes) }
    let isLoud = !bytes.contains { $0 >= 0x61 && $0 <= 0x7a } && bytes.filter(isCapital).count > 1
    var result: [UInt8] = isLoud ? Array("_1".utf8) : []
    for byte in bytes {
      if byte == UInt8(ascii: "_") {
        result += [byte, byte]
      } else if isCapital(byte) {
        result += isLoud ? [byte | 0x20] : [UInt8(ascii: "_"), byte | 0x20]
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the name that was encoded so; nil if none is.
  static func decoded(_ text: Substring) -> String? {
    var bytes = Array(text.utf8)[...]
    var result: [UInt8] = []
    let isLoud = bytes.starts(with: "_1".utf8)
    if bytes.starts(with: "_0".utf8) {
      guard let name = Base32.decode(bytes.dropFirst(2)) else { return nil }
      result = name
    } else {
      if isLoud { bytes = bytes.dropFirst(2) }
      while let byte = bytes.popFirst() {
        if byte != UInt8(ascii: "_") {
          result.append(isLoud && byte >= 0x61 && byte <= 0x7a ? byte & 0xdf : byte)
        } else if let next = bytes.popFirst() {
          result.append(next == byte ? byte : next & 0xdf)
        } else {
          return nil
        }
      }
    }
    let name = String(decoding: result, as: UTF8.self)
    guard name.utf8.elementsEqual(result), encoded(name) == text else { return nil }
    return name
  }

  private static func isCapital(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5a }

  private static func isPlain(_ byte: UInt8) -> Bool {
    isCapital(byte) || byte >= 0x61 && byte <= 0x7a || byte == UInt8(ascii: "_")
      || GQLLexer.isDigit(byte)
  }
}

/// Bytes as digits to the base of 32, in small letters.
enum Base32 {
  private static let digits = Array("0123456789abcdefghijklmnopqrstuv".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for byte in bytes {
      buffer = (buffer << 8 | Int(byte)) & 0xffff
      bits += 8
      while bits >= 5 {
        bits -= 5
        result.append(digits[buffer >> bits & 31])
      }
    }
    if bits > 0 { result.append(digits[buffer << (5 - bits) & 31]) }
    return String(decoding: result, as: UTF8.self)
  }

  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for byte in text {
      guard let digit = digits.firstIndex(of: byte) else { return nil }
      buffer = (buffer << 5 | digit) & 0xffff
      bits += 5
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return result
  }
}
