import Daybook
import Foundation

/// A reader of a file's lines. Memory grows with the longest line, not with the file.
struct LineReader {
  private let source: ImportSource
  private var buffer: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 1 << 20)
  private var start = 0
  private var isAtEnd = false
  /// The number of the latest line, from 1.
  private(set) var line = 0
  /// The bytes of the file up to the end of the latest line.
  private(set) var offset: UInt64 = 0

  init(_ source: ImportSource) { self.source = source }

  /// Calls `body` with the next line, without its end, and returns its result; nil if there is
  /// none.
  /// - Throws: `InterchangeError` `.tooLarge` for a line that is too long; any error of `body`.
  mutating func next<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T? {
    var scanned = start
    while true {
      if let end = buffer.withUnsafeBytes({ Self.lineFeed($0, from: scanned) }) {
        return try finish(end, skip: 1, body)
      }
      scanned = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        return try finish(buffer.count, skip: 0, body)
      }
      guard buffer.count - start <= InterchangeLine.bytesMax else {
        line += 1
        throw InterchangeError(
          .tooLarge,
          "the line is longer than any operation can be (96 MiB); is this a file of NDJSON, with "
            + "one operation a line?")
      }
      scanned -= start
      buffer.removeFirst(start)
      start = 0
      let count = try ImportSource.read(source.descriptor, &chunk, source.name)
      isAtEnd = count == 0
      buffer.append(contentsOf: chunk[..<count])
    }
  }

  private mutating func finish<T>(
    _ end: Int, skip: Int, _ body: (UnsafeRawBufferPointer) throws -> T
  ) throws -> T {
    line += 1
    let first = start
    start = end + skip
    offset += UInt64(start - first)
    return try buffer.withUnsafeBytes { bytes in
      var line = UnsafeRawBufferPointer(rebasing: bytes[first..<end])
      // Some editors put a byte order mark before the first line. It has no meaning.
      if self.line == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) {
        line = UnsafeRawBufferPointer(rebasing: line.dropFirst(3))
      }
      return try body(line)
    }
  }

  private static func lineFeed(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, 0x0A, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
