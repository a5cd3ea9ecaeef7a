import Foundation
import Synchronization

/// The thread on which a store writes, one group after another. Jobs that wait while others run are
/// handed over together, so that they share an fsync.
///
/// A thread that may wait takes the turn itself where nobody else has it: being woken, and waking, take
/// as much as a third of an fsync.
final class CommitThread<Job: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let run: @Sendable ([Job]) -> Void
  private var queue: [Job] = []
  /// As many as `queue` has, to be seen without the lock.
  private let waiting = Atomic<Int>(0)
  /// Whose turn it is.
  private var runner: pthread_t?
  private var isStopping = false
  private var isStopped = false

  /// - Parameters:
  ///   - take: how many of the waiting jobs, at least one, make the next group.
  ///   - run: runs a group, on the thread that has the turn.
  init(
    name: String, take: @escaping @Sendable ([Job]) -> Int,
    run: @escaping @Sendable ([Job]) -> Void
  ) {
    self.run = run
    let thread = Thread { [self] in
      while let group = next(take) {
        run(group)
        endTurn()
        linger(group.count)
      }
      condition.lock()
      isStopped = true
      condition.broadcast()
      condition.unlock()
    }
    thread.name = name
    // What runs on it is others' code, too.
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

  /// Runs a job on the calling thread where nobody has the turn, and else leaves it to the commit thread:
  /// then it may still run when this returns.
  /// - Returns: false where the thread has been stopped: the job will not run.
  /// - Throws: ``StoreError`` `reentrant` where the calling thread has the turn: it would wait for itself.
  func perform(_ job: Job) throws(StoreError) -> Bool {
    try refuseReentry()
    condition.lock()
    guard !isStopping else {
      condition.unlock()
      return false
    }
    guard runner == nil, queue.isEmpty else {
      queue.append(job)
      waiting.store(queue.count, ordering: .relaxed)
      condition.signal()
      condition.unlock()
      return true
    }
    runner = pthread_self()
    condition.unlock()
    run([job])
    endTurn()
    return true
  }

  /// To be called before anything that waits for a turn, or that is not to be done within one.
  /// - Throws: ``StoreError`` `reentrant`.
  func refuseReentry() throws(StoreError) {
    let hasTurn = condition.withLock {
      runner.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }
    guard hasTurn else { return }
    throw StoreError(
      .reentrant, "a transaction called its own store, which waits for it",
      hint: "Use the transaction itself, or call the store when it has ended")
  }

  private func endTurn() {
    condition.lock()
    runner = nil
    // The thread may wait for work, or for its turn.
    if !queue.isEmpty || isStopping { condition.broadcast() }
    condition.unlock()
  }

  /// Runs what is waiting and then `last`, and ends: nothing comes after it. Blocks until then.
  /// - Returns: false where that was done before.
  func stop(after last: Job) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard !isStopping else { return false }
    queue.append(last)
    isStopping = true
    condition.broadcast()
    while !isStopped { condition.wait() }
    return true
  }

  private func next(_ take: ([Job]) -> Int) -> [Job]? {
    condition.lock()
    defer { condition.unlock() }
    while runner != nil || queue.isEmpty && !isStopping { condition.wait() }
    guard !queue.isEmpty else { return nil }
    runner = pthread_self()
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
