internal import EventCore

/// `log/mark`: how far the log is durable, said after each fsync and before anyone is told.
///
/// Two slots of 32 bytes, at 0 and at 512, written in turn; the rest of the 1,024 bytes is zero.
/// `u64 counter · u64 segment · u64 offset · u32 zero · u32 CRC-32C over the 28 before`.
/// The file is not fsynced: what it says is a lower bound, and records say the same of those
/// before.
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
      // No segment has such a number, or is so long: arithmetic further on relies on it.
      guard position.segment < UInt64(Int64.max), position.offset <= UInt64(UInt32.max) else {
        return nil
      }
    }
  }

  private let file: any StorageFile
  /// The newest slot that was read or written; nil where neither is sound.
  private(set) var newest: Slot?

  /// Nothing has been written to it since it was made, so whoever made it may have died before it
  /// was durable.
  private let isYoung: Bool

  var position: LogPosition? { newest?.position }

  /// Nil where there is no such file.
  init?(reading storage: any Storage, _ mode: OpenMode) throws(LogError) {
    do { file = try storage.open(SegmentName.mark, mode) } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    newest = try Self.newest(in: file)
    isYoung = newest.map { $0.counter <= Self.slotOffsets.count } ?? true
  }

  /// Makes the file, durably, with both slots at `position`.
  init(creating storage: any Storage, at position: LogPosition) throws(LogError) {
    file = try storage.open(SegmentName.mark, .create)
    isYoung = false
    var bytes = [UInt8](repeating: 0, count: Self.size)
    for counter in 1...2 as ClosedRange<UInt64> {
      let slot = Slot(counter: counter, position: position)
      let offset = Int(Self.slotOffsets[Int(slot.counter & 1)])
      bytes.replaceSubrange(offset..<offset + Self.slotSize, with: slot.encoded())
      newest = slot
    }
    try file.write(bytes, at: 0)
    try file.truncate(to: UInt64(Self.size))
    try file.sync()
    try storage.syncFolder(SegmentName.folder)
  }

  /// Reads what other processes have written.
  mutating func reload() throws(LogError) { newest = try Self.newest(in: file) }

  private static func newest(in file: any StorageFile) throws(LogError) -> Slot? {
    slots(in: try file.read(at: 0, count: size)).compactMap { $0 }
      .max { $0.counter < $1.counter }
  }

  /// The two slots; nil for each that is not sound.
  package static func slots(in bytes: [UInt8]) -> [Slot?] {
    slotOffsets.map { offset in
      guard bytes.count >= Int(offset) + slotSize else { return nil }
      return bytes.withUnsafeBytes { Slot($0.slice(Int(offset), slotSize)) }
    }
  }

  /// Nil where the file is as it should be, or what is wrong with it.
  package static func fault(in bytes: [UInt8]) -> String? {
    guard bytes.count == size else { return "the mark has \(bytes.count) bytes instead of \(size)" }
    if slots(in: bytes).contains(nil) { return "a slot of the mark does not match its checksum" }
    let isPadded = bytes.withUnsafeBytes {
      $0.isZero(from: slotSize, to: 512) && $0.isZero(from: 512 + slotSize, to: size)
    }
    return isPadded ? nil : "the unused bytes of the mark are not zero"
  }

  /// One call: the slot that is not the newest.
  mutating func write(_ position: LogPosition) throws(LogError) {
    let slot = Slot(counter: (newest?.counter ?? 0) &+ 1, position: position)
    try file.write(slot.encoded(), at: Self.slotOffsets[Int(slot.counter & 1)])
    newest = slot
  }

  /// Writes anew whatever is not as it should be, after a power failure that tore a slot, and makes
  /// durable what may never have been. The newest slot is not touched.
  /// - Returns: what was wrong.
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

  /// Not needed for what the mark is for; closing does it so that nothing is in flight.
  func sync() throws(LogError) { try file.sync() }

  /// Both slots and the zeros around them: leaves nothing behind that is not accounted for. The older
  /// slot comes first, so that a write that fails half-way leaves the newest as it is.
  mutating func writeBoth(_ position: LogPosition) throws(LogError) {
    for _ in Self.slotOffsets { try write(position) }
    try writePadding()
  }

  /// All that is not a slot.
  private func writePadding() throws(LogError) {
    let padding = [UInt8](repeating: 0, count: 512 - Self.slotSize)
    for offset in Self.slotOffsets { try file.write(padding, at: offset + UInt64(Self.slotSize)) }
    try file.truncate(to: UInt64(Self.size))
  }
}
