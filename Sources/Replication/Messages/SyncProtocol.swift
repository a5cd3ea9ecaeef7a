internal import EventCore

/// The protocol's versions, its limits, the three bytes that every message begins with, and the four
/// that it ends with: the CRC-32C of all before them, little-endian.
///
/// Signatures say who wrote events. The checksum is for what is not signed: one bit off in a zone or in
/// what a replica holds would be believed.
public enum SyncProtocol {
  /// What this software speaks, from the oldest version to the newest; see ``VersionChoice``.
  public static let versions: ClosedRange<UInt8> = 1...1
  /// Of files in shared folders, which nobody can be asked to write again in another version.
  public static let fileVersion: UInt8 = 1
  /// Most bytes of a message: one event of the largest size and what surrounds it, twice.
  public static let messageBytesMax = 40 << 20
  /// Bytes of ranges in a message, about, unless told otherwise.
  public static let batchBytes = 4 << 20
  /// Most ranges of a message, and most frames in them. A message of ``messageBytesMax`` has room for many more, if they
  /// are of a few bytes each, and each takes some hundred bytes of memory.
  public static let rangesMax = 1 << 16
  public static let framesMax = 1 << 17
  /// Most events of a message, or of a file of a shared folder.
  public static let eventsMax = 1 << 21
  /// Most bytes that a message's frames are when they are decompressed.
  public static let rawBytesMax = 256 << 20
  /// Most runs in which a message says that one origin is held. A replica takes no more beyond gaps.
  public static let runsMax = 1024
  /// Most runs in which a message says that all origins are held.
  public static let reportRunsMax = 1 << 18
  /// A receiver judges no more of a message once it has refused so many of its ranges.
  public static let refusalsMax = 256
  /// Nor more of an origin, once so many of its ranges told nothing new.
  public static let knownMax = 256
  /// Most origins of which an event says that its author had seen more than at the event before.
  public static let contextAdvancesMax = ContextDelta.advancesMax
  /// Most bytes of the body of an event that says who a replica is, or of one with stamps: every replica decodes those as
  /// a whole.
  public static let controlBytesMax = 1 << 20

  /// A head closes a range at the first frame that reaches one of these. Whoever passes events on can
  /// end a range only where a head does: this is how closely an answer keeps to its size.
  public static let rangeEvents = 1024
  public static let rangeBytes = 64 << 10

  private static let magic = UInt8(ascii: "D")

  enum Kind: UInt8 {
    case request = 1
    case response = 2
    /// Of a shared folder.
    case file = 3
  }

  static func begin(_ kind: Kind, version: UInt8, capacity: Int) -> ByteWriter {
    var writer = ByteWriter(capacity: capacity)
    writer.byte(magic)
    writer.byte(kind.rawValue)
    writer.byte(version)
    return writer
  }

  /// Ends a message.
  static func finish(_ writer: inout ByteWriter) -> [UInt8] {
    writer.integer(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  /// A reader of what is between the first three bytes and the checksum, and the version.
  static func open(
    _ kind: Kind, _ bytes: UnsafeRawBufferPointer, _ versions: ClosedRange<UInt8>
  ) throws(EventError) -> (ByteReader, version: UInt8) {
    // The version comes first: later ones may end in another way.
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

  /// A reader of what is behind the first three bytes, and the version.
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
        "version \(version) of the sync protocol is not known here: \(VersionChoice.text(versions)) is",
        offset: 2)
    }
    return (reader, version)
  }
}
