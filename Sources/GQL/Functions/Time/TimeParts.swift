/// The parts of dates, times and durations, which are read like properties.
enum TimeParts {
  /// Returns a part of a value; nil if it has none of that name.
  static func part(_ name: String, of value: GQLValue) -> GQLValue? {
    switch value {
    case .date(let date): return day(name, date)
    case .localTime(let time): return clock(name, time)
    case .time(let time): return clock(name, time.local) ?? offset(name, time.offset, nil)
    case .localDateTime(let moment): return day(name, moment.date) ?? clock(name, moment.time)
    case .dateTime(let moment):
      switch name {
      case "epochSeconds": return .integer(moment.seconds)
      case "epochMillis":
        return .integer(moment.seconds * 1_000 + moment.nanosecond / 1_000_000)
      default:
        return day(name, moment.local.date) ?? clock(name, moment.local.time)
          ?? offset(name, moment.offset, moment.zone)
      }
    case .duration(let amount): return part(name, of: amount).map { .integer($0) }
    default: return nil
    }
  }

  private static func day(_ name: String, _ date: GQLDate) -> GQLValue? {
    let value: Int64? =
      switch name {
      case "year": date.year
      case "quarter": date.quarter
      case "month": date.month
      case "week": date.week.week
      case "weekYear": date.week.year
      case "dayOfQuarter": date.dayOfQuarter
      case "ordinalDay": date.ordinalDay
      case "weekDay", "dayOfWeek": date.dayOfWeek
      case "day": date.day
      default: nil
      }
    return value.map { .integer($0) }
  }

  private static func clock(_ name: String, _ time: GQLLocalTime) -> GQLValue? {
    let value: Int64? =
      switch name {
      case "hour": time.hour
      case "minute": time.minute
      case "second": time.second
      case "millisecond": time.nanosecond / 1_000_000
      case "microsecond": time.nanosecond / 1_000
      case "nanosecond": time.nanosecond
      default: nil
      }
    return value.map { .integer($0) }
  }

  private static func offset(_ name: String, _ offset: Int, _ zone: String?) -> GQLValue? {
    switch name {
    case "timezone": .string(zone ?? GQLOffset.shown(offset))
    case "offset": .string(GQLOffset.shown(offset))
    case "offsetMinutes": .integer(Int64(offset / 60))
    case "offsetSeconds": .integer(Int64(offset))
    default: nil
    }
  }

  private static func part(_ name: String, of amount: GQLDuration) -> Int64? {
    let nanoseconds = amount.nanoseconds
    func total(_ perSecond: Int64) -> Int64? {
      let (product, overflow) = amount.seconds.multipliedReportingOverflow(by: perSecond)
      let (sum, second) = product.addingReportingOverflow(
        nanoseconds / (1_000_000_000 / perSecond))
      return overflow || second ? nil : sum
    }
    return switch name {
    case "years": amount.months / 12
    case "quarters": amount.months / 3
    case "months": amount.months
    case "weeks": amount.days / 7
    case "days": amount.days
    case "hours": amount.seconds / 3_600
    case "minutes": amount.seconds / 60
    case "seconds": amount.seconds
    case "milliseconds": total(1_000)
    case "microseconds": total(1_000_000)
    case "nanoseconds": total(1_000_000_000)
    case "quartersOfYear": amount.months / 3 % 4
    case "monthsOfYear": amount.months % 12
    case "monthsOfQuarter": amount.months % 3
    case "daysOfWeek": amount.days % 7
    case "minutesOfHour": amount.seconds / 60 % 60
    case "secondsOfMinute": amount.seconds % 60
    case "millisecondsOfSecond": nanoseconds / 1_000_000
    case "microsecondsOfSecond": nanoseconds / 1_000
    case "nanosecondsOfSecond": nanoseconds
    default: nil
    }
  }
}
