import DaybookDisk
import Foundation

/// A temporary file for data that exceeds a rebuild's memory: written sequentially, read in parts.
final class RebuildScratchFile {
  private let descriptor: Int32
  /// The number of bytes appended, of which the last may still be in memory.
  private(set) var count: off_t = 0
  private var waiting = RebuildBuffer(capacity: pieceBytes + pieceBytes / 4)

  private static let pieceBytes = 1 << 18

  /// - Throws: ``ProjectionError`` if the file cannot be made.
  init(_ path: String) throws(ProjectionError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("made", .latest) }
    // Unlink at once: no other process needs the file, and it vanishes with this one.
    unlink(path)
  }

  deinit { close(descriptor) }

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
    var rest = waiting.bytes
    while !rest.isEmpty {
      let written = pwrite(descriptor, rest.baseAddress, rest.count, count - off_t(rest.count))
      guard written > 0 else {
        if written < 0, errno == EINTR { continue }
        throw Self.failure("written", .latest)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
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
      var read = 0
      while read < wanted {
        let got = pread(file.descriptor, room + read, wanted - read, rest.lowerBound + off_t(read))
        guard got > 0 else {
          if got < 0, errno == EINTR { continue }
          throw RebuildScratchFile.failure("read", got < 0 ? .latest : SystemError(EIO))
        }
        read += got
      }
      guard next.count >= count else { throw RebuildScratchFile.failure("read", SystemError(EIO)) }
      rest = rest.lowerBound + off_t(wanted)..<rest.upperBound
      (piece, offset) = (next, 0)
    }
  }
}
