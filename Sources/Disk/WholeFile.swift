#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writing of files that appear whole, or not at all.
package enum WholeFile {
  /// A step of writing, and why it failed.
  package struct Failure: Error, Hashable, Sendable {
    package enum Step: Sendable {
      case make
      case write
      /// The renaming.
      case place
    }

    package var step: Step
    package var error: SystemError
  }

  /// Writes a file beside another, and puts it in that one's place in one step.
  ///
  /// If it fails, the old file is as it was, and the new one is removed. The name is durable after
  /// ``SystemCalls/syncFolder(_:)``.
  /// - Parameters:
  ///   - bytes: the contents.
  ///   - path: the path of the file.
  ///   - temporary: the path where the new file is made, in the same folder. There must be nothing.
  ///   - mode: the permissions of the new file.
  ///   - isDurable: whether the contents are made durable before they get into place.
  ///   - finish: what else is done to the new file, which is closed then.
  package static func write(
    _ bytes: [UInt8], to path: String, beside temporary: String, mode: UInt32 = 0o644,
    isDurable: Bool = true, finish: () -> Void = {}
  ) throws(Failure) {
    let descriptor: Int32
    do { descriptor = try SystemCalls.open(temporary, .new, mode: mode) } catch {
      throw Failure(step: .make, error: error)
    }
    var step = Failure.Step.write
    do throws(SystemError) {
      do throws(SystemError) {
        try bytes.withRawPointer { raw throws(SystemError) in
          try SystemCalls.write(descriptor, raw)
        }
        if isDurable { try SystemCalls.sync(descriptor) }
      } catch {
        SystemCalls.close(descriptor)
        throw error
      }
      SystemCalls.close(descriptor)
      finish()
      step = .place
      try SystemCalls.rename(temporary, to: path)
    } catch {
      unlink(temporary)
      throw Failure(step: step, error: error)
    }
  }
}

extension Array where Element == UInt8 {
  /// Calls `body` with the array's bytes, and rethrows its error.
  func withRawPointer(
    _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Void
  ) throws(SystemError) {
    let result: Result<Void, SystemError> = withUnsafeBytes { bytes in
      do throws(SystemError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    try result.get()
  }
}
