internal import Dispatch
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Makes a file durable on a thread of its own, while its owner goes on with something else. One at a
/// time.
final class BackgroundSync: Sendable {
  private let queue = DispatchQueue(label: "daybook.sync", qos: .userInitiated)
  private let finished = DispatchSemaphore(value: 0)
  private let isFinished = Atomic(false)
  private let result = Mutex<Result<Void, LogError>>(.success(()))
  /// How long the last one took, until somebody asks.
  private let time = Mutex<Duration?>(nil)

  /// To be followed by ``wait()``, once.
  func begin(_ file: any StorageFile) {
    isFinished.store(false, ordering: .relaxed)
    queue.async { [self] in
      let began = ContinuousClock.now
      let outcome = Result { () throws(LogError) in try file.sync() }
      time.withLock { $0 = ContinuousClock.now - began }
      result.withLock { $0 = outcome }
      isFinished.store(true, ordering: .releasing)
      finished.signal()
    }
  }

  /// Returns when the file is durable. What is left of an fsync is often shorter than a thread takes
  /// to wake, so it looks out for the end for a while before it sleeps.
  /// - Throws: what syncing threw.
  func wait() throws(LogError) {
    let end = ContinuousClock.now + .microseconds(200)
    while !isFinished.load(ordering: .acquiring), ContinuousClock.now < end { sched_yield() }
    finished.wait()
    try result.withLock { $0 }.get()
  }

  /// How long the last one took; nil where there was none since this was asked.
  func takeTime() -> Duration? {
    time.withLock { time in
      defer { time = nil }
      return time
    }
  }
}
