import DaybookEventCore
package import DaybookFrames

/// The state that the processes of a store share in its lock file.
///
/// `u32 magic · u32 flags · u64 generation · 12 zero · u32 CRC-32C`: 32 bytes. The file is empty
/// until the store is first written to.
package struct LockState: Hashable, Sendable {
  private static let magic: UInt32 = 0x4B4C_4244  // "DBLK"
  private static let poisonFlag: UInt32 = 1

  static let flagsOffset = 4
  static let generationOffset = flagsOffset + 4
  static let reservedOffset = generationOffset + 8
  package static let checksumOffset = reservedOffset + 12
  package static let size = checksumOffset + 4

  /// A number that changes before a file of the log is added, replaced or cut.
  ///
  /// A process that remembers another number must list the segments again.
  package var generation: UInt64 = 0
  /// Whether a write or fsync of the active segment failed; opening the log again recovers from it.
  package var isPoisoned = false
  /// The number of the lock file, as this process counts them.
  ///
  /// It is not stored in the file. Another number means that the file was removed or replaced, so
  /// that a remembered generation proves nothing.
  package var file: UInt64 = 0

  package init() {}

  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.integer(Self.magic)
    writer.integer(isPoisoned ? Self.poisonFlag : 0)
    writer.integer(generation)
    writer.raw([UInt8](repeating: 0, count: Self.checksumOffset - Self.reservedOffset))
    writer.integer(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  /// Decodes the state; no bytes at all are the state of an unwritten store.
  ///
  /// - Throws: ``LogError/Code/damaged``.
  package init(decoding bytes: [UInt8]) throws(LogError) {
    if bytes.isEmpty { return }
    guard bytes.count == Self.size else {
      throw .damaged("the lock file has \(bytes.count) bytes instead of \(Self.size)")
    }
    let fields = bytes.withUnsafeBytes { raw in
      (
        magic: raw.u32(0), flags: raw.u32(Self.flagsOffset),
        generation: raw.u64(Self.generationOffset), checksum: raw.u32(Self.checksumOffset),
        isSound: CRC32C.checksum(raw.slice(0, Self.checksumOffset))
          == raw.u32(Self.checksumOffset)
          && raw.isZero(from: Self.reservedOffset, to: Self.checksumOffset)
      )
    }
    guard fields.isSound, fields.magic == Self.magic, fields.flags & ~Self.poisonFlag == 0 else {
      throw .damaged("the lock file's contents do not match their checksum")
    }
    generation = fields.generation
    isPoisoned = fields.flags & Self.poisonFlag != 0
  }
}
