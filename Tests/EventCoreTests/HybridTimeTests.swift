import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("HybridTime and HybridClock")
struct HybridTimeTests {
  @Test("milliseconds and counter are parts of one number")
  func parts() {
    let time = HybridTime(milliseconds: 1_700_000_000_123, counter: 42)
    #expect(time.milliseconds == 1_700_000_000_123 && time.counter == 42)
    #expect(time.rawValue == 1_700_000_000_123 << 16 | 42)
    #expect(time.description == "1700000000123+42")
  }

  @Test("a time outside 48 bits of milliseconds is clamped")
  func clamped() {
    #expect(HybridTime(milliseconds: -1) == .zero)
    #expect(HybridTime(milliseconds: .min) == .zero)
    #expect(HybridTime(milliseconds: .max).milliseconds == 0xFFFF_FFFF_FFFF)
  }

  @Test("the counter overflows into the milliseconds")
  func carry() {
    let last = HybridTime(milliseconds: 5, counter: .max)
    #expect(last.successor == HybridTime(milliseconds: 6))
    #expect(HybridTime(rawValue: .max).successor == HybridTime(rawValue: .max))
  }

  @Test("a clock never repeats itself, whatever the machine's clock does")
  func monotone() {
    var random = SplitMix64(seed: 4)
    var clock = HybridClock()
    var last = HybridTime.zero
    for _ in 0..<5000 {
      if random.chance(20) {
        let other = HybridTime(milliseconds: Int64(random.pick(0...2000)), counter: .max)
        clock.observe(other)
        last = max(last, other)
      }
      let wall = random.pick([Int64(random.pick(0...1000)), 500, -1, .min])
      let time = clock.tick(wallMilliseconds: wall)
      #expect(time > last)
      last = time
    }
  }

  @Test("a clock that stands still counts on for more than 65,536 ticks")
  func frozen() {
    var clock = HybridClock()
    var last = clock.tick(wallMilliseconds: 100)
    for _ in 0..<70_000 {
      let time = clock.tick(wallMilliseconds: 100)
      if time != last.successor { Issue.record("\(time) after \(last)") }
      last = time
    }
    #expect(last.milliseconds == 101)
  }

  @Test("a clock follows the machine's clock if that is ahead")
  func follows() {
    var clock = HybridClock(latest: HybridTime(milliseconds: 5, counter: 9))
    #expect(clock.tick(wallMilliseconds: 7) == HybridTime(milliseconds: 7))
    clock.observe(HybridTime(milliseconds: 3))
    #expect(clock.latest == HybridTime(milliseconds: 7))
  }

  // MARK: - Authors

  private static let now = HybridClock.begin + 1_000_000_000
  private static let day: Int64 = 86_400_000

  @Test("an author follows times up to a day ahead, and is detached beyond that")
  func lead() {
    let cases: [(Int64, Bool)] = [
      (-400 * Self.day, false), (0, false), (Self.day - 1, false), (Self.day, true),
      (173 * 365 * Self.day, true),
    ]
    for (ahead, isDetached) in cases {
      var clock = HybridClock()
      let seen = HybridTime(milliseconds: Self.now + ahead)
      let time = clock.author(wallMilliseconds: Self.now, seen: [.zero, seen])
      #expect(time.isDetached == isDetached, "\(ahead)")
      #expect(isDetached ? time.milliseconds == Self.now : time > seen, "\(ahead)")
    }
  }

  @Test("a clock that is certainly wrong follows everything before the far future")
  func wrongClock() {
    for wall in [0, 1000, HybridClock.begin - 1, Int64.min] {
      var clock = HybridClock()
      let seen = HybridTime(rawValue: HybridTime.farFuture.rawValue - 5)
      let time = clock.author(wallMilliseconds: wall, seen: [seen])
      #expect(time > seen && !time.isDetached)
    }
  }

  @Test("a clock that was ahead for one event is not followed by its own later ones")
  func ownClockWasAhead() {
    var clock = HybridClock()
    let ahead = clock.author(wallMilliseconds: Self.now + 100 * 365 * Self.day, seen: [])
    #expect(!ahead.isDetached)
    var last = HybridTime.zero
    for step in 0..<3 {
      let time = clock.author(wallMilliseconds: Self.now + Int64(step), seen: [ahead, last])
      #expect(time.isDetached && time < ahead && time >= last)
      last = time
    }
    // In the process that wrote it, too, before the read model has it.
    var other = HybridClock()
    _ = other.author(wallMilliseconds: Self.now + 100 * 365 * Self.day, seen: [])
    let detached = other.author(wallMilliseconds: Self.now, seen: [])
    #expect(detached.isDetached)
    // What is written within the same millisecond is later, as its author has seen the other.
    let next = other.author(wallMilliseconds: Self.now, seen: [])
    #expect(!next.isDetached && next > detached)
    #expect(other.author(wallMilliseconds: Self.now - 5, seen: []) > next)
  }

  @Test("a time that is not detached never looks so, also after 65,536 in a millisecond")
  func counters() {
    var clock = HybridClock()
    var last = HybridTime.zero
    for _ in 0..<140_000 {
      let time = clock.author(wallMilliseconds: Self.now, seen: [last])
      if time.isDetached || time <= last { Issue.record("\(time) after \(last)") }
      last = time
    }
    #expect(last.milliseconds == Self.now + 2)
  }
}
