import Foundation

/// Bytes that grow at the end, and stay where they are once they have all been appended.
final class BulkBuffer: @unchecked Sendable {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var count = 0

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[..<count])
  }

  func append(_ other: UnsafeRawBufferPointer) {
    if other.count > memory.count - count { grow(other.count) }
    guard let from = other.baseAddress, let to = memory.baseAddress else { return }
    (to + count).copyMemory(from: from, byteCount: other.count)
    count += other.count
  }

  func removeAll() { count = 0 }

  /// The system moves large pieces of memory without copying them.
  private func grow(_ more: Int) {
    let size = max(4096, memory.count * 2, count + more)
    guard let moved = realloc(memory.baseAddress, size) else {
      fatalError("out of memory for \(size) bytes")
    }
    memory = UnsafeMutableRawBufferPointer(start: moved, count: size)
  }

  deinit { free(memory.baseAddress) }
}
