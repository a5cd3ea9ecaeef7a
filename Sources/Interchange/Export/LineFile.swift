import DaybookDisk
import DaybookEngine
import DaybookLocks
import Foundation

/// A file that is written line by line, beside its place, and gets there when it is complete.
final class LineFile: Sendable {
  private struct State {
    var buffer: [UInt8] = []
    var count = 0
    /// Whether there is a file beside the place.
    var isTemporary = true
  }

  private static let bufferBytes = 1 << 18

  private let path: String
  private let temporary: String
  private let descriptor: Int32
  private let state = Mutex(State())

  /// The number of lines so far.
  var count: Int { state.withLock { $0.count } }

  init(_ url: URL) throws(StoreError) {
    path = url.path(percentEncoded: false)
    let folder = (path as NSString).deletingLastPathComponent
    let name = ".daybook-\(UInt64.random(in: .min ... .max)).part"
    temporary = (folder as NSString).appendingPathComponent(name)
    do { descriptor = try SystemCalls.open(temporary, .new, mode: 0o644) } catch {
      throw Self.error(error, path)
    }
  }

  deinit {
    discard()
    close(descriptor)
  }

  /// Removes what has been written, if it has not been put in its place.
  ///
  /// A caller whose work fails calls it before it throws: others may hold the object a little
  /// longer.
  func discard() {
    state.withLock { state in
      if state.isTemporary { unlink(temporary) }
      state.isTemporary = false
    }
  }

  func line(_ bytes: [UInt8]) throws {
    try state.withLock { state in
      state.buffer += bytes
      state.buffer.append(0x0A)
      state.count += 1
      if state.buffer.count >= Self.bufferBytes { try write(&state) }
    }
  }

  /// Writes what is left, makes the file durable, and puts it in its place.
  func finish() throws {
    try state.withLock { state in
      try write(&state)
      do throws(SystemError) {
        try SystemCalls.sync(descriptor)
        try SystemCalls.rename(temporary, to: path)
      } catch { throw Self.error(error, path) }
      state.isTemporary = false
    }
  }

  private func write(_ state: inout State) throws(StoreError) {
    do { try state.buffer.withUnsafeBytes { try SystemCalls.write(descriptor, $0) } } catch {
      throw Self.error(error as? SystemError ?? SystemError(EIO), path)
    }
    state.buffer.removeAll(keepingCapacity: true)
  }

  private static func error(_ error: SystemError, _ path: String) -> StoreError {
    StoreError(
      error.number == ENOSPC ? .noSpace : .ioFailed, "\(path) cannot be written: \(error)",
      hint: "Free some space, or choose another place")
  }
}
