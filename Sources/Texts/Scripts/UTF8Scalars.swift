/// Counts of Unicode scalars in UTF-8, a word at a time.
///
/// A scalar begins at each byte that is no continuation byte.
package enum UTF8Scalars {
  /// The number of scalars in valid UTF-8.
  package static func count(_ bytes: UnsafeRawBufferPointer) -> Int {
    bytes.count - continuations(bytes, from: 0, to: bytes.count)
  }

  /// Returns the offset after a number of scalars, or nil if the bytes have fewer.
  ///
  /// - Parameters:
  ///   - count: The scalars to pass over.
  ///   - bytes: Valid UTF-8.
  ///   - start: An offset at which a scalar begins, or the end.
  package static func offset(
    after count: Int, in bytes: UnsafeRawBufferPointer, from start: Int
  ) -> Int? {
    guard count >= 0, count <= bytes.count - start else { return nil }
    var left = count
    var at = start
    // The next `left` bytes hold at most `left` scalars, so none is passed over too much.
    while left > 0 {
      guard left <= bytes.count - at else { return nil }
      let end = at + left
      let more = continuations(bytes, from: at, to: end)
      at = end
      left = more
    }
    while at < bytes.count, bytes[at] & 0xC0 == 0x80 { at += 1 }
    return at
  }

  private static func continuations(_ bytes: UnsafeRawBufferPointer, from: Int, to: Int) -> Int {
    var count = 0
    var at = from
    while at + 8 <= to {
      let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      // The high bit of a byte is set and the next is not: a continuation byte.
      let found = (word & ~(word << 1)) & 0x8080_8080_8080_8080
      count += found.nonzeroBitCount
      at += 8
    }
    while at < to {
      if bytes[at] & 0xC0 == 0x80 { count += 1 }
      at += 1
    }
    return count
  }
}
