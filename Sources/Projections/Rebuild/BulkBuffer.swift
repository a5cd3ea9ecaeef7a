/// Bytes that grow at the end, and stay where they are once they have all been appended.
final class BulkBuffer: @unchecked Sendable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0
  private let onRelease: (@Sendable () -> Void)?

  /// - Parameter onRelease: is called when nobody needs the bytes any more.
  init(capacity: Int = 0, onRelease: (@Sendable () -> Void)? = nil) {
    self.capacity = max(capacity, 4096)
    self.onRelease = onRelease
    start = .allocate(byteCount: self.capacity, alignment: 16)
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// Room for some more bytes, to be filled at once.
  func append(_ more: Int) -> UnsafeMutableRawPointer {
    if more > capacity - count { grow(to: max(capacity * 2, count + more)) }
    defer { count += more }
    return start + count
  }

  func append(_ other: UnsafeRawBufferPointer) {
    guard let from = other.baseAddress else { return }
    append(other.count).copyMemory(from: from, byteCount: other.count)
  }

  /// - Parameter offset: of four bytes that were appended.
  func patch(_ value: UInt32, at offset: Int) {
    start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
  }

  /// Takes back what was appended behind `count`.
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
