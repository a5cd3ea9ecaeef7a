/// Amounts of time between two values, and amounts that maps and texts give.
enum TimeBetween {
  enum Unit: String, CaseIterable {
    case between, inMonths, inDays, inSeconds
  }

  static func duration(_ argument: GQLValue) throws -> GQLValue {
    let made: GQLDuration?
    switch argument {
    case .duration: return argument
    case .string(let text):
      guard let value = TimeText.value("duration", text) else {
        throw GQLError(
          .argument, "InvalidArgumentValue", "duration: “\(text)” is no duration")
      }
      return value
    case .map(let map):
      if let odd = map.keys.first(where: { !parts.contains($0) }) {
        throw GQLError(
          .argument, "InvalidArgumentValue", "duration: there is no part “\(odd)”",
          hint: "There are: \(parts.joined(separator: ", "))")
      }
      func part(_ name: String) throws -> Double {
        guard let value = map[key: name], !value.isNull else { return 0 }
        return try value.number(of: "duration")
      }
      made = GQLDuration.of(
        months: try part("years") * 12 + part("quarters") * 3 + part("months"),
        days: try part("weeks") * 7 + part("days"),
        seconds: try part("hours") * 3_600 + part("minutes") * 60 + part("seconds"),
        nanoseconds: try part("milliseconds") * 1e6 + part("microseconds") * 1e3
          + part("nanoseconds"))
    default: throw GQLFunction.wrong("duration", argument)
    }
    guard let made else { throw Operators.overflow("duration") }
    return .duration(made)
  }

  private static let parts = [
    "years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds",
    "microseconds", "nanoseconds",
  ]

  static func value(_ unit: Unit, _ a: GQLValue, _ b: GQLValue) throws -> GQLValue {
    let name = "duration.\(unit.rawValue)"
    for value in [a, b] where value.dayPart == nil && value.timePart == nil {
      throw GQLFunction.wrong(name, value)
    }
    // What one value does not say is as the other says it.
    let hasDays = a.dayPart != nil && b.dayPart != nil
    let dayA = a.dayPart ?? b.dayPart ?? GQLDate(days: 0)
    let dayB = b.dayPart ?? a.dayPart ?? GQLDate(days: 0)
    let zero = GQLLocalTime(nanoseconds: 0)
    var start = GQLLocalDateTime(date: dayA, time: a.timePart ?? zero)
    var end = GQLLocalDateTime(date: dayB, time: b.timePart ?? zero)
    var moments: (first: GQLDateTime, second: GQLDateTime)?
    if let place = a.placePart ?? b.placePart {
      let first = TimeZones.moment(start, a.placePart ?? place, offset: a.offsetPart)
      let second = TimeZones.moment(end, b.placePart ?? place, offset: b.offsetPart)
      moments = (first, second)
      if unit == .inSeconds || !hasDays {
        start = GQLLocalDateTime(seconds: first.seconds, nanosecond: first.nanosecond)
        end = GQLLocalDateTime(seconds: second.seconds, nanosecond: second.nanosecond)
      } else {
        end =
          TimeZones.moment(
            seconds: second.seconds, nanosecond: second.nanosecond, TimePlace(first)
          ).local
      }
    }
    guard let result = amount(unit, start, end, hasDays: hasDays, moments) else {
      throw Operators.overflow(name)
    }
    return .duration(result)
  }

  /// - Parameter moments: both as moments, if they are; the end is shown by the clocks of the
  ///   start. Hours and less are counted as they pass there, also across a change to or from summer
  ///   time.
  private static func amount(
    _ unit: Unit, _ start: GQLLocalDateTime, _ end: GQLLocalDateTime, hasDays: Bool,
    _ moments: (first: GQLDateTime, second: GQLDateTime)?
  ) -> GQLDuration? {
    var from = start
    var months: Int64 = 0
    let isForward = start <= end
    if hasDays, unit == .between || unit == .inMonths {
      let (a, b) = (start.date.parts, end.date.parts)
      months = (b.year - a.year) * 12 + b.month - a.month
      func moved() -> GQLLocalDateTime? {
        start.date.adding(months: months).map { GQLLocalDateTime(date: $0, time: start.time) }
      }
      if let after = moved(), isForward ? after > end : after < end { months += isForward ? -1 : 1 }
      guard let after = moved() else { return nil }
      from = after
    }
    if unit == .inMonths { return GQLDuration(months: months) }
    var days: Int64 = 0
    if hasDays, unit != .inSeconds {
      days = end.date.days - from.date.days
      if days > 0, end.time < from.time { days -= 1 }
      if days < 0, end.time > from.time { days += 1 }
      from.date = GQLDate(days: from.date.days + days)
    }
    if unit == .inDays { return GQLDuration(days: days) }
    var seconds = end.seconds - from.seconds
    if let moments, hasDays, unit == .between {
      let begin =
        from == start ? moments.first : TimeZones.moment(from, TimePlace(moments.first))
      seconds = moments.second.seconds - begin.seconds
    }
    return GQLDuration(
      months: months, days: days, seconds: seconds,
      nanoseconds: end.time.nanosecond - from.time.nanosecond)
  }
}
