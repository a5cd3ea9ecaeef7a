import EventCore
import Foundation

/// Operations on their way from the scan to the fold, by partition: in memory while there is one
/// partition, else in a file each.
final class Partitions: @unchecked Sendable {
  let count: Int
  private let folder: String
  private var buffers: [BulkBuffer]
  private var files: [FileHandle?]
  /// Partitions that were taken and that somebody still reads.
  private let taken = NSCondition()
  private var takenCount = 0

  private static let takenMax = 3

  /// Bytes kept of each partition before they go to its file; of all together, 16 MiB.
  private let spillBytes: Int

  /// - Parameter bytes: how many there will be in all, about.
  init(count: Int, bytes: Int, folder: String) {
    self.count = count
    self.folder = folder
    spillBytes = max(16 << 10, min(1 << 20, (16 << 20) / max(count, 1)))
    let capacity = count == 1 ? bytes + bytes / 2 : spillBytes + spillBytes / 16
    buffers = (0..<count).map { _ in BulkBuffer(capacity: capacity) }
    files = Array(repeating: nil, count: count)
  }

  func partition(ofHash hash: UInt32) -> Int {
    count == 1 ? 0 : Int((UInt64(hash) * UInt64(count)) >> 32)
  }

  /// Where a partition's next operations are appended.
  func buffer(_ partition: Int) -> BulkBuffer { buffers[partition] }

  private func path(_ partition: Int) -> String { "\(folder)/\(partition)" }

  /// To be called when an event is complete: its operations can no longer be taken back.
  func spill(_ partition: Int) throws {
    guard count > 1, buffers[partition].count >= spillBytes else { return }
    if files[partition] == nil {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      guard FileManager.default.createFile(atPath: path(partition), contents: nil),
        let file = FileHandle(forUpdatingAtPath: path(partition))
      else {
        throw ProjectionError(
          errno == ENOSPC || errno == EDQUOT ? .noSpace : .sqlite,
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

  /// All of a partition, which is empty afterwards. Waits while too many are in memory.
  func take(_ partition: Int) throws -> BulkBuffer {
    let rest = buffers[partition]
    buffers[partition] = BulkBuffer()
    guard let file = files[partition] else { return rest }
    files[partition] = nil
    let size = Int(try file.offset())
    change(by: 1)
    let whole = BulkBuffer(capacity: size + rest.count) { [self] in change(by: -1) }
    try file.seek(toOffset: 0)
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
    _ size: Int, from descriptor: Int32, into buffer: BulkBuffer, _ path: String
  ) throws(ProjectionError) {
    let start = buffer.append(size)
    var done = 0
    while done < size {
      let count = Foundation.read(descriptor, start + done, min(size - done, 1 << 24))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw ProjectionError(.sqlite, "the scratch file \(path) cannot be read again")
      }
      done += count
    }
  }

  func remove() {
    for file in files { try? file?.close() }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
