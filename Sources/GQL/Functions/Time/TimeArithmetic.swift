/// Sums of dates, times and durations.
enum TimeArithmetic {
  static func result(
    _ by: GQLExpression.Operation.Operator, _ a: GQLValue, _ b: GQLValue
  ) throws -> GQLValue {
    switch (by, a, b) {
    case (.add, .duration(let a), .duration(let b)): return try made(a.adding(b), by)
    case (.subtract, .duration(let a), .duration(let b)):
      return try made(a.adding(b, sign: -1), by)
    case (.add, .duration(let amount), _): return try sum(b, amount, 1, by, a, b)
    case (.add, _, .duration(let amount)): return try sum(a, amount, 1, by, a, b)
    case (.subtract, _, .duration(let amount)): return try sum(a, amount, -1, by, a, b)
    case (.multiply, .duration(let amount), _), (.multiply, _, .duration(let amount)):
      let other = if case .duration = a { b } else { a }
      guard let factor = other.number else { throw Operators.mismatch(by.rawValue, a, b) }
      return try made(amount.multiplied(by: factor), by)
    case (.divide, .duration(let amount), _):
      guard let divisor = b.number else { throw Operators.mismatch(by.rawValue, a, b) }
      return try made(
        GQLDuration.of(
          months: Double(amount.months) / divisor, days: Double(amount.days) / divisor,
          seconds: Double(amount.seconds) / divisor,
          nanoseconds: Double(amount.nanoseconds) / divisor), by)
    default: throw Operators.mismatch(by.rawValue, a, b)
    }
  }

  private static func made(
    _ amount: GQLDuration?, _ by: GQLExpression.Operation.Operator
  ) throws -> GQLValue {
    guard let amount else { throw Operators.overflow(by.rawValue) }
    return .duration(amount)
  }

  private static func sum(
    _ value: GQLValue, _ amount: GQLDuration, _ sign: Int64,
    _ by: GQLExpression.Operation.Operator, _ a: GQLValue, _ b: GQLValue
  ) throws -> GQLValue {
    let result: GQLValue?
    switch value {
    case .date(let date): result = day(date, amount, sign).map { .date($0) }
    case .localTime(let time): result = .localTime(clock(time, amount, sign))
    case .time(let time):
      result = .time(GQLTime(local: clock(time.local, amount, sign), offset: time.offset))
    case .localDateTime(let moment):
      result = local(moment, amount, sign).map { .localDateTime($0) }
    case .dateTime(let moment): result = zoned(moment, amount, sign).map { .dateTime($0) }
    default: throw Operators.mismatch(by.rawValue, a, b)
    }
    guard let result else {
      throw GQLError(.arithmetic, "NumberOutOfRange", "the result is beyond the years of dates")
    }
    return result
  }

  private static func calendar(_ date: GQLDate, _ amount: GQLDuration, _ sign: Int64) -> GQLDate? {
    let (months, first) = amount.months.multipliedReportingOverflow(by: sign)
    let (days, second) = amount.days.multipliedReportingOverflow(by: sign)
    guard !first, !second else { return nil }
    return date.adding(months: months)?.adding(days: days)
  }

  /// A date takes whole days of the time, and leaves the rest out.
  private static func day(_ date: GQLDate, _ amount: GQLDuration, _ sign: Int64) -> GQLDate? {
    var seconds = amount.seconds
    if seconds < 0, amount.nanoseconds > 0 { seconds += 1 }
    return calendar(date, amount, sign)?.adding(days: sign * (seconds / 86_400))
  }

  private static func clock(_ time: GQLLocalTime, _ amount: GQLDuration, _ sign: Int64)
    -> GQLLocalTime
  {
    let seconds = amount.seconds % 86_400
    return GQLLocalTime(
      nanoseconds: time.nanoseconds
        + sign * (seconds * GQLLocalTime.perSecond + amount.nanoseconds))
  }

  private static func local(_ moment: GQLLocalDateTime, _ amount: GQLDuration, _ sign: Int64)
    -> GQLLocalDateTime?
  {
    guard let date = calendar(moment.date, amount, sign) else { return nil }
    return exact(GQLLocalDateTime(date: date, time: moment.time), amount, sign)
  }

  /// Adds seconds and nanoseconds.
  private static func exact(_ moment: GQLLocalDateTime, _ amount: GQLDuration, _ sign: Int64)
    -> GQLLocalDateTime?
  {
    let nanoseconds =
      moment.time.nanoseconds
      + sign * (amount.seconds % 86_400 * GQLLocalTime.perSecond + amount.nanoseconds)
    let days = GQLDate.floor(nanoseconds, GQLLocalTime.perDay)
    guard let date = moment.date.adding(days: sign * (amount.seconds / 86_400) + days) else {
      return nil
    }
    return GQLLocalDateTime(date: date, time: GQLLocalTime(nanoseconds: nanoseconds))
  }

  /// Days and months are those of the place's calendar, seconds those of all clocks.
  private static func zoned(_ moment: GQLDateTime, _ amount: GQLDuration, _ sign: Int64)
    -> GQLDateTime?
  {
    guard let date = calendar(moment.local.date, amount, sign) else { return nil }
    let place = TimePlace(moment)
    let start =
      date == moment.local.date
      ? moment
      : TimeZones.moment(GQLLocalDateTime(date: date, time: moment.local.time), place)
    let utc = GQLLocalDateTime(seconds: start.seconds, nanosecond: start.nanosecond)
    guard let end = exact(utc, amount, sign) else { return nil }
    return TimeZones.moment(seconds: end.seconds, nanosecond: end.time.nanosecond, place)
  }
}

extension GQLValue {
  /// The number that the value is, as a number with a fraction.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .float(let value): value
    default: nil
    }
  }
}
