import Testing

@testable import Daybook

/// When the unsaved edits of a session are due.
@Suite struct EditingScheduleTests {
  private func schedule() -> EditingSchedule {
    var options = EditingSession.Options()
    options.pause = .seconds(1)
    options.intervalMax = .seconds(5)
    return EditingSchedule(options)
  }

  @Test("edits are due after a pause, and at the latest some time after the first of them")
  func pause() {
    var schedule = schedule()
    schedule.noteEdit(at: .seconds(10), isFirst: true)
    #expect(schedule.time == .seconds(11))
    for second in 11...14 { schedule.noteEdit(at: .seconds(second), isFirst: false) }
    #expect(schedule.time == .seconds(15))
    schedule.noteEdit(at: .milliseconds(14_900), isFirst: false)
    #expect(schedule.time == .seconds(15))
    // What was typed while the others were written has its own time.
    schedule.noteWrite(at: .seconds(15))
    #expect(schedule.time == .milliseconds(15_900))
  }

  @Test("a failed write is repeated later and later, and a write ends that")
  func failures() {
    var schedule = schedule()
    schedule.noteEdit(at: .seconds(1), isFirst: true)
    var now = Duration.seconds(2)
    var last = Duration.zero
    for _ in 1...12 {
      schedule.noteFailure(at: now)
      let pause = schedule.time - now
      #expect(schedule.isRepeating && pause >= last && pause >= .seconds(1))
      #expect(pause <= .seconds(60))
      (last, now) = (pause, schedule.time)
    }
    #expect(last > .seconds(30))
    // An edit meanwhile does not bring it forward.
    schedule.noteFailure(at: now)
    let time = schedule.time
    schedule.noteEdit(at: now, isFirst: false)
    #expect(schedule.time == time)
    schedule.noteWrite(at: now)
    schedule.noteEdit(at: now, isFirst: true)
    #expect(!schedule.isRepeating && schedule.time == now + .seconds(1))
    schedule.noteFailure(at: now)
    schedule.forgetFailures()
    #expect(!schedule.isRepeating)
  }
}
