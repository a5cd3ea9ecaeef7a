import DaybookFrames

/// A window on a file that is read from front to back in large pieces.
///
/// Scanning small records does not need a system call for each. A writer may trim reserved space
/// from the file meanwhile, so that the file ends earlier than before.
struct FileWindow {
  private static let step = 1 << 20

  let file: any StorageFile
  /// The end of the file, as far as known.
  private(set) var size: UInt64
  private var start: UInt64 = 0
  private(set) var bytes: [UInt8] = []

  init(_ file: any StorageFile, size: UInt64) {
    self.file = file
    self.size = size
  }

  /// Returns the range in ``bytes`` of the `count` bytes at `offset`; nil if the file ends before.
  mutating func range(at offset: UInt64, count: Int) throws(LogError) -> Range<Int>? {
    guard count >= 0, offset <= size, UInt64(count) <= size - offset else { return nil }
    if offset < start || offset + UInt64(count) > start + UInt64(bytes.count) {
      let want = min(UInt64(max(count, Self.step)), size - offset)
      bytes = try file.read(at: offset, count: Int(want))
      start = offset
      if UInt64(bytes.count) < want { size = offset + UInt64(bytes.count) }
      guard bytes.count >= count else { return nil }
    }
    let lower = Int(offset - start)
    return lower..<lower + count
  }

  /// Returns the range in ``bytes`` from `offset` to the end of the window.
  ///
  /// Reads the file only if the window has fewer than `least` bytes there. The range is shorter
  /// than `least` only if the file ends before.
  mutating func chunk(at offset: UInt64, least: Int) throws(LogError) -> Range<Int> {
    let count = Int(min(UInt64(least), size - min(offset, size)))
    guard let range = try range(at: offset, count: count) else { return 0..<0 }
    return range.lowerBound..<bytes.count
  }
}
