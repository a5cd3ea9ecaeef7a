import DaybookLocks
import Foundation

/// The threads that are within a read of a store.
final class ReadingThreads: Sendable {
  private let depths = Mutex<[ObjectIdentifier: Int]>([:])

  var isReading: Bool {
    let thread = ObjectIdentifier(Thread.current)
    return depths.withLock { $0[thread] != nil }
  }

  func within<T>(_ body: () throws -> T) rethrows -> T {
    let thread = ObjectIdentifier(Thread.current)
    depths.withLock { $0[thread, default: 0] += 1 }
    defer {
      depths.withLock { depths in
        let depth = (depths[thread] ?? 1) - 1
        depths[thread] = depth > 0 ? depth : nil
      }
    }
    return try body()
  }
}
