import EventCore

/// An operation on an entity as it waits in a partition:
///
/// `u32 size of the rest · u32 hash · u32 collection · u32 origin · u32 operation · u64 sequence ·
/// u16 id size · u8 kind · u8 0 · id · u32 n · n × (varint field · value)`
struct BulkOperation {
  static let headerSize = 32

  let bytes: UnsafeRawBufferPointer
  let offset: Int

  var size: Int { 4 + Int(load(0, UInt32.self)) }
  var hash: UInt32 { load(4, UInt32.self) }
  var collection: Int { Int(load(8, UInt32.self)) }
  private var idSize: Int { Int(load(28, UInt16.self)) }
  var kind: UInt64 { UInt64(load(30, UInt8.self)) }
  var ref: WriteRef {
    WriteRef(
      origin: Int(load(12, UInt32.self)), sequence: load(20, UInt64.self),
      operation: load(16, UInt32.self))
  }

  var id: UnsafeRawBufferPointer { slice(Self.headerSize, idSize) }

  var fieldCount: Int { Int(load(Self.headerSize + idSize, UInt32.self)) }

  /// The encoded fields.
  var fields: UnsafeRawBufferPointer {
    let start = Self.headerSize + idSize + 4
    return slice(start, size - start)
  }

  func isSameEntity(as other: BulkOperation) -> Bool {
    collection == other.collection && id.elementsEqualFast(other.id)
  }

  /// The values by field number.
  func values() throws(EventError) -> [Int: Value] {
    var reader = ByteReader(fields)
    var values: [Int: Value] = [:]
    for _ in 0..<fieldCount {
      let field = try reader.index()
      values[field] = try Value.decode(from: &reader)
    }
    return values
  }

  private func load<T: FixedWidthInteger>(_ at: Int, _: T.Type) -> T {
    T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + at, as: T.self))
  }

  private func slice(_ at: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[offset + at..<offset + at + count])
  }

  /// FNV-1a over the collection and the id.
  static func hash(collection: Int, id: UnsafeRawBufferPointer) -> UInt32 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(truncatingIfNeeded: collection)
    var i = 0
    while i + 8 <= id.count {
      hash = (hash ^ id.loadUnaligned(fromByteOffset: i, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 32
      i += 8
    }
    while i < id.count {
      hash = (hash ^ UInt64(id[i])) &* 0x0000_0100_0000_01B3
      i += 1
    }
    return UInt32(truncatingIfNeeded: hash ^ hash >> 29)
  }
}

extension UnsafeRawBufferPointer {
  func elementsEqualFast(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var i = 0
    while i + 8 <= count {
      if loadUnaligned(fromByteOffset: i, as: UInt64.self)
        != other.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      {
        return false
      }
      i += 8
    }
    while i < count {
      if self[i] != other[i] { return false }
      i += 1
    }
    return true
  }
}
