/// Validation of UTF-8 in place, without making a `String` (Unicode 16, table 3-7).
package enum UTF8Validation {
  package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var i = 0
    let count = bytes.count
    while i < count {
      while i + 8 <= count,
        bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        i += 8
      }
      guard i < count else { break }
      let lead = bytes[i]
      if lead < 0x80 {
        i += 1
        continue
      }
      guard let length = sequenceLength(bytes, at: i, lead: lead) else { return false }
      i += length
    }
    return true
  }

  private static func sequenceLength(
    _ bytes: UnsafeRawBufferPointer, at i: Int, lead: UInt8
  ) -> Int? {
    func continuation(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      i + offset < bytes.count && range.contains(bytes[i + offset])
    }
    switch lead {
    case 0xC2...0xDF:
      return continuation(1) ? 2 : nil
    case 0xE0...0xEF:
      let second: ClosedRange<UInt8> =
        lead == 0xE0 ? 0xA0...0xBF : lead == 0xED ? 0x80...0x9F : 0x80...0xBF
      return continuation(1, second) && continuation(2) ? 3 : nil
    case 0xF0...0xF4:
      let second: ClosedRange<UInt8> =
        lead == 0xF0 ? 0x90...0xBF : lead == 0xF4 ? 0x80...0x8F : 0x80...0xBF
      return continuation(1, second) && continuation(2) && continuation(3) ? 4 : nil
    default:
      return nil
    }
  }
}

extension String {
  /// Makes a text of bytes that are UTF-8; nil if they are not.
  package init?(utf8 bytes: some Sequence<UInt8>) {
    func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
      guard UTF8Validation.isValid(UnsafeRawBufferPointer(bytes)) else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
    let text =
      bytes.withContiguousStorageIfAvailable(decode)
      ?? Array(bytes).withUnsafeBufferPointer(decode)
    guard let text else { return nil }
    self = text
  }
}
