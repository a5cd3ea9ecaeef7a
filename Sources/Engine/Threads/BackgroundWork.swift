import Foundation

/// Work on a thread of its own, whose result is fetched later.
final class BackgroundWork<T: Sendable>: Sendable {
  private let outcome = Awaited<T>()

  init(_ body: @escaping @Sendable () throws -> T) {
    let outcome = outcome
    let thread = Thread { outcome.set(Result { try body() }) }
    thread.name = "daybook-background"
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Waits for the result and returns it.
  ///
  /// To be called once.
  func get() throws -> T { try outcome.wait() }
}
