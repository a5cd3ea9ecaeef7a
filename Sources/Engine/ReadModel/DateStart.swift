import DaybookEventCore
import DaybookLocks
package import Foundation

/// Finds the beginning of a unit of a calendar that a time lies in, for one statement.
package final class DateStart {
  package struct Rule: Hashable {
    package var calendar: Calendar
    package var unit: Calendar.Component

    package init(calendar: Calendar, unit: Calendar.Component) {
      self.calendar = calendar
      self.unit = unit
    }
  }

  /// The rules of this process, which statements name by their numbers. Equal rules have one, so
  /// that there are few.
  private static let rules = Mutex<[Rule]>([])

  package static func number(_ rule: Rule) -> Int64 {
    rules.withLock { rules in
      if let known = rules.firstIndex(of: rule) { return Int64(known) }
      rules.append(rule)
      return Int64(rules.count - 1)
    }
  }

  private let rule: Rule
  /// The unit that was found last, in milliseconds; neighbours in a table are often in one.
  private var latest: Range<Int64> = 0..<0

  /// - Parameter number: the rule's number; nil is returned if there is no such rule.
  init?(number: Int64) {
    let rule = Self.rules.withLock { rules in
      Int(exactly: number).flatMap { rules.indices.contains($0) ? rules[$0] : nil }
    }
    guard let rule else { return nil }
    self.rule = rule
  }

  /// Returns the beginning of the unit, within what a timestamp can be; nil if the calendar has
  /// none.
  /// - Parameter milliseconds: the time since 1970.
  func start(of milliseconds: Int64) -> Int64? {
    if latest.contains(milliseconds) { return latest.lowerBound }
    let date = Date(milliseconds: milliseconds)
    guard let unit = rule.calendar.dateInterval(of: rule.unit, for: date),
      case .timestamp(let start) = Value(unit.start), case .timestamp(let end) = Value(unit.end),
      start < end
    else { return nil }
    latest = start..<end
    return start
  }
}
