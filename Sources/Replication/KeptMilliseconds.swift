internal import EventCore

/// Milliseconds of server time that are kept for events that come late, and the stamps in them.
///
/// Such a millisecond ends with a stamp at its very last moment, which no other stamp has: so the stamps alone
/// say which milliseconds are kept.
struct KeptMilliseconds: Sendable {
  /// By millisecond, the counters of its stamps, ascending.
  private var stamps: [Int64: [UInt16]] = [:]

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

  /// Forgets all others.
  mutating func keep(_ milliseconds: Set<Int64>) {
    stamps = stamps.filter { milliseconds.contains($0.key) }
  }
}
