/// Readers of fixed layouts.
///
/// Callers have checked the bounds; offsets are constants of the formats.
extension UnsafeRawBufferPointer {
  package func u16(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  package func u32(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  package func u64(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  package func slice(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
  }

  package func isZero(from: Int, to: Int) -> Bool {
    var i = from
    while i + 8 <= to {
      if loadUnaligned(fromByteOffset: i, as: UInt64.self) != 0 { return false }
      i += 8
    }
    while i < to {
      if self[i] != 0 { return false }
      i += 1
    }
    return true
  }

  package var isZero: Bool { isZero(from: 0, to: count) }
}
