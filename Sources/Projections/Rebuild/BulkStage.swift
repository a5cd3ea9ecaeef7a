import Foundation

/// A step of a rebuild on a thread of its own: takes what the step before hands over, in order.
final class BulkStage<Item: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let work: @Sendable (Item) throws -> Void
  private let end: @Sendable (_ isWanted: () -> Bool) throws -> Void
  private let weight: @Sendable (Item) -> Int
  private var isCancelled = false
  private var queue: [Item] = []
  /// Of what is in the queue.
  private var waiting = 0
  private var isHeld: Bool
  private var isFinishing = false
  private var isDone = false
  private var failure: (any Error)?

  /// Enough for the one step to go on while another reads or sorts. What items refer to is bounded by
  /// ``Partitions``; those that hold much weigh more.
  private static var weightMax: Int { 128 }

  /// - Parameters:
  ///   - isHeld: items wait, however many, until ``release()``.
  ///   - work: is called on the stage's thread, with one item after another; what it throws ends the
  ///     stage.
  ///   - end: is called there when everything is done, with what says whether it still is to go on.
  ///   - weight: at least 1.
  init(
    isHeld: Bool = false, weight: @escaping @Sendable (Item) -> Int = { _ in 1 },
    _ work: @escaping @Sendable (Item) throws -> Void,
    end: @escaping @Sendable (_ isWanted: () -> Bool) throws -> Void = { _ in }
  ) {
    self.isHeld = isHeld
    self.weight = weight
    self.work = work
    self.end = end
    let thread = Thread { [self] in
      var caught: (any Error)?
      do { try drain() } catch { caught = error }
      condition.lock()
      failure = caught
      // What waits may hold memory that somebody waits for.
      queue.removeAll()
      isDone = true
      condition.broadcast()
      condition.unlock()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Hands over an item; waits while the stage is too far behind.
  /// - Throws: what the stage failed with.
  func put(_ item: Item) throws {
    let weight = weight(item)
    condition.lock()
    defer { condition.unlock() }
    while !queue.isEmpty, waiting + weight > Self.weightMax, !isHeld, !isDone { condition.wait() }
    if let failure { throw failure }
    queue.append(item)
    waiting += weight
    condition.broadcast()
  }

  /// Begins with what has been waiting.
  func release() {
    condition.lock()
    isHeld = false
    condition.broadcast()
    condition.unlock()
  }

  /// Nothing more is handed over: what waits is done, and the thread ends.
  func close() {
    condition.lock()
    isHeld = false
    isFinishing = true
    condition.broadcast()
    condition.unlock()
  }

  /// Waits until everything is done, and ends the thread.
  /// - Throws: what the stage failed with.
  func finish() throws {
    close()
    condition.lock()
    defer { condition.unlock() }
    while !isDone { condition.wait() }
    if let failure { throw failure }
  }

  /// Ends the thread as soon as it may, whatever still waits.
  func cancel() {
    condition.lock()
    queue.removeAll()
    waiting = 0
    isCancelled = true
    condition.unlock()
    try? finish()
  }

  private func next() -> Item? {
    condition.lock()
    defer { condition.unlock() }
    while isHeld || queue.isEmpty, !isFinishing { condition.wait() }
    guard !queue.isEmpty else { return nil }
    condition.broadcast()
    let item = queue.removeFirst()
    waiting -= weight(item)
    return item
  }

  private func drain() throws {
    while let item = next() { try work(item) }
    let isWanted = { [self] in condition.withLock { !isCancelled } }
    if isWanted() { try end(isWanted) }
  }
}
