import DaybookEventCore
import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct DatesTests {
  @Test("the date of a time has the time's milliseconds, so that a position at it selects it")
  func roundTrip() {
    var random = SplitMix64(seed: 1)
    var times: [Int64] = [0, 1, 999, 1_763_700_000_001, 7_258_118_400_000, 0xFFFF_FFFF_FFFF]
    for _ in 0..<100_000 { times.append(Int64(random.next() >> UInt64(random.pick(16...40)))) }
    for time in times {
      let date = HybridTime(milliseconds: time, counter: .max).date
      #expect(date.milliseconds == time)
      guard date.milliseconds == time else { return }
      #expect(Position.time(date) == .time(time))
    }
  }

  @Test("a time that any author claims has a date, and any date a time")
  func hostile() {
    for raw in [0, 1, 1 << 16, UInt64(Int64.max), UInt64(Int64.max) + 1, .max] as [UInt64] {
      let time = HybridTime(rawValue: raw)
      let times = Store.EventTimes(authored: time, stamped: .zero)
      #expect(time.date.milliseconds == Int64(raw >> 16))
      #expect(times.authoredDate == time.date && times.date == HybridTime.zero.date)
    }
    for time in [Int64.min, .min + 1, -1, .max - 1, .max] {
      var peer = PeerState(address: "")
      peer.lastSuccess = time
      #expect(peer.lastSuccessDate?.timeIntervalSince1970.isFinite == true)
    }
    for interval in HostileArguments.reals {
      _ = Position.time(Date(timeIntervalSince1970: interval))
    }
    #expect(Date(timeIntervalSince1970: .infinity).milliseconds == .max)
    #expect(Date(timeIntervalSince1970: -.infinity).milliseconds == .min)
    #expect(Date(timeIntervalSince1970: .nan).milliseconds == 0)
    #expect(Date(timeIntervalSince1970: 1.0019).milliseconds == 1001)
  }
}
