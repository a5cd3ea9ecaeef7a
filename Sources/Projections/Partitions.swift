import EventCore
import Foundation

/// Operations on their way from the scan to the fold, by partition: in memory while there is one
/// partition, else in a file each.
final class Partitions {
  let count: Int
  private let folder: String
  private var buffers: [ByteWriter]
  private var files: [FileHandle?]

  /// Bytes kept of each partition before they go to its file.
  private static let spillBytes = 1 << 20

  init(count: Int, folder: String) {
    self.count = count
    self.folder = folder
    buffers = Array(repeating: ByteWriter(), count: count)
    files = Array(repeating: nil, count: count)
  }

  func partition(ofHash hash: UInt32) -> Int {
    count == 1 ? 0 : Int(UInt64(hash) * UInt64(count) >> 32)
  }

  /// Appends one operation.
  func append(_ operation: UnsafeRawBufferPointer, to partition: Int) throws {
    buffers[partition].raw(operation)
    if count > 1, buffers[partition].count >= Self.spillBytes { try spill(partition) }
  }

  private func path(_ partition: Int) -> String { "\(folder)/\(partition)" }

  private func spill(_ partition: Int) throws {
    if files[partition] == nil {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      guard FileManager.default.createFile(atPath: path(partition), contents: nil),
        let file = FileHandle(forWritingAtPath: path(partition))
      else {
        throw ProjectionError(.sqlite, "no scratch file can be made at \(path(partition))")
      }
      files[partition] = file
    }
    try files[partition]?.write(contentsOf: Data(buffers[partition].bytes))
    buffers[partition].bytes.removeAll(keepingCapacity: true)
  }

  /// All of a partition, which is empty afterwards.
  func take(_ partition: Int) throws -> BulkBuffer {
    var bytes: [UInt8] = []
    if let file = files[partition] {
      try file.close()
      files[partition] = nil
      bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path(partition))))
      try FileManager.default.removeItem(atPath: path(partition))
      bytes += buffers[partition].bytes
      buffers[partition] = ByteWriter()
    } else {
      swap(&bytes, &buffers[partition].bytes)
    }
    return BulkBuffer(bytes)
  }

  func remove() {
    for file in files { try? file?.close() }
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// A partition's bytes at an address that stays.
final class BulkBuffer: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  init(_ array: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: array.count, alignment: 16)
    array.withUnsafeBytes { copy.copyMemory(from: $0) }
    bytes = UnsafeRawBufferPointer(copy)
  }

  deinit { bytes.deallocate() }
}
