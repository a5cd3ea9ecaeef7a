import Dispatch

/// A result that one thread waits for and another sets.
package final class Awaited<T: Sendable>: @unchecked Sendable {
  private let isThere = DispatchSemaphore(value: 0)
  private var result: Result<T, any Error>?

  package init() {}

  /// Sets the result.
  ///
  /// To be called once.
  package func set(_ result: Result<T, any Error>) {
    self.result = result
    isThere.signal()
  }

  /// Waits for the result and returns it.
  ///
  /// To be called once.
  package func wait() throws -> T {
    isThere.wait()
    guard let result else { throw StoreError(.other, "a result was lost on its way") }
    return try result.get()
  }
}
