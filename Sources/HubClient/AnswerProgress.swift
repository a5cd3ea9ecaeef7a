import DaybookLocks

/// How far the answer to a request has come.
final class AnswerProgress: Sendable {
  private let state = Mutex(false)

  /// Whether the answer's head has arrived.
  var hasBegun: Bool { state.withLock(\.self) }

  func begin() { state.withLock { $0 = true } }
}
