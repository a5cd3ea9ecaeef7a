import DaybookEventCore

/// Milliseconds of server time that are kept for late events, with the stamps in them. An event
/// whose stamp was lost may be stamped there, too.
///
/// A kept millisecond ends with a stamp at its very last moment, which no other stamp uses. The
/// stamps alone therefore say which milliseconds are kept.
struct KeptMilliseconds: Sendable {
  /// The counters of the stamps in each millisecond, ascending.
  private var stamps: [Int64: [UInt16]] = [:]
  /// The first event of each stamp, by millisecond.
  private var events: [Int64: Set<EventID>] = [:]

  var isEmpty: Bool { stamps.isEmpty }

  func contains(_ time: HybridTime) -> Bool {
    !stamps.isEmpty && stamps[time.milliseconds] != nil
  }

  mutating func note(_ time: HybridTime) {
    guard time.counter == .max || contains(time) else { return }
    var counters = stamps[time.milliseconds] ?? []
    let place = counters.firstIndex { $0 >= time.counter } ?? counters.count
    if place == counters.count || counters[place] != time.counter {
      counters.insert(time.counter, at: place)
    }
    stamps[time.milliseconds] = counters
  }

  /// Returns the times above which a late event may rank, to be before `end`, the best one first.
  ///
  /// In a kept millisecond, that is the last stamp before `end`, or the first moment if there is
  /// none. Else it is the first moment of the millisecond before `end`: there the event ranks among
  /// stamps that have nothing to do with it.
  func starts(before end: HybridTime) -> [HybridTime] {
    let before = HybridTime(milliseconds: max(0, end.milliseconds - 1), counter: 0)
    guard let counters = stamps[end.milliseconds] else { return [before] }
    let last = counters.last { $0 < end.counter } ?? 0
    return [HybridTime(milliseconds: end.milliseconds, counter: last), before]
  }

  /// Records which event got a stamp.
  mutating func note(_ event: EventID, in time: HybridTime) {
    events[time.milliseconds, default: []].insert(event)
  }

  /// Drops all milliseconds except those given and those with a stamp for an event that is still to
  /// come.
  mutating func keep(_ milliseconds: Set<Int64>, _ isToCome: (EventID) -> Bool) {
    for time in Array(stamps.keys) where !milliseconds.contains(time) {
      events[time] = events[time]?.filter(isToCome)
      guard events[time]?.isEmpty ?? true else { continue }
      stamps[time] = nil
      events[time] = nil
    }
  }
}
