import DaybookReplication

/// When the unsaved edits of a session are to be written, as times since the session began.
struct EditingSchedule {
  /// The pause before a failed write is repeated.
  private static let retry = Backoff(first: .seconds(1), last: .seconds(60))

  private let pause: Duration
  private let intervalMax: Duration
  /// When the first and the last of the unsaved edits were made.
  private var firstEdit = Duration.zero
  private var lastEdit = Duration.zero
  /// The time before which a failed write is not repeated.
  private var earliest = Duration.zero
  private var failures = 0

  init(_ options: EditingSession.Options) {
    pause = options.pause.bounded
    intervalMax = options.intervalMax.bounded
  }

  /// The time from which unsaved edits are due: after a pause of the editor, at the latest some
  /// time after the first of them, and never before a failed write may be repeated.
  var time: Duration { max(min(lastEdit + pause, firstEdit + intervalMax), earliest) }

  /// Whether the last write failed, and is to be repeated.
  var isRepeating: Bool { failures > 0 }

  /// Notes an edit.
  /// - Parameter isFirst: whether no other edit is unsaved.
  mutating func noteEdit(at now: Duration, isFirst: Bool) {
    lastEdit = now
    if isFirst { firstEdit = now }
  }

  /// Notes a write that succeeded. Edits that are still unsaved were made while it ran.
  mutating func noteWrite(at now: Duration) {
    failures = 0
    earliest = .zero
    firstEdit = now
  }

  mutating func noteFailure(at now: Duration) {
    failures += 1
    earliest = now + Self.retry.mean(after: failures)
  }

  /// Notes that nothing has to be repeated any more.
  mutating func forgetFailures() { failures = 0 }
}
