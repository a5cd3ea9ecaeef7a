import DaybookEventCore
import DaybookFrames

/// The file `log/mark`, which states how far the log is durable.
///
/// It is written after each fsync of a segment and before the write is acknowledged. It has two
/// slots of 32 bytes, at 0 and at 512, written in turn; the rest of the 1,024 bytes is zero. A slot
/// is `u64 counter · u64 segment · u64 offset · u32 zero · u32 CRC-32C over the 28 before`.
///
/// The mark is not fsynced with each write, since it is a lower bound: records also state how far
/// their segment was durable when they were written.
package struct MarkFile {
  package static let slotSize = 32
  package static let slotOffsets: [UInt64] = [0, 512]
  package static let size = 1024
  private static let reservedOffset = 24
  private static let checksumOffset = reservedOffset + 4

  package struct Slot: Hashable, Sendable {
    package var counter: UInt64
    package var position: LogPosition

    package func encoded() -> [UInt8] {
      var writer = ByteWriter(capacity: MarkFile.slotSize)
      writer.integer(counter)
      writer.integer(position.segment)
      writer.integer(position.offset)
      writer.integer(UInt32(0))
      writer.integer(CRC32C.checksum(writer.bytes))
      return writer.bytes
    }

    init(counter: UInt64, position: LogPosition) {
      self.counter = counter
      self.position = position
    }

    package init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count == MarkFile.slotSize, bytes.u32(MarkFile.reservedOffset) == 0,
        CRC32C.checksum(bytes.slice(0, MarkFile.checksumOffset))
          == bytes.u32(MarkFile.checksumOffset)
      else { return nil }
      counter = bytes.u64(0)
      position = LogPosition(segment: bytes.u64(8), offset: bytes.u64(16))
      // No segment has such a number or length; later arithmetic relies on these limits.
      guard position.segment < UInt64(Int64.max), position.offset <= UInt64(UInt32.max) else {
        return nil
      }
    }
  }

  private let file: any StorageFile
  /// The newest sound slot that was read or written; nil if neither slot is sound.
  private(set) var newest: Slot?

  /// Whether the mark was not written since it was created, so that it may not be durable.
  ///
  /// The process that created it may have died before its fsync.
  private let isYoung: Bool

  var position: LogPosition? { newest?.position }

  private init(file: any StorageFile, newest: Slot?, isYoung: Bool) {
    self.file = file
    self.newest = newest
    self.isYoung = isYoung
  }

  /// Opens and reads the mark; nil if there is no such file.
  static func open(in storage: any Storage, _ mode: OpenMode) throws(LogError) -> MarkFile? {
    let file: any StorageFile
    do { file = try storage.open(SegmentName.mark, mode) } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    let newest = try Self.newest(in: file)
    let isYoung = newest.map { $0.counter <= slotOffsets.count } ?? true
    return MarkFile(file: file, newest: newest, isYoung: isYoung)
  }

  /// Creates the file durably, with both slots at `position`.
  static func create(in storage: any Storage, at position: LogPosition) throws(LogError)
    -> MarkFile
  {
    let file = try storage.open(SegmentName.mark, .create)
    var bytes = [UInt8](repeating: 0, count: size)
    var newest: Slot?
    for counter in 1...2 as ClosedRange<UInt64> {
      let slot = Slot(counter: counter, position: position)
      let offset = Int(slotOffsets[Int(slot.counter & 1)])
      bytes.replaceSubrange(offset..<offset + slotSize, with: slot.encoded())
      newest = slot
    }
    try file.write(bytes, at: 0)
    try file.truncate(to: UInt64(size))
    try file.sync()
    try storage.syncFolder(SegmentName.folder)
    return MarkFile(file: file, newest: newest, isYoung: false)
  }

  /// Reads the file again, for marks that other processes have written.
  mutating func reload() throws(LogError) { newest = try Self.newest(in: file) }

  private static func newest(in file: any StorageFile) throws(LogError) -> Slot? {
    slots(in: try file.read(at: 0, count: size)).compactMap { $0 }
      .max { $0.counter < $1.counter }
  }

  /// Returns the two slots; nil for a slot that is not sound.
  package static func slots(in bytes: [UInt8]) -> [Slot?] {
    slotOffsets.map { offset in
      guard bytes.count >= Int(offset) + slotSize else { return nil }
      return bytes.withUnsafeBytes { Slot($0.slice(Int(offset), slotSize)) }
    }
  }

  /// Returns a description of what is wrong with the file; nil if it is correct.
  package static func fault(in bytes: [UInt8]) -> String? {
    guard bytes.count == size else { return "the mark has \(bytes.count) bytes instead of \(size)" }
    if slots(in: bytes).contains(nil) { return "a slot of the mark does not match its checksum" }
    let isPadded = bytes.withUnsafeBytes {
      $0.isZero(from: slotSize, to: 512) && $0.isZero(from: 512 + slotSize, to: size)
    }
    return isPadded ? nil : "the unused bytes of the mark are not zero"
  }

  /// Writes a new mark into the slot that is not the newest, with one system call.
  mutating func write(_ position: LogPosition) throws(LogError) {
    let slot = Slot(counter: (newest?.counter ?? 0) &+ 1, position: position)
    try file.write(slot.encoded(), at: Self.slotOffsets[Int(slot.counter & 1)])
    newest = slot
  }

  /// Repairs the file after a power failure, and makes a new file durable.
  ///
  /// A torn slot and the padding are rewritten. The newest slot is not touched.
  /// - Returns: a description of what was wrong; nil if nothing was.
  mutating func repair(in storage: any Storage) throws(LogError) -> String? {
    let bytes = try file.read(at: 0, count: Self.size + 1)
    let fault = Self.fault(in: bytes)
    guard let newest, fault != nil || isYoung else { return nil }
    try writePadding()
    try write(newest.position)
    try file.sync()
    try storage.syncFolder(SegmentName.folder)
    return fault
  }

  /// Syncs the file.
  ///
  /// The mark does not need this; closing calls it to leave nothing unwritten.
  func sync() throws(LogError) { try file.sync() }

  /// Writes both slots and the zeros around them, so that the whole file has known contents.
  ///
  /// The older slot is written first: if that fails halfway, the newest is unchanged.
  mutating func writeBoth(_ position: LogPosition) throws(LogError) {
    for _ in Self.slotOffsets { try write(position) }
    try writePadding()
  }

  /// Writes zeros to everything except the slots, and trims the file to its size.
  private func writePadding() throws(LogError) {
    let padding = [UInt8](repeating: 0, count: 512 - Self.slotSize)
    for offset in Self.slotOffsets { try file.write(padding, at: offset + UInt64(Self.slotSize)) }
    try file.truncate(to: UInt64(Self.size))
  }
}
