import DequeModule
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

/// As many threads as there is work at once, as work may wait for other work, or no more than a number of
/// them. One that is done waits a while for more: to wake it takes a fifth of the time that a new one takes.
final class WaitingThreads: TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  /// A deque lets go of what is taken from it. A slice of an array does not, and so kept closed stores for ever.
  private var jobs: Deque<@Sendable () -> Void> = []
  private var idle = 0
  private var count = 0
  private let countMax: Int
  private let name: String

  private static let patience: TimeInterval = 10

  /// - Parameter countMax: the most threads; work beyond them waits for its turn.
  init(name: String = "daybook-blocking", countMax: Int = .max) {
    self.name = name
    self.countMax = countMax
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  func run(_ job: @escaping @Sendable () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    jobs.append(job)
    guard idle < jobs.count, count < countMax else { return condition.signal() }
    count += 1
    let thread = Thread { [self] in work() }
    thread.name = name
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
      if !isSignalled, jobs.isEmpty {
        count -= 1
        return nil
      }
    }
    return jobs.removeFirst()
  }
}
