import Foundation

/// A step of a rebuild on a thread of its own, which takes the items of the step before in order.
final class RebuildStage<Item: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let work: @Sendable (Item) throws -> Void
  private let end: @Sendable (_ isWanted: () -> Bool) throws -> Void
  private let weight: @Sendable (Item) -> Int
  private var isCancelled = false
  private var queue: [Item] = []
  /// The total weight of the queue.
  private var waiting = 0
  private var isHeld: Bool
  private var isFinishing = false
  private var isDone = false
  private var failure: (any Error)?

  /// The queue's maximum weight: enough that one step can go on while another reads or sorts.
  /// Memory that items refer to is bounded by ``RebuildPartitions``; large items weigh more.
  private static var weightMax: Int { 128 }

  /// Starts the stage's thread.
  /// - Parameters:
  ///   - isHeld: whether items wait, however many, until ``release()`` or ``close()``.
  ///   - weight: an item's weight in the queue; at least 1.
  ///   - work: called on the stage's thread, with one item after another; an error ends the stage.
  ///   - end: called on the stage's thread after the last item. Its argument returns false once the
  ///     stage is canceled.
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
      // Items in the queue may hold memory that another thread waits for.
      queue.removeAll()
      isDone = true
      condition.broadcast()
      condition.unlock()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Hands over an item; waits while the queue is full.
  /// - Throws: the error that ended the stage.
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

  /// Starts working through the held items.
  func release() {
    condition.lock()
    isHeld = false
    condition.broadcast()
    condition.unlock()
  }

  /// Declares that no more items will come: the thread works through the queue and ends.
  func close() {
    condition.lock()
    isHeld = false
    isFinishing = true
    condition.broadcast()
    condition.unlock()
  }

  /// Waits until every item is done and the thread has ended.
  /// - Throws: the error that ended the stage.
  func finish() throws {
    close()
    condition.lock()
    defer { condition.unlock() }
    while !isDone { condition.wait() }
    if let failure { throw failure }
  }

  /// Drops all waiting items, and waits until the thread has ended.
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
