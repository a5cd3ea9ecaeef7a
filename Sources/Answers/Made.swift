import DaybookLocks

/// What a transaction has made, for its caller.
package final class Made: Sendable {
  private let text = Mutex("")

  package var id: String { text.withLock { $0 } }

  package init() {}

  package func set(_ new: String) { text.withLock { $0 = new } }
}
