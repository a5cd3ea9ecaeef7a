import DaybookCSystemCalls
import DaybookDisk
package import DaybookFrames

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

  deinit { SystemCalls.close(descriptor) }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(LogError) -> Int
  {
    try LogError.surfacing("read \(name)") { () throws(SystemError) in
      try SystemCalls.read(descriptor, at: offset, into: buffer)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(LogError) {
    try LogError.surfacing("write \(name)") { () throws(SystemError) in
      try SystemCalls.write(descriptor, bytes, at: offset)
    }
  }

  package func startWriting(at offset: UInt64, count: Int) {
    daybook_start_writing(descriptor, Int64(clamping: offset), Int64(count))
  }

  package func sync() throws(LogError) {
    try LogError.surfacing("make \(name) durable") { () throws(SystemError) in
      try SystemCalls.sync(descriptor)
    }
  }

  package func truncate(to size: UInt64) throws(LogError) {
    try LogError.surfacing("change the size of \(name)") { () throws(SystemError) in
      try SystemCalls.truncate(descriptor, to: size)
    }
  }

  package func allocate(to size: UInt64) throws(LogError) {
    let current = try self.size()
    guard size > current else { return }
    try LogError.surfacing("reserve space for \(name)") { () throws(SystemError) in
      try SystemCalls.allocate(descriptor, from: current, to: size)
    }
  }

  package func size() throws(LogError) -> UInt64 {
    try LogError.surfacing("find the size of \(name)") { () throws(SystemError) in
      try SystemCalls.size(descriptor)
    }
  }
}
