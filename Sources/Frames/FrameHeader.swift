package import DaybookEventCore

/// The first 76 bytes of a frame, which say whose events it holds, which ones, and how.
///
/// ```
/// u8 version · u8 codec · 2 zero · u32 count · 16 origin · u64 first sequence
/// u32 raw length · u32 stored length · 32 chain value after the last event
/// u32 CRC-32C over the header before it and the stored bytes
/// ```
package struct FrameHeader: Hashable, Sendable {
  package static let version: UInt8 = 1

  /// The numbers of the encodings of a frame's stored bytes.
  package enum Codec {
    package static let stored: UInt8 = 0
    package static let lz4: UInt8 = 1
  }

  static let codecOffset = 1
  static let reservedOffset = codecOffset + 1
  static let countOffset = reservedOffset + 2
  static let originOffset = countOffset + 4
  static let firstSequenceOffset = originOffset + 16
  static let rawLengthOffset = firstSequenceOffset + 8
  package static let storedLengthOffset = rawLengthOffset + 4
  static let chainOffset = storedLengthOffset + 4
  package static let checksumOffset = chainOffset + 32
  package static let size = checksumOffset + 4

  /// The largest number of raw bytes in a frame: one event of the largest size, with overhead.
  package static let rawLengthMax = Body.eventBytesMax + (64 << 10)
  /// The smallest number of bytes that an event takes in a frame: two lengths of one byte.
  private static let eventBytesMin = 2

  package let codec: UInt8
  /// The number of events, at least 1.
  package let count: Int
  package let origin: ReplicaID
  package let firstSequence: UInt64
  /// The bytes of the events before compression.
  package let rawLength: Int
  /// The number of bytes that follow the header.
  package let storedLength: Int
  /// The origin's chain value after the frame's last event.
  package let chain: Hash256

  package var lastSequence: UInt64 { firstSequence + UInt64(count) - 1 }
  package var sequences: ClosedRange<UInt64> { firstSequence...lastSequence }

  package init(
    codec: UInt8, count: Int, origin: ReplicaID, firstSequence: UInt64, rawLength: Int,
    storedLength: Int, chain: Hash256
  ) {
    self.codec = codec
    self.count = count
    self.origin = origin
    self.firstSequence = firstSequence
    self.rawLength = rawLength
    self.storedLength = storedLength
    self.chain = chain
  }

  /// Reads the header of a whole frame and checks everything except the compressed contents.
  ///
  /// - Throws: ``FrameError/Code/malformed``, ``FrameError/Code/tooLarge``;
  ///   ``FrameError/Code/newerFormat`` if the version is not known.
  package init(checking frame: UnsafeRawBufferPointer) throws(FrameError) {
    guard frame.count >= Self.size else {
      throw FrameError(.malformed, "a frame of \(frame.count) bytes ends within its header")
    }
    guard frame[0] == Self.version else {
      throw FrameError(
        .newerFormat, "a frame of version \(frame[0]) is not known here",
        hint: "update this software")
    }
    try self.init(fields: frame)
    guard frame.count == Self.size + storedLength else {
      throw FrameError(
        .malformed, "a frame of \(frame.count) bytes says that it stores \(storedLength)")
    }
    guard Self.checksum(of: frame) == frame.u32(Self.checksumOffset) else {
      throw FrameError(.malformed, "a frame's contents do not match their checksum")
    }
  }

  /// Decodes the fields without the checksum, as a damaged frame claims them.
  ///
  /// - Throws: ``FrameError/Code/malformed``, ``FrameError/Code/tooLarge`` if no frame can have
  ///   them.
  package init(fields frame: UnsafeRawBufferPointer) throws(FrameError) {
    let count = frame.u32(Self.countOffset)
    let first = frame.u64(Self.firstSequenceOffset)
    let raw = Int(frame.u32(Self.rawLengthOffset))
    let stored = Int(frame.u32(Self.storedLengthOffset))
    let codec = frame[Self.codecOffset]
    guard frame.isZero(from: Self.reservedOffset, to: Self.countOffset) else {
      throw FrameError(.malformed, "a frame's reserved bytes are not zero")
    }
    self.init(
      codec: codec, count: Int(count),
      origin: ReplicaID(bytes: frame.slice(Self.originOffset, 16)), firstSequence: first,
      rawLength: raw, storedLength: stored, chain: Hash256(bytes: frame.slice(Self.chainOffset, 32))
    )
    try check()
  }

  /// Checks the fields.
  ///
  /// - Throws: ``FrameError/Code/malformed``, ``FrameError/Code/tooLarge`` if no frame can have
  ///   them.
  func check() throws(FrameError) {
    guard rawLength <= Self.rawLengthMax, storedLength <= Self.rawLengthMax else {
      throw FrameError(
        .tooLarge, "a frame says that it holds \(rawLength) bytes, stored as \(storedLength)")
    }
    guard count > 0, count <= rawLength / Self.eventBytesMin,
      firstSequence > 0, firstSequence < UInt64(Int64.max) - UInt64(count)
    else {
      throw FrameError(
        .malformed, "a frame says that it holds \(count) events from \(firstSequence)")
    }
    guard codec != Codec.stored || rawLength == storedLength,
      codec != Codec.lz4 || storedLength < rawLength
    else {
      throw FrameError(
        .malformed, "a frame stores \(rawLength) bytes as \(storedLength) with codec \(codec)")
    }
  }

  /// Returns the bytes of the frame: the header, with the checksum, and the stored bytes.
  package func frame(storing stored: UnsafeRawBufferPointer) -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size + stored.count)
    writer.byte(Self.version)
    writer.byte(codec)
    writer.integer(UInt16(0))
    writer.integer(UInt32(count))
    writer.replicaID(origin)
    writer.integer(firstSequence)
    writer.integer(UInt32(rawLength))
    writer.integer(UInt32(storedLength))
    writer.hash(chain)
    writer.integer(CRC32C.checksum(stored, continuing: CRC32C.checksum(writer.bytes)))
    writer.raw(stored)
    return writer.bytes
  }

  private static func checksum(of frame: UnsafeRawBufferPointer) -> UInt32 {
    CRC32C.checksum(
      frame.slice(size, frame.count - size),
      continuing: CRC32C.checksum(frame.slice(0, checksumOffset)))
  }
}
