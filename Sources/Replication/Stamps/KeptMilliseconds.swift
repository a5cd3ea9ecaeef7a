internal import EventCore

/// Milliseconds of server time that are kept for events that come late, and the stamps in them.
///
/// Such a millisecond ends with a stamp at its very last moment, which no other stamp has: so the stamps alone
/// say which milliseconds are kept.
struct KeptMilliseconds: Sendable {
  /// By millisecond, the counters of its stamps, ascending.
  private var stamps: [Int64: [UInt16]] = [:]
  /// The first event of each of these stamps.
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

  /// The last stamp before `end` in its millisecond; the first moment if there is none.
  func last(before end: HybridTime) -> HybridTime {
    let counter = stamps[end.milliseconds]?.last { $0 < end.counter } ?? 0
    return HybridTime(milliseconds: end.milliseconds, counter: counter)
  }

  /// Notes which event got a stamp.
  mutating func note(_ event: EventID, in time: HybridTime) {
    events[time.milliseconds, default: []].insert(event)
  }

  /// Forgets all others but those with a stamp for an event that is to come.
  mutating func keep(_ milliseconds: Set<Int64>, _ isToCome: (EventID) -> Bool) {
    for time in Array(stamps.keys) where !milliseconds.contains(time) {
      events[time] = events[time]?.filter(isToCome)
      guard events[time]?.isEmpty ?? true else { continue }
      stamps[time] = nil
      events[time] = nil
    }
  }
}
