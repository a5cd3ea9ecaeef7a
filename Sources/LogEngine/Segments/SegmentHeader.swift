import DaybookEventCore
package import DaybookFrames

/// The first 64 bytes of a segment file.
///
/// ```
/// 8 magic · u16 version · u16 header length · u32 flags · u64 number · u64 salt
/// u64 previous end · 20 zero · u32 CRC-32C over the 60 bytes before
/// ```
package struct SegmentHeader: Hashable, Sendable {
  static let magic = Array("DAYBOOK\u{1}".utf8)
  static let version: UInt16 = 1
  /// The flag of a segment that came into the log sealed: the whole file was durable before.
  private static let completeFlag: UInt32 = 1

  static let versionOffset = 8
  static let lengthOffset = versionOffset + 2
  static let flagsOffset = lengthOffset + 2
  static let numberOffset = flagsOffset + 4
  static let saltOffset = numberOffset + 8
  static let previousEndOffset = saltOffset + 8
  static let reservedOffset = previousEndOffset + 8
  package static let checksumOffset = reservedOffset + 20
  package static let size = checksumOffset + 4

  /// The segment's number, from 1; the file is named after it.
  package var number: UInt64
  /// Random bits, so that no record of another segment, and no user data, passes for a record here.
  package var salt: UInt64
  /// The end of the segment before this one when this one was begun.
  ///
  /// That much of it was durable. Unless that segment was sealed later, bytes beyond this offset do
  /// not count.
  var previousEnd: UInt64
  /// Whether the segment was written beside the log and came into it sealed.
  var isComplete = false

  package init(number: UInt64, salt: UInt64, previousEnd: UInt64, isComplete: Bool = false) {
    self.number = number
    self.salt = salt
    self.previousEnd = previousEnd
    self.isComplete = isComplete
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.raw(Self.magic)
    writer.integer(Self.version)
    writer.integer(UInt16(Self.size))
    writer.integer(isComplete ? Self.completeFlag : 0)
    writer.integer(number)
    writer.integer(salt)
    writer.integer(previousEnd)
    writer.raw([UInt8](repeating: 0, count: Self.checksumOffset - Self.reservedOffset))
    writer.integer(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  /// Decodes a header.
  ///
  /// - Throws: ``LogError/Code/damaged``; ``LogError/Code/newerFormat`` if a sound header is of a
  ///   later version.
  package init(decoding bytes: [UInt8]) throws(LogError) {
    self = try bytes.withRawBytes { raw throws(LogError) in try Self.decode(raw) }
  }

  private static func decode(_ bytes: UnsafeRawBufferPointer) throws(LogError) -> SegmentHeader {
    guard bytes.count == size else {
      throw .damaged("a segment of \(bytes.count) bytes ends within its header")
    }
    guard bytes.prefix(magic.count).elementsEqual(magic),
      CRC32C.checksum(bytes.slice(0, checksumOffset)) == bytes.u32(checksumOffset)
    else { throw .damaged("a segment's header does not match its checksum") }
    guard bytes.u16(versionOffset) == version, bytes.u32(flagsOffset) & ~completeFlag == 0,
      bytes.u16(lengthOffset) == UInt16(size),
      bytes.isZero(from: reservedOffset, to: checksumOffset)
    else {
      throw LogError(
        .newerFormat,
        "a segment of version \(bytes.u16(versionOffset)), flags \(bytes.u32(flagsOffset)), "
          + "is not known here", hint: "update this software")
    }
    let previousEnd = bytes.u64(previousEndOffset)
    guard previousEnd == 0 || (UInt64(size)...UInt64(UInt32.max)).contains(previousEnd) else {
      throw .damaged("a segment says that the one before it ended at no possible offset")
    }
    return SegmentHeader(
      number: bytes.u64(numberOffset), salt: bytes.u64(saltOffset),
      previousEnd: previousEnd,
      isComplete: bytes.u32(flagsOffset) & completeFlag != 0)
  }
}
