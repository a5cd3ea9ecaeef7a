import DaybookLocks
import DequeModule
import Dispatch
import Foundation

/// Runs blocking work on threads of its own, because the few threads of the cooperative pool must
/// not block.
package enum Blocking {
  private static let threads = WaitingThreads()

  /// Begins a task that blocks again and again between its suspensions.
  ///
  /// All of it runs on these threads, and is not handed back and forth.
  package static func task(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let lane = Lane()
    return Task { await lane.run(body) }
  }

  /// Where a task of ``task(_:)`` runs: on one of the threads at a time.
  ///
  /// Actors with an executor of their own are older than tasks with one.
  private actor Lane {
    private let jobs = LaneJobs(threads)

    nonisolated var unownedExecutor: UnownedSerialExecutor { jobs.asUnownedSerialExecutor() }

    func run(_ body: nonisolated(nonsending) @Sendable () async -> Void) async { await body() }
  }

  /// Runs `body` on one of the threads, and suspends the task until it is done.
  package static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws
    -> T
  {
    try await withCheckedThrowingContinuation { continuation in
      threads.run { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Begins to run `body` on one of the threads.
  static func start(_ body: @escaping @Sendable () -> Void) { threads.run(body) }

  /// Runs `body` as ``run(_:)`` does, and throws its error as the one that a caller of the store
  /// sees.
  package static func surfacing<T: Sendable>(_ body: @escaping @Sendable () throws -> T)
    async throws -> T
  {
    try await run { try StoreError.surfacing(body) }
  }
}

/// A pool of threads that may block.
///
/// It has as many threads as there is work at once, because work may wait for other work, or a
/// fixed number at most. An idle thread waits a while for more work: waking it takes a fifth of the
/// time that a new one takes.
final class WaitingThreads: @unchecked Sendable {
  private let lock = NSLock()
  /// Is signaled when there is work for an idle thread.
  private let work = DispatchSemaphore(value: 0)
  /// A deque releases an element that is removed.
  ///
  /// A slice of an array does not, and kept closed stores alive for ever.
  private var jobs: Deque<@Sendable () -> Void> = []
  private var idle = 0
  private var count = 0
  private let countMax: Int
  private let name: String

  private static let patience = DispatchTimeInterval.seconds(10)

  /// - Parameter countMax: the most threads; work beyond them waits for its turn.
  init(name: String = "daybook-blocking", countMax: Int = .max) {
    self.name = name
    self.countMax = countMax
  }

  func run(_ job: @escaping @Sendable () -> Void) {
    lock.lock()
    defer { lock.unlock() }
    jobs.append(job)
    guard idle < jobs.count, count < countMax else {
      // A busy thread looks for more work by itself.
      if idle > 0 { work.signal() }
      return
    }
    count += 1
    let thread = Thread { [self] in serve() }
    thread.name = name
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func serve() {
    while let job = next() {
      #if canImport(ObjectiveC)
        autoreleasepool { job() }
      #else
        job()
      #endif
    }
  }

  /// Waits for the next job.
  ///
  /// Returns nil if none came within ``patience``. The semaphore may have been signaled for a job
  /// that another thread took.
  private func next() -> (@Sendable () -> Void)? {
    lock.lock()
    defer { lock.unlock() }
    while jobs.isEmpty {
      idle += 1
      lock.unlock()
      let isSignaled = work.wait(timeout: .now() + Self.patience) == .success
      lock.lock()
      idle -= 1
      if !isSignaled, jobs.isEmpty {
        count -= 1
        return nil
      }
    }
    return jobs.removeFirst()
  }
}

/// The jobs of one actor, which run one after the other on threads that may block.
private final class LaneJobs: SerialExecutor {
  private let threads: WaitingThreads
  private let waiting = Mutex<(jobs: Deque<UnownedJob>, isRunning: Bool)>(([], false))

  init(_ threads: WaitingThreads) { self.threads = threads }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = waiting.withLock { waiting in
      waiting.jobs.append(job)
      defer { waiting.isRunning = true }
      return !waiting.isRunning
    }
    if isFirst { threads.run { [self] in runAll() } }
  }

  private func runAll() {
    while let job = next() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Takes the next job; nil if there is none, and the next one needs a thread again.
  private func next() -> UnownedJob? {
    waiting.withLock { waiting in
      if waiting.jobs.isEmpty { waiting.isRunning = false }
      return waiting.jobs.popFirst()
    }
  }
}
