import Dispatch

/// What one thread waits for and another brings.
final class Awaited<T: Sendable>: @unchecked Sendable {
  private let isThere = DispatchSemaphore(value: 0)
  private var result: Result<T, any Error>?

  /// Once.
  func set(_ result: Result<T, any Error>) {
    self.result = result
    isThere.signal()
  }

  /// Once.
  func wait() throws -> T {
    isThere.wait()
    guard let result else { throw StoreError(.other, "a result was lost on its way") }
    return try result.get()
  }
}
