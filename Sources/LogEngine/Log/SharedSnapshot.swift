internal import Synchronization

/// What everybody may ask the log, at any time and without waiting for whoever writes: replaced by the
/// writer, copied by everyone else.
final class SharedSnapshot: Sendable {
  private let value = Mutex(LogSnapshot())
  private let findings = Mutex<[LogFinding]>([])

  var current: LogSnapshot { value.withLock { $0 } }

  func replace(_ snapshot: LogSnapshot) { value.withLock { $0 = snapshot } }

  func update(_ body: (inout LogSnapshot) -> Void) { value.withLock { body(&$0) } }

  /// What is known to be damaged.
  var damage: [LogFinding] {
    get { findings.withLock { $0 } }
    set { findings.withLock { $0 = newValue } }
  }
}
