internal import CSystemCalls

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An open file.
///
/// It reads with `pread`: no shared position, and no SIGBUS.
package final class DiskFile: StorageFile {
  private let descriptor: Int32
  private let name: String

  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  deinit { close(descriptor) }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(LogError) -> Int
  {
    try SystemCalls.read(descriptor, at: offset, into: buffer, doing: "read \(name)")
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError) {
    try SystemCalls.write(descriptor, bytes, at: offset, doing: "write \(name)")
  }

  package func startWriting(at offset: UInt64, count: Int) {
    daybook_start_writing(descriptor, Int64(clamping: offset), Int64(count))
  }

  package func sync() throws(LogError) {
    try SystemCalls.sync(descriptor, doing: "make \(name) durable")
  }

  package func truncate(to size: UInt64) throws(LogError) {
    guard SystemCalls.retrying({ Int(ftruncate(descriptor, off_t(clamping: size))) }) == 0 else {
      throw SystemCalls.error(errno, doing: "change the size of \(name)")
    }
  }

  package func allocate(to size: UInt64) throws(LogError) {
    let current = try self.size()
    guard size > current else { return }
    try SystemCalls.allocate(
      descriptor, from: current, to: size, doing: "reserve space for \(name)")
  }

  package func size() throws(LogError) -> UInt64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw SystemCalls.error(errno, doing: "find the size of \(name)")
    }
    return UInt64(clamping: status.st_size)
  }
}
