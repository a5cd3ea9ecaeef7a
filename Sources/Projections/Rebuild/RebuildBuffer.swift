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
    start = .allocate(byteCount: self.capacity, alignment: 16)
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
    let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    larger.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = larger
    capacity = size
  }

  deinit {
    start.deallocate()
    onRelease?()
  }
}
