import DaybookFrames
import DaybookLocks
import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An fsync on another thread, while the caller continues.
///
/// Only one can be in progress.
final class BackgroundSync: Sendable {
  private let queue = DispatchQueue(label: "daybook.sync", qos: .userInitiated)
  private let finished = DispatchSemaphore(value: 0)
  private let isFinished = Mutex(false)
  private let result = Mutex<Result<Void, LogError>>(.success(()))
  /// The duration of the last fsync; nil once it was taken.
  private let time = Mutex<Duration?>(nil)

  /// Starts the fsync; exactly one call of ``wait()`` must follow.
  func begin(_ file: any StorageFile) {
    isFinished.withLock { $0 = false }
    queue.async { [self] in
      let began = ContinuousClock.now
      let outcome = Result { () throws(LogError) in try file.sync() }
      time.withLock { $0 = ContinuousClock.now - began }
      result.withLock { $0 = outcome }
      isFinished.withLock { $0 = true }
      finished.signal()
    }
  }

  /// Waits until the file is durable.
  ///
  /// The rest of an fsync is often shorter than the time that a thread takes to wake up. The call
  /// therefore polls for up to 200 µs before it sleeps.
  /// - Throws: the error of the fsync.
  func wait() throws(LogError) {
    let end = ContinuousClock.now + .microseconds(200)
    while !isFinished.withLock { $0 }, ContinuousClock.now < end { sched_yield() }
    finished.wait()
    try result.withLock { $0 }.get()
  }

  /// Returns the duration of the last fsync; nil if there was none since the last call.
  func takeTime() -> Duration? {
    time.withLock { time in
      defer { time = nil }
      return time
    }
  }
}
