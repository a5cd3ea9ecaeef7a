import Foundation

/// A step of a rebuild on a thread of its own: takes what the step before hands over, in order.
final class BulkStage<Item: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let work: @Sendable (Item) throws -> Void
  private let end: @Sendable () throws -> Void
  private var isCancelled = false
  private var queue: [Item] = []
  private var isHeld: Bool
  private var isFinishing = false
  private var isDone = false
  private var failure: (any Error)?

  /// Enough for the one step to go on while another reads or sorts; what the items refer to is bounded by
  /// ``Partitions``.
  private static var queueMax: Int { 128 }

  /// - Parameters:
  ///   - isHeld: items wait, however many, until ``release()``.
  ///   - work: is called on the stage's thread, with one item after another; what it throws ends the
  ///     stage.
  ///   - end: is called there when everything is done.
  init(
    isHeld: Bool = false, _ work: @escaping @Sendable (Item) throws -> Void,
    end: @escaping @Sendable () throws -> Void = {}
  ) {
    self.isHeld = isHeld
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
    condition.lock()
    defer { condition.unlock() }
    while queue.count >= Self.queueMax, !isHeld, !isDone { condition.wait() }
    if let failure { throw failure }
    queue.append(item)
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
    return queue.removeFirst()
  }

  private func drain() throws {
    while let item = next() { try work(item) }
    let isWanted = condition.withLock { !isCancelled }
    if isWanted { try end() }
  }
}
