import DaybookLocks

/// The current snapshot and the known damage, which any thread may read without waiting for a
/// writer.
///
/// The writer replaces them; readers copy them.
final class SharedSnapshot: Sendable {
  private let value = Mutex(LogSnapshot())
  private let findings = Mutex<[LogFinding]>([])

  var current: LogSnapshot { value.withLock { $0 } }

  func replace(_ snapshot: LogSnapshot) { value.withLock { $0 = snapshot } }

  func update(_ body: (inout LogSnapshot) -> Void) { value.withLock { body(&$0) } }

  /// The damage found so far.
  var damage: [LogFinding] {
    get { findings.withLock { $0 } }
    set { findings.withLock { $0 = newValue } }
  }
}
