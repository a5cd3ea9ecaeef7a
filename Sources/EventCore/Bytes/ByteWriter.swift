/// A buffer of bytes that ``ByteReader`` can read.
@frozen
package struct ByteWriter {
  package var bytes: [UInt8]

  @inlinable
  package init(capacity: Int = 0) {
    bytes = []
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  @inlinable package var count: Int { bytes.count }

  @inlinable package mutating func byte(_ value: UInt8) { bytes.append(value) }

  @inlinable
  package mutating func integer<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  @inlinable
  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a count, length or index as a varint; it must not be negative.
  @inlinable package mutating func varint(_ value: Int) { varint(UInt64(value)) }

  @inlinable
  package mutating func signedVarint(_ value: Int64) {
    varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  @inlinable
  package mutating func raw(_ other: UnsafeRawBufferPointer) { bytes.append(contentsOf: other) }

  @inlinable package mutating func raw(_ other: [UInt8]) { bytes.append(contentsOf: other) }

  @inlinable
  package mutating func counted(_ other: [UInt8]) {
    varint(other.count)
    bytes.append(contentsOf: other)
  }

  @inlinable
  package mutating func counted(_ other: UnsafeRawBufferPointer) {
    varint(other.count)
    bytes.append(contentsOf: other)
  }

  @inlinable
  package mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { counted(UnsafeRawBufferPointer($0)) }
  }

  @inlinable
  package mutating func replicaID(_ id: ReplicaID) {
    integer(id.high.bigEndian)
    integer(id.low.bigEndian)
  }

  @inlinable
  package mutating func hash(_ hash: Hash256) {
    hash.withBytes { bytes.append(contentsOf: $0) }
  }
}
