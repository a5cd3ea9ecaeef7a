import DaybookEventCore

/// An operation on an entity, as it is packed in a partition.
///
/// Integers are little-endian:
///
/// `u32 size of the rest · u32 hash · u32 collection · u32 origin · u32 operation · u64 sequence ·
/// u64 authored · u16 id size · u8 kind · u8 0 · id · u32 n · n × (varint field · value)`
struct RebuildOperation {
  static let headerSize = 40

  let bytes: UnsafeRawBufferPointer
  let offset: Int

  var size: Int { 4 + Int(load(0, UInt32.self)) }
  var hash: UInt32 { load(4, UInt32.self) }
  var collection: Int { Int(load(8, UInt32.self)) }
  private var idSize: Int { Int(load(36, UInt16.self)) }
  var kind: UInt64 { UInt64(load(38, UInt8.self)) }
  var ref: WriteRef {
    WriteRef(
      origin: Int(load(12, UInt32.self)), sequence: load(20, UInt64.self),
      operation: load(16, UInt32.self))
  }

  var authored: HybridTime { HybridTime(rawValue: load(28, UInt64.self)) }

  var id: UnsafeRawBufferPointer { slice(Self.headerSize, idSize) }

  var fieldCount: Int { Int(load(Self.headerSize + idSize, UInt32.self)) }

  /// The encoded fields, each a varint number and a value.
  var fields: UnsafeRawBufferPointer {
    let start = Self.headerSize + idSize + 4
    return slice(start, size - start)
  }

  func isSameEntity(as other: RebuildOperation) -> Bool {
    collection == other.collection && id.hasSameBytes(as: other.id)
  }

  private func load<T: FixedWidthInteger>(_ at: Int, _: T.Type) -> T {
    T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + at, as: T.self))
  }

  private func slice(_ at: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[offset + at..<offset + at + count])
  }

  /// Returns a hash of the collection and the id.
  ///
  /// It takes the id in words of eight bytes and finishes as MurmurHash3 does. RebuildPartitions
  /// use the highest bits and slots the lowest, and both come out even.
  static func hash(collection: Int, id: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(truncatingIfNeeded: wideHash(collection: collection, id: id))
  }

  static func wideHash(collection: Int, id: UnsafeRawBufferPointer) -> UInt64 {
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
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }
}

/// The operations on one entity, in the order of the log.
///
/// There may be hundreds of thousands, so only their places are kept.
struct RebuildOperations: RandomAccessCollection {
  let bytes: UnsafeRawBufferPointer
  let offsets: [Int]

  var startIndex: Int { 0 }
  var endIndex: Int { offsets.count }

  subscript(position: Int) -> RebuildOperation {
    RebuildOperation(bytes: bytes, offset: offsets[position])
  }
}

/// Appends one operation to a partition.
struct RebuildOperationWriter {
  private let buffer: RebuildBuffer
  private let start: Int
  private let countOffset: Int
  private var fieldCount: UInt32 = 0

  init(
    _ buffer: RebuildBuffer, hash: UInt32, collection: Int, kind: UInt64, ref: WriteRef,
    authored: HybridTime, id: UnsafeRawBufferPointer
  ) {
    self.buffer = buffer
    start = buffer.count
    countOffset = start + RebuildOperation.headerSize + id.count
    let header = buffer.append(RebuildOperation.headerSize)
    func store<T: FixedWidthInteger>(_ value: T, _ offset: Int) {
      header.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }
    store(hash, 4)
    store(UInt32(truncatingIfNeeded: collection), 8)
    store(UInt32(truncatingIfNeeded: ref.origin), 12)
    store(ref.operation, 16)
    store(ref.sequence, 20)
    store(authored.rawValue, 28)
    store(UInt16(truncatingIfNeeded: id.count), 36)
    store(UInt8(truncatingIfNeeded: kind), 38)
    store(UInt8(0), 39)
    buffer.append(id)
    // The number of fields is known only after all of them have been read.
    _ = buffer.append(4)
  }

  mutating func add(_ field: Int, _ value: UnsafeRawBufferPointer) {
    var rest = UInt64(field)
    while rest >= 0x80 {
      buffer.append(1).storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
      rest >>= 7
    }
    buffer.append(1).storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    buffer.append(value)
    fieldCount += 1
  }

  func finish() {
    buffer.patch(fieldCount, at: countOffset)
    buffer.patch(UInt32(truncatingIfNeeded: buffer.count - start - 4), at: start)
  }
}
