import DaybookLocks
import Foundation

/// The standard output, buffered into large writes.
enum StandardOutput {
  private static let buffer = Mutex<[UInt8]>([])
  private static let bufferBytesMax = 1 << 16
  private static let failureNumber = Mutex<Int32>(0)
  private static let confirmsStored = Mutex(false)

  /// Says that the output is about something that is done and stays done, whether or not it can be
  /// printed. A reader who has gone away then does not end the process either.
  static func isConfirmation() {
    confirmsStored.withLock { $0 = true }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes what is left, and returns the exit status of a command that has done its work. If the
  /// output cannot be written, that is an error, but for a confirmation.
  static func finish() -> Int32 {
    flush()
    guard let failure else { return 0 }
    guard confirmsStored.withLock({ $0 }) else { return failure.report() }
    StandardError.line("evtool: note: it is done, and only \(failure.message)")
    return 0
  }

  /// The failure to write some of the output; nil if there was none.
  private static var failure: Failure? {
    let number = failureNumber.withLock { $0 }
    guard number != 0 else { return nil }
    return Failure(
      .usage, "the output cannot be written: \(String(cString: strerror(number)))",
      hint: "What has been written of it is not complete")
  }

  /// Checks that a long output still has a reader. A confirmation goes on without one.
  /// - Throws: ``Failure`` if some of the output could not be written.
  static func check() throws(Failure) {
    guard let failure, !confirmsStored.withLock({ $0 }) else { return }
    throw failure
  }

  static func write(_ bytes: [UInt8]) {
    buffer.withLock { buffer in
      buffer.append(contentsOf: bytes)
      if buffer.count >= bufferBytesMax { drain(&buffer) }
    }
  }

  static func line(_ text: String = "") { write(Array(text.utf8) + [0x0A]) }
  static func line(_ bytes: [UInt8]) { write(bytes + [0x0A]) }

  static func flush() { buffer.withLock { drain(&$0) } }

  private static func drain(_ buffer: inout [UInt8]) {
    if failureNumber.withLock({ $0 }) == 0,
      !FileDescriptor.write(buffer, to: STDOUT_FILENO)
    {
      failureNumber.withLock { $0 = errno }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// The streams that every process has.
enum StandardStreams {
  /// Opens the null device for the streams that are closed. Otherwise the next file to be opened, a
  /// store's log for example, would be one of them, and would get what is printed.
  static func open() {
    while true {
      let descriptor = Foundation.open("/dev/null", O_RDWR)
      guard descriptor > STDERR_FILENO || descriptor < 0 else { continue }
      if descriptor >= 0 { close(descriptor) }
      return
    }
  }
}

enum StandardError {
  static func line(_ text: String) { write(text + "\n") }
  static func write(_ text: String) { FileDescriptor.write(Array(text.utf8), to: STDERR_FILENO) }
}

enum FileDescriptor {
  /// Writes all bytes to a descriptor.
  /// - Returns: Whether all of them were written.
  @discardableResult
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }
}
