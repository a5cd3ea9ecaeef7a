import DaybookDisk
import DaybookEventCore
import Foundation

/// Operations on their way from the scan to the fold, by partition: in memory if there is one
/// partition, otherwise in a file each.
final class RebuildPartitions: @unchecked Sendable {
  /// A partition's file, which is closed when nothing uses it any more.
  private final class File {
    private let descriptor: Int32
    /// The number of bytes that were written to it.
    private(set) var count = 0

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { SystemCalls.close(descriptor) }

    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
      try SystemCalls.write(descriptor, bytes, at: UInt64(count))
      count += bytes.count
    }

    func read(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
      try SystemCalls.read(descriptor, at: 0, into: room)
    }
  }

  let count: Int
  private let folder: String
  private var buffers: [RebuildBuffer]
  private var files: [File?]
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
  func spill(_ partition: Int) throws(ProjectionError) {
    guard count > 1, buffers[partition].count >= spillBytes else { return }
    if files[partition] == nil { files[partition] = try makeFile(partition) }
    do { try files[partition]?.append(buffers[partition].bytes) } catch {
      throw failure(partition, "written", error)
    }
    buffers[partition].truncate(to: 0)
  }

  private func makeFile(_ partition: Int) throws(ProjectionError) -> File {
    do {
      try SystemCalls.makeFolder(folder)
      return File(try SystemCalls.open(path(partition), .emptied, mode: 0o600))
    } catch {
      throw failure(partition, "made", error)
    }
  }

  private func failure(_ partition: Int, _ what: String, _ error: SystemError) -> ProjectionError {
    ProjectionError(
      error.isFull ? .noSpace : .sqlite,
      "the scratch file \(path(partition)) cannot be \(what): \(error)",
      hint: "Free some space and try again")
  }

  /// Returns all operations of a partition, which is empty afterwards. Waits while three partitions
  /// that were in files are still in use.
  func take(_ partition: Int) throws(ProjectionError) -> RebuildBuffer {
    let rest = buffers[partition]
    buffers[partition] = RebuildBuffer()
    guard let file = files[partition] else { return rest }
    files[partition] = nil
    change(by: 1)
    let whole = RebuildBuffer(capacity: file.count + rest.count) { [self] in change(by: -1) }
    try Self.read(file, into: whole, path(partition))
    do { try SystemCalls.remove(path(partition)) } catch {
      throw failure(partition, "removed", error)
    }
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
    _ file: File, into buffer: RebuildBuffer, _ path: String
  ) throws(ProjectionError) {
    let size = file.count
    let room = UnsafeMutableRawBufferPointer(start: buffer.append(size), count: size)
    guard (try? file.read(into: room)) == size else {
      throw ProjectionError(.sqlite, "the scratch file \(path) cannot be read again")
    }
  }

  /// Removes the files and their folder, also those that a process has left that died.
  func remove() {
    files = Array(repeating: nil, count: count)
    for name in (try? SystemCalls.list(folder)) ?? [] {
      try? SystemCalls.remove("\(folder)/\(name)")
    }
    try? SystemCalls.removeFolder(folder)
  }
}
