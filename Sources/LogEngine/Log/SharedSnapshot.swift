internal import Synchronization

/// The snapshot that readers get: replaced by the writer, copied by everyone else.
final class SharedSnapshot: Sendable {
  private let value = Mutex(LogSnapshot())

  var current: LogSnapshot { value.withLock { $0 } }

  func replace(_ snapshot: LogSnapshot) { value.withLock { $0 = snapshot } }

  func update(_ body: (inout LogSnapshot) -> Void) { value.withLock { body(&$0) } }
}
