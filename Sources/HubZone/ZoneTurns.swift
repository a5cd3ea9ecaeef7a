import Foundation

/// The turns of the threads that use a zone: any number at once, or one that replaces its log.
final class ZoneTurns: @unchecked Sendable {
  private let condition = NSCondition()
  private var users = 0
  private var isTaken = false

  /// Runs `body` while no thread replaces the log; waits if one does, or waits to.
  func share<T>(_ body: () throws -> T) rethrows -> T {
    condition.withLock {
      while isTaken { condition.wait() }
      users += 1
    }
    defer {
      condition.withLock {
        users -= 1
        condition.broadcast()
      }
    }
    return try body()
  }

  /// Runs `body` while no other thread uses the zone; waits until none does.
  func exclude<T>(_ body: () throws -> T) rethrows -> T {
    condition.withLock {
      while isTaken { condition.wait() }
      isTaken = true
      while users > 0 { condition.wait() }
    }
    defer {
      condition.withLock {
        isTaken = false
        condition.broadcast()
      }
    }
    return try body()
  }
}
