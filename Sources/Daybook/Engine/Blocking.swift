import Foundation

/// Runs blocking work on threads of its own: the cooperative pool has few, and none to wait with.
package enum Blocking {
  private static let threads = WaitingThreads()

  /// For a task that waits again and again between what it awaits: all of it runs on those threads, and
  /// none of it is handed back and forth.
  static let executor: any TaskExecutor = threads

  package static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws
    -> T
  {
    try await withCheckedThrowingContinuation { continuation in
      threads.run { continuation.resume(with: Result { try body() }) }
    }
  }
}

/// As many threads as there is work at once, as work may wait for other work. One that is done waits a
/// while for more: to wake it takes a fifth of the time that a new one takes.
private final class WaitingThreads: TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [@Sendable () -> Void] = []
  private var idle = 0

  private static let patience: TimeInterval = 10

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  func run(_ job: @escaping @Sendable () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    jobs.append(job)
    guard idle < jobs.count else { return condition.signal() }
    let thread = Thread { [self] in work() }
    thread.name = "daybook-blocking"
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func work() {
    while let job = next() {
      #if canImport(ObjectiveC)
        autoreleasepool { job() }
      #else
        job()
      #endif
    }
  }

  /// Nil where there was nothing to do for long.
  private func next() -> (@Sendable () -> Void)? {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: Self.patience)
    while jobs.isEmpty {
      idle += 1
      let isSignalled = condition.wait(until: end)
      idle -= 1
      if !isSignalled, jobs.isEmpty { return nil }
    }
    return jobs.removeFirst()
  }
}
