import Foundation

/// Texts, one or two of each row, sorted as SQLite sorts them in an index: by their bytes, then by the
/// row's number.
///
/// What exceeds the memory that it may have is written to a file in sorted runs, which are merged in
/// the end.
final class KeySort {
  /// Where a record lies, and how its first text begins: enough to sort most of them.
  private struct Entry {
    var prefix: UInt64
    var offset: Int
  }

  private let memoryBytes: Int
  private let path: String
  /// `i64 number · u32 size of the first text · u32 size of the second · both texts`
  private var records: BulkBuffer
  private var entries: [Entry] = []
  private var file: KeyRuns?

  fileprivate static let headerSize = 16

  /// - Parameters:
  ///   - memoryBytes: how many bytes of texts to hold; what a row takes besides is not counted.
  ///   - path: of a scratch file, which is made when it is needed.
  init(memoryBytes: Int, path: String) {
    self.memoryBytes = memoryBytes
    self.path = path
    records = BulkBuffer(capacity: min(memoryBytes, 1 << 20))
  }

  /// - Throws: ``ProjectionError`` where the scratch file cannot be written.
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

  /// Sorts what is in memory. Nothing may be added after it.
  /// - Throws: ``ProjectionError`` where the scratch file cannot be written.
  func finish() throws(ProjectionError) {
    if file == nil { sort() } else { try spill() }
  }

  /// All, in order: columns are the first text, the second, and the number.
  func rows() -> any RowSource {
    if let file { return file.merged() }
    return SortedKeys(records: records, offsets: entries)
  }

  /// What was sorted in memory.
  private final class SortedKeys: RowSource {
    private let records: BulkBuffer
    private let entries: [Entry]
    private var index = -1

    init(records: BulkBuffer, offsets: [Entry]) {
      self.records = records
      entries = offsets
    }

    func next() -> Bool {
      index += 1
      return index < entries.count
    }

    func column(_ column: Int, _ result: RowResult) {
      KeyRecord(bytes: records.bytes, offset: entries[index].offset).column(column, result)
    }
  }

  // MARK: Sorting

  private static func prefix(_ text: UnsafeRawBufferPointer) -> UInt64 {
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
    let runs: KeyRuns
    if let file { runs = file } else { runs = try KeyRuns(path) }
    file = runs
    let bytes = records.bytes
    try runs.append(
      entries.lazy.map { entry in
        UnsafeRawBufferPointer(
          rebasing: bytes[
            entry.offset..<entry.offset + KeyRecord(bytes: bytes, offset: entry.offset).size])
      })
    records.truncate(to: 0)
    entries.removeAll(keepingCapacity: true)
  }
}

/// One row's texts as they lie in memory.
private struct KeyRecord: Comparable {
  let bytes: UnsafeRawBufferPointer
  let offset: Int

  var number: Int64 { bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self) }
  private var firstSize: Int {
    Int(bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self))
  }
  private var secondSize: Int {
    Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
  }
  var size: Int { KeySort.headerSize + firstSize + secondSize }

  var first: UnsafeRawBufferPointer { slice(KeySort.headerSize, firstSize) }
  var second: UnsafeRawBufferPointer { slice(KeySort.headerSize + firstSize, secondSize) }

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

/// A scratch file of sorted runs of records.
private final class KeyRuns {
  private let descriptor: Int32
  private var end: off_t = 0
  private var runs: [Range<off_t>] = []
  private var waiting = BulkBuffer(capacity: 1 << 18)

  private static let pieceBytes = 1 << 18

  init(_ path: String) throws(ProjectionError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("made") }
    // It is nobody's business, and gone with the process.
    unlink(path)
  }

  deinit { close(descriptor) }

  private static func failure(_ what: String) -> ProjectionError {
    let number = errno
    return ProjectionError(
      number == ENOSPC || number == EDQUOT ? .noSpace : .sqlite,
      "a scratch file of the rebuild cannot be \(what): \(String(cString: strerror(number)))",
      hint: "Free some space and try again")
  }

  /// Adds a run.
  func append(_ records: some Sequence<UnsafeRawBufferPointer>) throws(ProjectionError) {
    let start = end
    for record in records {
      waiting.append(record)
      if waiting.count >= Self.pieceBytes { try flush() }
    }
    try flush()
    runs.append(start..<end)
  }

  private func flush() throws(ProjectionError) {
    var rest = waiting.bytes
    while !rest.isEmpty {
      let count = pwrite(descriptor, rest.baseAddress, rest.count, end)
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        throw Self.failure("written")
      }
      end += off_t(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    waiting.truncate(to: 0)
  }

  func merged() -> any RowSource { Merge(runs.map { Reader(descriptor, $0) }, self) }

  /// Goes through all runs at once.
  private final class Merge: RowSource {
    /// Those that are at a record.
    private var readers: [Reader]
    private var current: Int?
    /// Keeps the file.
    private let runs: KeyRuns

    init(_ readers: [Reader], _ runs: KeyRuns) {
      self.readers = readers
      self.runs = runs
    }

    func next() throws -> Bool {
      if let current {
        if try !readers[current].next() { readers.remove(at: current) }
      } else {
        readers = try readers.filter { try $0.next() }
      }
      current = readers.indices.min { readers[$0].current < readers[$1].current }
      return current != nil
    }

    func column(_ column: Int, _ result: RowResult) {
      if let current { readers[current].current.column(column, result) }
    }
  }

  /// Reads a run from its start to its end.
  private final class Reader {
    private let descriptor: Int32
    private var rest: Range<off_t>
    private var piece = BulkBuffer(capacity: KeyRuns.pieceBytes)
    private var offset = 0
    private(set) var current = KeyRecord(
      bytes: UnsafeRawBufferPointer(start: nil, count: 0), offset: 0)

    init(_ descriptor: Int32, _ run: Range<off_t>) {
      self.descriptor = descriptor
      rest = run
    }

    /// Goes to the next record, which stays valid until the one after it.
    func next() throws(ProjectionError) -> Bool {
      if offset == piece.count, rest.isEmpty { return false }
      try load(KeySort.headerSize)
      try load(KeyRecord(bytes: piece.bytes, offset: offset).size)
      current = KeyRecord(bytes: piece.bytes, offset: offset)
      offset += current.size
      return true
    }

    /// Makes sure that so many bytes from the current offset on are in memory.
    private func load(_ count: Int) throws(ProjectionError) {
      guard piece.count - offset < count else { return }
      let kept = BulkBuffer(capacity: max(KeyRuns.pieceBytes, count) + count)
      kept.append(UnsafeRawBufferPointer(rebasing: piece.bytes[offset...]))
      let wanted = min(max(KeyRuns.pieceBytes, count), rest.count)
      let room = kept.append(wanted)
      var read = 0
      while read < wanted {
        let got = pread(descriptor, room + read, wanted - read, rest.lowerBound + off_t(read))
        guard got > 0 else {
          if got < 0, errno == EINTR { continue }
          throw KeyRuns.failure("read")
        }
        read += got
      }
      rest = rest.lowerBound + off_t(wanted)..<rest.upperBound
      (piece, offset) = (kept, 0)
    }
  }
}
