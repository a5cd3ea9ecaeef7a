import DaybookLocks
import Foundation

/// The thread on which a store writes, one group of jobs after another.
///
/// Jobs that wait while others run are handed over together, so that they share an fsync.
///
/// A thread that may block takes the turn itself if it is free: waking a thread, and being woken,
/// takes as much as a third of an fsync.
final class CommitThread<Job: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let run: @Sendable ([Job]) -> Void
  private var queue: [Job] = []
  /// The number of jobs in `queue`, readable without the lock.
  private let waiting = Mutex<Int>(0)
  /// The thread that has the turn; nil if it is free.
  private var runner: pthread_t?
  private var isStopping = false
  private var isStopped = false

  /// - Parameters:
  ///   - name: the name of the thread.
  ///   - take: returns how many of the waiting jobs, at least one, make the next group.
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
    // The closures of the app run on this thread too.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Adds a job to the queue.
  /// - Returns: false if the thread has been stopped: the job will not run.
  func enqueue(_ job: Job) -> Bool { enqueue([job]) }

  /// Adds several jobs to the queue, with no others between them.
  /// - Returns: false if the thread has been stopped: no job will run.
  func enqueue(_ jobs: [Job]) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard !isStopping else { return false }
    queue.append(contentsOf: jobs)
    waiting.withLock { $0 = queue.count }
    condition.signal()
    return true
  }

  /// Runs a job on the calling thread if the turn is free, else leaves it to the commit thread.
  ///
  /// In the second case the job may still run after this method has returned.
  /// - Returns: false if the thread has been stopped: the job will not run.
  /// - Throws: ``StoreError`` `reentrant` if the calling thread has the turn, and would wait for
  ///   itself.
  func perform(_ job: Job) throws(StoreError) -> Bool {
    try refuseReentry()
    condition.lock()
    guard !isStopping else {
      condition.unlock()
      return false
    }
    guard runner == nil, queue.isEmpty else {
      queue.append(job)
      waiting.withLock { $0 = queue.count }
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

  /// Refuses a call within a turn.
  ///
  /// To be called before anything that waits for a turn or must not be done in one.
  /// - Throws: ``StoreError`` `reentrant` if the calling thread has the turn.
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
    // The thread may be waiting for a job, or for its turn.
    if !queue.isEmpty || isStopping { condition.broadcast() }
    condition.unlock()
  }

  /// Runs the waiting jobs and then `last`, and ends the thread.
  ///
  /// Blocks until it has ended.
  /// - Returns: false if the thread was stopped before.
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
    waiting.withLock { $0 = queue.count }
    return group
  }

  /// The time that a thread which has just written polls for the next job before it sleeps.
  private static var lingering: Duration { .microseconds(60) }

  /// Polls for the next jobs, so that a writer that writes again at once finds the thread awake.
  ///
  /// Waking it costs as much as a third of an fsync. Other threads get the processor meanwhile
  /// (`sched_yield`).
  private func linger(_ count: Int) {
    let end = ContinuousClock.now + Self.lingering
    while waiting.withLock { $0 } < count, ContinuousClock.now < end { sched_yield() }
  }
}
