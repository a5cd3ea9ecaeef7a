import DaybookTexts

/// Places in a text, in Unicode scalars, UTF-16 code units and bytes of UTF-8.
package enum TextOffsets {
  /// Returns the scalars before a number of UTF-16 code units; nil if the text has fewer, or if the
  /// place is within a surrogate pair.
  static func exactScalars(ofUTF16 offset: Int, in text: String) -> Int? {
    guard offset >= 0 else { return nil }
    var text = text
    let found = text.withUTF8 { UTF8Scalars.scalars(ofUTF16: offset, in: .init($0)) }
    return found.isExact ? found.scalars : nil
  }

  /// Returns the scalars before a number of UTF-16 code units, at most those of the text.
  package static func scalars(ofUTF16 offset: Int, in text: String) -> Int {
    var text = text
    return text.withUTF8 { UTF8Scalars.scalars(ofUTF16: max(0, offset), in: .init($0)).scalars }
  }

  /// Returns the UTF-16 code units before a number of scalars, at most those of the text.
  package static func utf16(ofScalars count: Int, in text: String) -> Int {
    var text = text
    return text.withUTF8 { utf8 in
      let bytes = UnsafeRawBufferPointer(utf8)
      let end = UTF8Scalars.offset(after: max(0, count), in: bytes, from: 0) ?? bytes.count
      let part = UnsafeRawBufferPointer(rebasing: bytes[..<end])
      return UTF8Scalars.count(part) + UTF8Scalars.pairs(part, from: 0, to: end)
    }
  }
}
