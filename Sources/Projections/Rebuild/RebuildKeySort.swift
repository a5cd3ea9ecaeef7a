import Foundation

/// An external sort of one or two texts for each row, in the order of an SQLite index: by their
/// bytes, then by the row's number.
///
/// Records that exceed the memory limit are written to a file in sorted runs, which are merged at
/// the end, on a thread of their own.
final class RebuildKeySort {
  /// The offset of a record, and the first eight bytes of its first text: enough
  /// to compare most records.
  private struct Entry {
    var prefix: UInt64
    var offset: Int
  }

  private let memoryBytes: Int
  private let path: String
  /// Records: `i64 number · u32 size of the first text · u32 size of the second · both texts`.
  private var records: RebuildBuffer
  private var entries: [Entry] = []
  private var file: RebuildRuns?

  static let headerSize = 16

  /// - Parameters:
  ///   - memoryBytes: the bytes of records kept in memory; the array of offsets is not counted.
  ///   - path: the path of the scratch file, which is made only if it is needed.
  init(memoryBytes: Int, path: String) {
    self.memoryBytes = memoryBytes
    self.path = path
    // Memory that is not used is never touched. The last record may exceed the limit.
    records = RebuildBuffer(capacity: min(memoryBytes, 64 << 20) + (64 << 10))
  }

  /// Adds a row.
  /// - Parameters:
  ///   - first: the first text, UTF-8.
  ///   - second: the second text, UTF-8; empty if there is one text only.
  ///   - number: the row's number.
  /// - Throws: ``ProjectionError`` if the scratch file cannot be written.
  func add(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, number: Int64
  ) throws(ProjectionError) {
    if records.count >= memoryBytes { try spill() }
    entries.append(Entry(prefix: Self.prefix(first), offset: records.count))
    let header = records.append(Self.headerSize)
    header.storeBytes(of: number, as: Int64.self)
    header.storeBytes(of: UInt32(first.count), toByteOffset: 8, as: UInt32.self)
    header.storeBytes(of: UInt32(second.count), toByteOffset: 12, as: UInt32.self)
    records.append(first)
    records.append(second)
  }

  /// Sorts the rows in memory. No row may be added afterwards.
  /// - Throws: ``ProjectionError`` if the scratch file cannot be written.
  func finish() throws(ProjectionError) {
    if file == nil { sort() } else { try spill() }
  }

  /// Returns all rows in order. Their columns: the first text, the second text, the number.
  func rows() -> RowSource {
    if let file { return RebuildMerge(file.merged()) }
    return SortedKeys(records: records, offsets: entries)
  }

  /// Rows that were sorted in memory.
  private final class SortedKeys: RowSource {
    private let records: RebuildBuffer
    private let entries: [Entry]
    private var index = -1

    init(records: RebuildBuffer, offsets: [Entry]) {
      self.records = records
      entries = offsets
    }

    override func next() -> Bool {
      index += 1
      return index < entries.count
    }

    override func column(_ column: Int, _ result: RowResult) {
      KeyRecord(bytes: records.bytes, offset: entries[index].offset).column(column, result)
    }
  }

  // MARK: - Sorting

  static func prefix(_ text: UnsafeRawBufferPointer) -> UInt64 {
    if text.count >= 8 { return UInt64(bigEndian: text.loadUnaligned(as: UInt64.self)) }
    return text.reduce(0) { $0 << 8 | UInt64($1) } << (8 * UInt64(8 - text.count))
  }

  private func sort() {
    let bytes = records.bytes
    entries.sort { a, b in
      if a.prefix != b.prefix { return a.prefix < b.prefix }
      return KeyRecord(bytes: bytes, offset: a.offset) < KeyRecord(bytes: bytes, offset: b.offset)
    }
  }

  private func spill() throws(ProjectionError) {
    sort()
    let runs: RebuildRuns
    if let file { runs = file } else { runs = RebuildRuns(try .create(path)) }
    file = runs
    let bytes = records.bytes
    try runs.append(entries.lazy.map { KeyRecord(bytes: bytes, offset: $0.offset) })
    records.truncate(to: 0)
    entries.removeAll(keepingCapacity: true)
  }
}

/// One row's record in memory: its texts and number.
struct KeyRecord: Comparable {
  let bytes: UnsafeRawBufferPointer
  let offset: Int

  var number: Int64 { bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self) }
  private var firstSize: Int {
    Int(bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self))
  }
  private var secondSize: Int {
    Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
  }
  var size: Int { RebuildKeySort.headerSize + firstSize + secondSize }
  var whole: UnsafeRawBufferPointer { slice(0, size) }

  var first: UnsafeRawBufferPointer { slice(RebuildKeySort.headerSize, firstSize) }
  var second: UnsafeRawBufferPointer { slice(RebuildKeySort.headerSize + firstSize, secondSize) }

  private func slice(_ at: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[offset + at..<offset + at + count])
  }

  func column(_ column: Int, _ result: RowResult) {
    switch column {
    case 0: result.setBorrowed(text: first)
    case 1: result.setBorrowed(text: second)
    default: result.set(number)
    }
  }

  static func < (a: KeyRecord, b: KeyRecord) -> Bool {
    var order = compare(a.first, b.first)
    if order == 0 { order = compare(a.second, b.second) }
    return order == 0 ? a.number < b.number : order < 0
  }

  static func == (a: KeyRecord, b: KeyRecord) -> Bool {
    a.number == b.number && compare(a.first, b.first) == 0 && compare(a.second, b.second) == 0
  }

  private static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = min(a.count, b.count)
    if common > 0, let a = a.baseAddress, let b = b.baseAddress {
      let order = memcmp(a, b, common)
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }
}
