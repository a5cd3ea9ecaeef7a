import DaybookDisk
import DaybookEventCore
import Foundation

/// Operations on their way from the scan to the fold, by partition: in memory if there is one
/// partition, otherwise in a file each.
final class RebuildPartitions: @unchecked Sendable {
  let count: Int
  private let folder: String
  private var buffers: [RebuildBuffer]
  private var files: [FileHandle?]
  /// The number of partitions that were taken and are still in use, and the
  /// condition that guards it.
  private let taken = NSCondition()
  private var takenCount = 0

  private static let takenMax = 3

  /// Bytes of each partition kept in memory before they go to its file; about 16 MiB for all.
  private let spillBytes: Int

  /// - Parameters:
  ///   - count: the number of partitions.
  ///   - bytes: the approximate size of all operations.
  ///   - folder: the folder of the partitions' files, which is made if it is needed.
  init(count: Int, bytes: Int, folder: String) {
    self.count = count
    self.folder = folder
    spillBytes = max(16 << 10, min(1 << 20, (16 << 20) / max(count, 1)))
    let capacity = count == 1 ? bytes + bytes / 2 : spillBytes + spillBytes / 16
    buffers = (0..<count).map { _ in RebuildBuffer(capacity: capacity) }
    files = Array(repeating: nil, count: count)
  }

  func partition(ofHash hash: UInt32) -> Int {
    count == 1 ? 0 : Int((UInt64(hash) * UInt64(count)) >> 32)
  }

  /// Returns the buffer to which a partition's next operations are appended.
  func buffer(_ partition: Int) -> RebuildBuffer { buffers[partition] }

  private func path(_ partition: Int) -> String { "\(folder)/\(partition)" }

  /// Writes a partition's operations to its file, if there are many. Call it only when an event is
  /// complete: operations can no longer be truncated afterwards.
  func spill(_ partition: Int) throws {
    guard count > 1, buffers[partition].count >= spillBytes else { return }
    if files[partition] == nil {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      guard FileManager.default.createFile(atPath: path(partition), contents: nil),
        let file = FileHandle(forUpdatingAtPath: path(partition))
      else {
        throw ProjectionError(
          SystemError.latest.isFull ? .noSpace : .sqlite,
          "no scratch file can be made at \(path(partition))")
      }
      files[partition] = file
    }
    let bytes = buffers[partition].bytes
    guard let start = bytes.baseAddress else { return }
    // FileHandle writes the bytes before it returns.
    try files[partition]?.write(
      contentsOf: Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
        deallocator: .none))
    buffers[partition].truncate(to: 0)
  }

  /// Returns all operations of a partition, which is empty afterwards. Waits while three partitions
  /// that were in files are still in use.
  func take(_ partition: Int) throws -> RebuildBuffer {
    let rest = buffers[partition]
    buffers[partition] = RebuildBuffer()
    guard let file = files[partition] else { return rest }
    files[partition] = nil
    let size = Int(try file.offset())
    change(by: 1)
    let whole = RebuildBuffer(capacity: size + rest.count) { [self] in change(by: -1) }
    try Self.read(size, from: file.fileDescriptor, into: whole, path(partition))
    try file.close()
    try FileManager.default.removeItem(atPath: path(partition))
    whole.append(rest.bytes)
    return whole
  }

  private func change(by change: Int) {
    taken.lock()
    while change > 0, takenCount >= Self.takenMax { taken.wait() }
    takenCount += change
    taken.broadcast()
    taken.unlock()
  }

  private static func read(
    _ size: Int, from descriptor: Int32, into buffer: RebuildBuffer, _ path: String
  ) throws(ProjectionError) {
    let room = UnsafeMutableRawBufferPointer(start: buffer.append(size), count: size)
    guard (try? SystemCalls.read(descriptor, at: 0, into: room)) == size else {
      throw ProjectionError(.sqlite, "the scratch file \(path) cannot be read again")
    }
  }

  func remove() {
    for file in files { try? file?.close() }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
