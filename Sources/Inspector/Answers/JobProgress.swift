import DaybookAnswers
import DaybookLocks

/// The progress of a long task, told to a page a few times a second.
final class JobProgress: Sendable {
  private let events: EventStream
  private let last = Mutex(ContinuousClock.now - .seconds(1))

  init(_ events: EventStream) { self.events = events }

  func say(_ done: UInt64, of total: UInt64) {
    let now = ContinuousClock.now
    let isDue = last.withLock { last in
      guard now - last > .milliseconds(150) else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    events.send(
      "progress", [("done", AnswerJSON.count(done)), ("total", AnswerJSON.count(total))])
  }
}
