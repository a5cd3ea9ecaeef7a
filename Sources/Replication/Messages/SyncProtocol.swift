import DaybookEventCore

/// The versions and limits of the sync protocol, and the envelope of its messages.
///
/// Every message begins with three bytes, and ends with the CRC-32C of all bytes before it,
/// little-endian.
///
/// Signatures prove who wrote events. The checksum protects the unsigned parts: without it, a
/// flipped bit in a zone or in a report would be believed.
package enum SyncProtocol {
  /// The versions that this software speaks, from the oldest to the newest; see ``VersionChoice``.
  package static let versions: ClosedRange<UInt8> = 1...1
  /// The version of files in shared folders. A reader cannot ask for another version of them.
  package static let fileVersion: UInt8 = 1
  /// The most bytes of a message: twice an event of the largest size, with its framing.
  package static let messageBytesMax = 40 << 20
  /// The approximate bytes of ranges in a message, by default.
  package static let batchBytes = 4 << 20
  /// The most ranges of a message.
  ///
  /// Each takes about a hundred bytes of memory. A message of ``messageBytesMax`` has room for many
  /// more, if each is of a few bytes.
  package static let rangesMax = 1 << 16
  /// The most frames in all ranges of a message. Each takes about a hundred bytes of memory.
  package static let framesMax = 1 << 17
  /// The most events of a message, or of a file of a shared folder.
  package static let eventsMax = 1 << 21
  /// The most bytes of a message's frames after decompression.
  package static let rawBytesMax = 256 << 20
  /// The most runs of one origin in a report. A replica accepts no more runs beyond gaps.
  package static let runsMax = 1024
  /// The most runs of all origins in a report.
  package static let reportRunsMax = 1 << 18
  /// The most refused ranges in a message. A receiver checks no more ranges after them.
  package static let refusalsMax = 256
  /// The most ranges of one origin in a message that bring nothing new. A receiver checks no more
  /// of that origin after them.
  package static let knownMax = 256
  /// The most origins in an event's context: those of which its author had seen more than at its
  /// event before.
  package static let contextAdvancesMax = ContextDelta.advancesMax
  /// The most bytes in the body of an identity event or a stamps event. Every replica decodes those
  /// as a whole.
  package static let controlBytesMax = 1 << 20

  /// The number of events at which a head closes a range.
  ///
  /// A head closes a range at the first frame that reaches ``rangeEvents`` or ``rangeBytes``. A
  /// replica that passes events on can end a range only at a head, which limits how closely an
  /// answer keeps to its size. On a line that breaks, what is lost is up to one range each time.
  package static let rangeEvents = 1024
  /// The number of bytes at which a head closes a range; see ``rangeEvents``.
  package static let rangeBytes = 24 << 10

  private static let magic = UInt8(ascii: "D")

  enum Kind: UInt8 {
    case request = 1
    case response = 2
    /// A file of a shared folder.
    case file = 3
  }

  static func begin(_ kind: Kind, version: UInt8, capacity: Int) -> ByteWriter {
    var writer = ByteWriter(capacity: capacity)
    writer.byte(magic)
    writer.byte(kind.rawValue)
    writer.byte(version)
    return writer
  }

  /// Ends a message with its checksum, and returns its bytes.
  static func finish(_ writer: inout ByteWriter) -> [UInt8] {
    writer.integer(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  /// Returns a reader of the bytes between the first three and the checksum, and the version.
  /// - Throws: `EventError`: `.malformed` if the checksum does not match; `.unknownVersion` if the
  ///   version is not among `versions`; `.tooLarge` beyond ``messageBytesMax``.
  static func open(
    _ kind: Kind, _ bytes: UnsafeRawBufferPointer, _ versions: ClosedRange<UInt8>
  ) throws(EventError) -> (ByteReader, version: UInt8) {
    // Check the version first, as later versions may end differently.
    let (begun, version) = try begun(kind, bytes, versions)
    let start = begun.offset
    guard bytes.count >= start + 4 else {
      throw EventError(.malformed, "a message of \(bytes.count) bytes", offset: 0)
    }
    let content = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    let said = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: content.count, as: UInt32.self))
    guard CRC32C.checksum(content) == said else {
      throw EventError(
        .malformed, "a message was changed on its way: its checksum does not match",
        offset: content.count)
    }
    var reader = ByteReader(content)
    reader.offset = start
    return (reader, version)
  }

  /// Returns a reader of the bytes after the first three, and the version.
  /// - Throws: `EventError`: `.malformed` for another kind of message; `.unknownVersion` if the
  ///   version is not among `versions`; `.tooLarge` beyond ``messageBytesMax``.
  static func begun(
    _ kind: Kind, _ bytes: UnsafeRawBufferPointer, _ versions: ClosedRange<UInt8>
  ) throws(EventError) -> (ByteReader, version: UInt8) {
    var reader = ByteReader(bytes)
    guard bytes.count <= messageBytesMax else {
      throw EventError(.tooLarge, "a message of \(bytes.count) bytes")
    }
    guard try reader.byte() == magic, try reader.byte() == kind.rawValue else {
      throw EventError(.malformed, "this is no \(kind) of the sync protocol", offset: 0)
    }
    let version = try reader.byte()
    guard versions.contains(version) else {
      throw EventError(
        .unknownVersion,
        "version \(version) of the sync protocol is not known here: "
          + "\(VersionChoice.text(versions)) is",
        offset: 2)
    }
    return (reader, version)
  }
}
