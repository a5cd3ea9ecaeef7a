import DaybookEngine
import DaybookEventCore
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
  ///
  /// In SQL: `daybook_start(column, ?)`.
  /// - Parameters:
  ///   - unit: the unit of the calendar.
  ///   - calendar: the calendar, which has the time zone.
  public func start(of unit: DateUnit, in calendar: Calendar = .current) -> EntityColumn {
    var copy = self
    let start = DateStart.number(DateStart.Rule(calendar: calendar, unit: unit.component))
    copy.fragment =
      "\(SQLFunctions.start)(" + fragment + ", "
      + SQLFragment(.integer(start), of: .integer, fragment)
      + ")"
    copy.place = nil
    return copy
  }
}
