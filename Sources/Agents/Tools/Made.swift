import DaybookLocks

/// What a transaction has made, for its caller.
final class Made: Sendable {
  private let text = Mutex("")

  var id: String { text.withLock { $0 } }

  func set(_ new: String) { text.withLock { $0 = new } }
}
