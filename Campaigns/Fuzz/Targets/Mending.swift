import DaybookEventCore
import DaybookFrames
import DaybookLogEngine

/// Corrects checksums, so that changed bytes reach the code behind them.
///
/// No fuzzer guesses a CRC, and damage that a checksum finds needs no further test.
enum Mending {
  /// Writes the checksum of the covered bytes at `offset`; does nothing if there are too few bytes.
  static func sum(_ bytes: inout [UInt8], _ covered: Range<Int>, at offset: Int) {
    guard covered.upperBound <= bytes.count, offset + 4 <= bytes.count else { return }
    put(CRC32C.checksum(Array(bytes[covered])), at: offset, into: &bytes)
  }

  static func put<T: FixedWidthInteger>(_ value: T, at offset: Int, into bytes: inout [UInt8]) {
    let size = MemoryLayout<T>.size
    guard offset >= 0, offset + size <= bytes.count else { return }
    withUnsafeBytes(of: value.littleEndian) {
      bytes.replaceSubrange(offset..<offset + size, with: $0)
    }
  }

  static func u32(_ bytes: [UInt8], _ offset: Int) -> Int {
    guard offset + 4 <= bytes.count else { return 0 }
    return (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  static func u64(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    UInt64(u32(bytes, offset)) | UInt64(u32(bytes, offset + 4)) << 32
  }

  static func segmentHeader(_ bytes: inout [UInt8]) {
    sum(&bytes, 0..<SegmentHeader.checksumOffset, at: SegmentHeader.checksumOffset)
  }

  static func recordHeader(_ bytes: inout [UInt8]) {
    sum(&bytes, 0..<RecordHeader.checksumOffset, at: RecordHeader.checksumOffset)
  }

  /// Corrects a frame's checksum, which covers its header and its stored bytes.
  static func frame(_ bytes: inout [UInt8]) {
    let (place, size) = (FrameHeader.checksumOffset, FrameHeader.size)
    guard bytes.count >= size else { return }
    let header = CRC32C.checksum(Array(bytes[..<place]))
    put(CRC32C.checksum(Array(bytes[size...]), continuing: header), at: place, into: &bytes)
  }

  /// Corrects a whole segment: its header, its consecutive records, and the trailer.
  static func segment(_ bytes: inout [UInt8]) {
    segmentHeader(&bytes)
    let salt = u64(bytes, 16 + 8)
    var offset = SegmentHeader.size
    while offset + RecordHeader.size <= bytes.count {
      var header = Array(bytes[offset..<offset + RecordHeader.size])
      // The rest is reserved space that was never written.
      guard header.contains(where: { $0 != 0 }) else { break }
      put(salt, at: 0, into: &header)
      put(UInt32(offset), at: RecordHeader.offsetOffset, into: &header)
      recordHeader(&header)
      bytes.replaceSubrange(offset..<offset + RecordHeader.size, with: header)
      let start = offset + RecordHeader.size
      let length = u32(header, RecordHeader.lengthOffset)
      guard length <= bytes.count - start else { break }
      if length > 0 { payload(of: header[RecordHeader.kindOffset], start..<start + length, &bytes) }
      offset = start + length
    }
    let trailer = bytes.count - SegmentTrailer.size
    guard trailer >= SegmentHeader.size, bytes[trailer...].starts(with: Array("SEAL".utf8)) else {
      return
    }
    put(UInt32(truncatingIfNeeded: salt), at: trailer + SegmentTrailer.saltOffset, into: &bytes)
    let end = trailer + SegmentTrailer.checksumOffset
    sum(&bytes, trailer..<end, at: end)
  }

  private static func payload(of kind: UInt8, _ range: Range<Int>, _ bytes: inout [UInt8]) {
    if kind == RecordHeader.Kind.frame {
      var payload = Array(bytes[range])
      frame(&payload)
      bytes.replaceSubrange(range, with: payload)
    } else {
      let end = range.upperBound - RecordHeader.payloadChecksumSize
      if end >= range.lowerBound { sum(&bytes, range.lowerBound..<end, at: end) }
    }
  }
}
