import Foundation

/// Runs blocking work on a thread of its own: the cooperative pool has few, and none to wait with.
package enum Blocking {
  package static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws
    -> T
  {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Result { try body() }) }
      thread.name = "daybook-blocking"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }
}
