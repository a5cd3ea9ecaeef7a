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

  /// Returns the number of scalars before a number of UTF-16 code units, at most those of the text.
  ///
  /// - Parameters:
  ///   - offset: The code units to pass over.
  ///   - bytes: Valid UTF-8.
  /// - Returns: The scalars, and whether they have exactly so many code units. Of a place within a
  ///   surrogate pair, the scalars before the pair.
  package static func scalars(
    ofUTF16 offset: Int, in bytes: UnsafeRawBufferPointer
  ) -> (scalars: Int, isExact: Bool) {
    var (at, scalars, left) = (0, 0, max(0, offset))
    // Scalars have at most as many code units as bytes, so none is passed over too much.
    while left > 0, at < bytes.count {
      let end = min(bytes.count, at + left)
      let begun = end - at - continuations(bytes, from: at, to: end)
      let pairs = pairs(bytes, from: at, to: end)
      // The last scalar may be a pair of which only the first half fits.
      if begun + pairs > left { return (scalars + begun - 1, false) }
      scalars += begun
      left -= begun + pairs
      at = end
      while at < bytes.count, bytes[at] & 0xC0 == 0x80 { at += 1 }
    }
    return (scalars, left == 0)
  }

  /// The number of scalars beginning in a range of bytes that UTF-16 has a surrogate pair for.
  package static func pairs(_ bytes: UnsafeRawBufferPointer, from: Int, to: Int) -> Int {
    var count = 0
    var at = from
    while at + 8 <= to {
      let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      // The four high bits of a byte are set.
      let found = word & (word << 1) & (word << 2) & (word << 3) & 0x8080_8080_8080_8080
      count += found.nonzeroBitCount
      at += 8
    }
    while at < to {
      if bytes[at] >= 0xF0 { count += 1 }
      at += 1
    }
    return count
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
