import Foundation

/// A growable byte buffer. Its bytes no longer move once all of them have been appended.
final class RebuildBuffer: @unchecked Sendable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0
  private let onRelease: (@Sendable () -> Void)?

  /// - Parameter onRelease: called when the last reference to the buffer is gone.
  init(capacity: Int = 0, onRelease: (@Sendable () -> Void)? = nil) {
    self.capacity = max(capacity, 4096)
    self.onRelease = onRelease
    start = Self.allocate(nil, self.capacity)
  }

  /// Makes memory larger, or takes it; large memory is moved by its pages and not copied.
  private static func allocate(_ old: UnsafeMutableRawPointer?, _ size: Int)
    -> UnsafeMutableRawPointer
  {
    guard let memory = realloc(old, size) else { fatalError("no memory for \(size) bytes") }
    return memory
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// Appends `more` uninitialized bytes and returns their address. The caller fills them at once:
  /// the next append may move them.
  func append(_ more: Int) -> UnsafeMutableRawPointer {
    if more > capacity - count { grow(to: max(capacity * 2, count + more)) }
    defer { count += more }
    return start + count
  }

  func append(_ other: UnsafeRawBufferPointer) {
    guard let from = other.baseAddress else { return }
    append(other.count).copyMemory(from: from, byteCount: other.count)
  }

  /// Overwrites four appended bytes with `value`, little-endian.
  /// - Parameter offset: where the four bytes begin.
  func patch(_ value: UInt32, at offset: Int) {
    start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
  }

  /// Removes all bytes from offset `count` on.
  func truncate(to count: Int) { self.count = min(self.count, count) }

  private func grow(to size: Int) {
    start = Self.allocate(start, size)
    capacity = size
  }

  deinit {
    free(start)
    onRelease?()
  }
}
