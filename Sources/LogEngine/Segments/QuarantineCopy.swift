import DaybookEventCore
import DaybookFrames

/// A durable copy of a segment's bytes in the folder `quarantine`.
///
/// The name contains the bytes' checksum, so that a repeated copy changes nothing.
struct QuarantineCopy {
  /// The copy's path, relative to the store's folder.
  let name: String
  /// The copy's size in bytes.
  let bytes: UInt64

  /// The largest number of copies of torn tails that are kept.
  private static let tornMax = 100
  private static let step: UInt64 = 1 << 20

  /// Copies a whole segment.
  static func make(
    of file: any StorageFile, _ number: UInt64, in storage: any Storage
  ) throws(LogError) -> QuarantineCopy {
    try make(of: file, 0..<UInt64.max, in: storage, isTrimmed: false) { crc in
      "\(SegmentName.digits(number))-\(crc).segment"
    }
  }

  /// Copies the torn tail of a segment, without trailing zeros.
  ///
  /// Removes the oldest copies of torn tails beyond a hundred.
  static func make(
    of file: any StorageFile, _ number: UInt64, from: UInt64, to: UInt64, in storage: any Storage
  ) throws(LogError) -> QuarantineCopy {
    let copy = try make(of: file, from..<to, in: storage, isTrimmed: true) { crc in
      "\(SegmentName.digits(number))-\(from)-\(crc).torn"
    }
    removeOld(but: copy.name, in: storage)
    return copy
  }

  private static func make(
    of file: any StorageFile, _ range: Range<UInt64>, in storage: any Storage, isTrimmed: Bool,
    named: (String) -> String
  ) throws(LogError) -> QuarantineCopy {
    var crc: UInt32 = 0
    var end = range.lowerBound
    try forEachPiece(of: file, range) { offset, bytes in
      let used = isTrimmed ? bytes.lastIndex { $0 != 0 }.map { $0 + 1 } : bytes.count
      if let used { end = offset + UInt64(used) }
      crc = CRC32C.checksum(bytes, continuing: crc)
    }
    try storage.makeFolder(SegmentName.quarantine)
    try storage.syncFolder("")
    let name = "\(SegmentName.quarantine)/\(named(String(crc, radix: 16)))"
    let copy = try storage.open(name, .create)
    try forEachPiece(of: file, range.lowerBound..<end) { offset, bytes throws(LogError) in
      try copy.write(bytes, at: offset - range.lowerBound)
    }
    try copy.sync()
    try storage.syncFolder(SegmentName.quarantine)
    return QuarantineCopy(name: name, bytes: end - range.lowerBound)
  }

  private static func forEachPiece(
    of file: any StorageFile, _ range: Range<UInt64>,
    _ body: (UInt64, [UInt8]) throws(LogError) -> Void
  ) throws(LogError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let bytes = try file.read(at: offset, count: Int(min(step, range.upperBound - offset)))
      if bytes.isEmpty { return }
      try body(offset, bytes)
      offset += UInt64(bytes.count)
    }
  }

  /// Removes the oldest copies of torn tails.
  ///
  /// A copy that cannot be removed now is removed with a later one.
  private static func removeOld(but latest: String, in storage: any Storage) {
    guard let names = try? storage.list(SegmentName.quarantine) else { return }
    let copies = names.filter { $0.hasSuffix(".torn") }.sorted { age($0) < age($1) }
    for copy in copies.dropLast(tornMax) {
      let name = "\(SegmentName.quarantine)/\(copy)"
      if name != latest { try? storage.remove(name) }
    }
  }

  /// Returns segment and offset from a copy's name; both grow with the log.
  private static func age(_ copy: String) -> (Substring, UInt64) {
    let parts = copy.split(separator: "-")
    return (parts.first ?? "", parts.count == 3 ? UInt64(parts[1]) ?? 0 : 0)
  }
}
