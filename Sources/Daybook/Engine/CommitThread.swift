import Foundation
import Synchronization

/// The one thread on which a store writes. Jobs that wait while others run are handed over together,
/// so that they share an fsync.
final class CommitThread<Job: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var queue: [Job] = []
  /// As many as `queue` has, to be seen without the lock.
  private let waiting = Atomic<Int>(0)
  private var isStopping = false
  private var isStopped = false

  /// - Parameters:
  ///   - take: how many of the waiting jobs, at least one, make the next group.
  ///   - run: runs a group, on the thread.
  init(
    name: String, take: @escaping @Sendable ([Job]) -> Int,
    run: @escaping @Sendable ([Job]) -> Void
  ) {
    let thread = Thread { [self] in
      while let group = next(take) {
        run(group)
        linger(group.count)
      }
      condition.lock()
      isStopped = true
      condition.broadcast()
      condition.unlock()
    }
    thread.name = name
    // Folding and SQLite's parser like to recurse.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// - Returns: false where the thread has been stopped: the job will not run.
  func enqueue(_ job: Job) -> Bool { enqueue([job]) }

  /// Several at once, with no others between.
  func enqueue(_ jobs: [Job]) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard !isStopping else { return false }
    queue.append(contentsOf: jobs)
    waiting.store(queue.count, ordering: .relaxed)
    condition.signal()
    return true
  }

  /// Runs what is waiting, then ends. Blocks until then.
  func stop() {
    condition.lock()
    isStopping = true
    condition.broadcast()
    while !isStopped { condition.wait() }
    condition.unlock()
  }

  private func next(_ take: ([Job]) -> Int) -> [Job]? {
    condition.lock()
    defer { condition.unlock() }
    while queue.isEmpty, !isStopping { condition.wait() }
    guard !queue.isEmpty else { return nil }
    let count = min(max(take(queue), 1), queue.count)
    let group = Array(queue.prefix(count))
    queue.removeFirst(count)
    waiting.store(queue.count, ordering: .relaxed)
    return group
  }

  /// How long a thread that has just written looks out for the next job before it sleeps.
  private static var lingering: Duration { .microseconds(60) }

  /// A writer that writes again at once finds the thread awake: waking it costs as much as a third
  /// of an fsync. Whoever else wants the processor gets it.
  private func linger(_ count: Int) {
    let end = ContinuousClock.now + Self.lingering
    while waiting.load(ordering: .relaxed) < count, ContinuousClock.now < end { sched_yield() }
  }
}
