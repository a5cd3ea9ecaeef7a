import EventCore
import Foundation

/// Operations on their way from the scan to the fold, by partition: in memory while there is one
/// partition, else in a file each.
final class Partitions {
  let count: Int
  private let folder: String
  private var buffers: [BulkBuffer]
  private var files: [FileHandle?]

  /// Bytes kept of each partition before they go to its file.
  private static let spillBytes = 1 << 20

  init(count: Int, folder: String) {
    self.count = count
    self.folder = folder
    buffers = (0..<count).map { _ in BulkBuffer() }
    files = Array(repeating: nil, count: count)
  }

  func partition(ofHash hash: UInt32) -> Int {
    count == 1 ? 0 : Int(UInt64(hash) * UInt64(count) >> 32)
  }

  /// Appends one operation.
  func append(_ operation: UnsafeRawBufferPointer, to partition: Int) throws {
    buffers[partition].append(operation)
    if count > 1, buffers[partition].bytes.count >= Self.spillBytes { try spill(partition) }
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
    buffers[partition].removeAll()
  }

  /// All of a partition, which is empty afterwards.
  func take(_ partition: Int) throws -> BulkBuffer {
    let rest = buffers[partition]
    buffers[partition] = BulkBuffer()
    guard let file = files[partition] else { return rest }
    try file.close()
    files[partition] = nil
    let whole = BulkBuffer()
    let spilled = try Data(contentsOf: URL(fileURLWithPath: path(partition)))
    spilled.withUnsafeBytes { whole.append($0) }
    try FileManager.default.removeItem(atPath: path(partition))
    whole.append(rest.bytes)
    return whole
  }

  func remove() {
    for file in files { try? file?.close() }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
