/// A cursor over bytes that the caller keeps alive; every read is checked against the end.
///
/// Integers are little-endian. A *varint* is unsigned LEB128 in its shortest form.
@frozen
package struct ByteReader {
  package let bytes: UnsafeRawBufferPointer
  package var offset: Int

  @inlinable
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    self.offset = 0
  }

  @inlinable package var remaining: Int { bytes.count - offset }
  @inlinable package var isAtEnd: Bool { offset == bytes.count }

  @inlinable
  package mutating func byte() throws(EventError) -> UInt8 {
    guard offset < bytes.count else { throw truncated() }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads the next `count` bytes in place, without copying.
  @inlinable
  package mutating func take(_ count: Int) throws(EventError) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= bytes.count - offset else { throw truncated() }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  @inlinable
  package mutating func integer<T: FixedWidthInteger>(_: T.Type) throws(EventError) -> T {
    let size = MemoryLayout<T>.size
    guard size <= bytes.count - offset else { throw truncated() }
    defer { offset += size }
    return T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  @inlinable
  package mutating func varint() throws(EventError) -> UInt64 {
    guard offset < bytes.count else { throw truncated() }
    let first = bytes[offset]
    if first < 0x80 {
      offset += 1
      return UInt64(first)
    }
    return try longVarint()
  }

  @usableFromInline
  mutating func longVarint() throws(EventError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    let start = offset
    while true {
      guard offset < bytes.count else { throw truncated() }
      let byte = bytes[offset]
      offset += 1
      if shift == 63, byte > 1 {
        throw EventError(.malformed, "varint over 64 bits", offset: start)
      }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        if byte == 0, shift > 0 {
          throw EventError(.notCanonical, "varint not in its shortest form", offset: start)
        }
        return value
      }
      shift += 7
    }
  }

  /// Reads a varint that counts items of at least one byte each.
  ///
  /// - Throws: ``EventError`` if the count exceeds the remaining bytes, or is no varint.
  @inlinable
  package mutating func count() throws(EventError) -> Int {
    let value = try varint()
    guard value <= UInt64(remaining) else { throw truncated() }
    return Int(value)
  }

  /// Reads a varint that is an index or another number of at most 32 bits.
  @inlinable
  package mutating func index() throws(EventError) -> Int {
    let value = try varint()
    guard value <= UInt64(UInt32.max) else {
      throw EventError(.malformed, "number over 32 bits", offset: offset)
    }
    return Int(value)
  }

  @inlinable
  package mutating func signedVarint() throws(EventError) -> Int64 {
    let raw = try varint()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  /// Reads bytes that their count precedes, in place.
  @inlinable
  package mutating func counted() throws(EventError) -> UnsafeRawBufferPointer {
    try take(try count())
  }

  /// Reads text that its count of UTF-8 bytes precedes.
  package mutating func text() throws(EventError) -> String {
    let start = offset
    let raw = try counted()
    guard UTF8Validation.isValid(raw) else {
      throw EventError(.invalidValue, "text is not valid UTF-8", offset: start)
    }
    return String(decoding: raw, as: UTF8.self)
  }

  package mutating func replicaID() throws(EventError) -> ReplicaID {
    ReplicaID(bytes: try take(16))
  }

  package mutating func hash() throws(EventError) -> Hash256 {
    Hash256(bytes: try take(32))
  }

  /// Throws ``EventError/Code/malformed`` unless all bytes were read.
  @inlinable
  package func end(of what: StaticString) throws(EventError) {
    if offset != bytes.count { throw trailing(what) }
  }

  @usableFromInline func truncated() -> EventError {
    EventError(.truncated, "the bytes end too early", offset: offset)
  }

  @usableFromInline func trailing(_ what: StaticString) -> EventError {
    EventError(.malformed, "\(remaining) bytes too many after \(what)", offset: offset)
  }
}
