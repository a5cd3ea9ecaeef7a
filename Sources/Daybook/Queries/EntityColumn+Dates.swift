import DaybookEventCore
import DaybookLocks
import DaybookProjections
public import Foundation

/// Dates, and optional dates.
public protocol DateFieldValue: FieldValue {}
extension Date: DateFieldValue {}
extension Optional: DateFieldValue where Wrapped == Date {}

/// A unit of a calendar, by which dates can be grouped.
public enum DateUnit: Sendable, CaseIterable {
  /// Units of a calendar, from the shortest to the longest.
  case hour, day, week, month, year

  fileprivate var component: Calendar.Component {
    switch self {
    case .hour: .hour
    case .day: .day
    case .week: .weekOfYear
    case .month: .month
    case .year: .year
    }
  }
}

extension EntityColumn where V: DateFieldValue {
  /// The beginning of the day, or another unit, that the date lies in.
  ///
  /// ```swift
  /// Note.all.grouped { $0.modified.start(of: .day) }.count()
  /// Note.where { $0.due.start(of: .week) == thisWeek }
  /// ```
  /// No index is used.
  /// - Parameters:
  ///   - unit: the unit of the calendar.
  ///   - calendar: the calendar, which has the time zone.
  public func start(of unit: DateUnit, in calendar: Calendar = .current) -> EntityColumn {
    var copy = self
    let start = DateStart.number(DateStart.Rule(calendar: calendar, unit: unit))
    copy.fragment =
      "\(SQLFunctions.start)(" + fragment + ", "
      + SQLFragment(.integer(start), of: .integer, fragment)
      + ")"
    copy.place = nil
    return copy
  }
}

/// Finds the beginning of a unit of a calendar that a time lies in, for one statement.
final class DateStart {
  fileprivate struct Rule: Hashable {
    var calendar: Calendar
    var unit: DateUnit
  }

  /// The rules of this process, which statements name by their numbers. Equal rules have one, so
  /// that there are few.
  private static let rules = Mutex<[Rule]>([])

  fileprivate static func number(_ rule: Rule) -> Int64 {
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
    guard let unit = rule.calendar.dateInterval(of: rule.unit.component, for: date),
      case .timestamp(let start) = Value(unit.start), case .timestamp(let end) = Value(unit.end),
      start < end
    else { return nil }
    latest = start..<end
    return start
  }
}
