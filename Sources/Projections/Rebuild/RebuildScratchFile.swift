import DaybookDisk
import Foundation

/// A temporary file for data that exceeds a rebuild's memory: written sequentially, read in parts.
final class RebuildScratchFile {
  private let descriptor: Int32
  /// The number of bytes appended, of which the last may still be in memory.
  private(set) var count: off_t = 0
  private var waiting = RebuildBuffer(capacity: pieceBytes + pieceBytes / 4)

  private static let pieceBytes = 1 << 18

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Makes a file that no path leads to.
  /// - Parameter path: where the file is made. Its name is removed at once.
  /// - Throws: ``ProjectionError`` if the file cannot be made.
  static func create(_ path: String) throws(ProjectionError) -> RebuildScratchFile {
    do {
      let file = RebuildScratchFile(
        descriptor: try SystemCalls.open(path, .emptied, mode: 0o600))
      // Unlink at once: no other process needs the file, and it vanishes with this one.
      try SystemCalls.remove(path)
      return file
    } catch { throw failure("made", error) }
  }

  deinit { SystemCalls.close(descriptor) }

  private static func failure(_ what: String, _ error: SystemError) -> ProjectionError {
    ProjectionError(
      error.isFull ? .noSpace : .sqlite,
      "a scratch file of the rebuild cannot be \(what): \(error)",
      hint: "Free some space and try again")
  }

  /// Appends bytes.
  /// - Throws: ``ProjectionError`` if the disk is full or fails.
  func append(_ bytes: UnsafeRawBufferPointer) throws(ProjectionError) {
    waiting.append(bytes)
    count += off_t(bytes.count)
    if waiting.count >= Self.pieceBytes { try flush() }
  }

  /// Writes the bytes that are still in memory. Only flushed bytes can be read.
  /// - Throws: ``ProjectionError`` if the disk is full or fails.
  func flush() throws(ProjectionError) {
    let bytes = waiting.bytes
    do { try SystemCalls.write(descriptor, bytes, at: UInt64(count) - UInt64(bytes.count)) } catch {
      throw Self.failure("written", error)
    }
    waiting.truncate(to: 0)
  }

  func reader(_ range: Range<off_t>) -> Reader { Reader(self, range) }

  /// Reads a part of the file from its start to its end.
  final class Reader {
    /// Keeps the file open.
    private let file: RebuildScratchFile
    private var rest: Range<off_t>
    private var piece = RebuildBuffer()
    private var offset = 0

    fileprivate init(_ file: RebuildScratchFile, _ range: Range<off_t>) {
      self.file = file
      rest = range
    }

    /// Returns the next bytes without consuming them; nil at the end. They stay valid until the
    /// next call.
    /// - Throws: ``ProjectionError`` if they cannot be read.
    func peek(_ count: Int) throws(ProjectionError) -> UnsafeRawBufferPointer? {
      if piece.count - offset < count {
        if piece.count == offset, rest.isEmpty { return nil }
        try load(count)
      }
      return UnsafeRawBufferPointer(rebasing: piece.bytes[offset..<offset + count])
    }

    func skip(_ count: Int) { offset += count }

    /// Loads at least `count` bytes from the current offset on.
    private func load(_ count: Int) throws(ProjectionError) {
      let kept = piece.count - offset
      let wanted = min(max(RebuildScratchFile.pieceBytes, count - kept), rest.count)
      let next = RebuildBuffer(capacity: kept + wanted)
      next.append(UnsafeRawBufferPointer(rebasing: piece.bytes[offset...]))
      let room = next.append(wanted)
      let got: Int
      do {
        got = try SystemCalls.read(
          file.descriptor, at: UInt64(rest.lowerBound),
          into: UnsafeMutableRawBufferPointer(start: room, count: wanted))
      } catch { throw RebuildScratchFile.failure("read", error) }
      guard got == wanted, next.count >= count else {
        throw RebuildScratchFile.failure("read", SystemError(EIO))
      }
      rest = rest.lowerBound + off_t(wanted)..<rest.upperBound
      (piece, offset) = (next, 0)
    }
  }
}
