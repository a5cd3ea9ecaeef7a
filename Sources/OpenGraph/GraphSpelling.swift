/// How names of labels, types and properties are kept as names of fields and collections.
///
/// Those have small ASCII letters only: SQLite does not tell `Name` from `name`. The way back is
/// exact, so that a graph needs no list of its names.
package enum GraphSpelling {
  /// What a field of an open node or relationship holds.
  package enum Field: Equatable {
    case label(String)
    case property(String)
  }

  /// The most bytes of the name of a collection or field.
  package static let bytesMax = 63

  /// Returns the field that says whether a node has a label. It may be longer than ``bytesMax``.
  package static func field(ofLabel label: String) -> String { "l_" + encoded(label) }

  /// Returns the field of a property. It may be longer than ``bytesMax``.
  package static func field(ofProperty property: String) -> String { "p_" + encoded(property) }

  /// Returns what a field holds; nil if no open graph has it.
  package static func meaning(ofField field: String) -> Field? {
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
      || byte >= 0x30 && byte <= 0x39
  }
}
