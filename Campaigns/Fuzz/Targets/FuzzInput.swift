/// Splits an input, for targets that need several values.
///
/// Missing bytes at the end read as zero, so that every input is valid.
struct FuzzInput {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset >= bytes.count }

  mutating func byte() -> UInt8 {
    guard offset < bytes.count else { return 0 }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Returns the next integer, little-endian.
  mutating func integer<T: FixedWidthInteger>(_: T.Type) -> T {
    var value: T = 0
    for i in 0..<MemoryLayout<T>.size { value |= T(truncatingIfNeeded: byte()) << T(8 * i) }
    return value
  }

  /// Returns the next `count` bytes, or the rest if there are fewer.
  mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    let end = min(offset + count, bytes.count)
    defer { offset = end }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
  }

  mutating func rest() -> UnsafeRawBufferPointer { take(bytes.count - offset) }
}
