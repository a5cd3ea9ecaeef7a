/// Takes an input to pieces, for targets that need more than one: what is missing at its end is
/// zero, so that every input says something.
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

  /// Little-endian.
  mutating func integer<T: FixedWidthInteger>(_: T.Type) -> T {
    var value: T = 0
    for i in 0..<MemoryLayout<T>.size { value |= T(truncatingIfNeeded: byte()) << T(8 * i) }
    return value
  }

  /// So many bytes, or what there is of them.
  mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    let end = min(offset + count, bytes.count)
    defer { offset = end }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
  }

  mutating func rest() -> UnsafeRawBufferPointer { take(bytes.count - offset) }
}
