/// Makes dates, times and moments: of maps, texts and each other.
enum TimeMaking {
  /// The types that are made, by the names of their functions.
  enum Kind: String, CaseIterable {
    case date, localtime, time, localdatetime, datetime
  }

  /// Returns the value that a function makes of its argument.
  static func value(_ kind: Kind, _ argument: GQLValue) throws -> GQLValue {
    switch argument {
    case .string(let text):
      guard let value = TimeText.value(kind.rawValue, text) else {
        throw GQLError(
          .argument, "InvalidArgumentValue", "\(kind.rawValue): “\(text)” is no \(kind.rawValue)")
      }
      return value
    case .map(let map): return try value(kind, TimeFields(map, of: kind.rawValue))
    case .date, .localTime, .time, .localDateTime, .dateTime:
      return try converted(kind, argument)
    default: throw GQLFunction.wrong(kind.rawValue, argument)
    }
  }

  private static func converted(_ kind: Kind, _ value: GQLValue) throws -> GQLValue {
    let midnight = GQLLocalTime(nanoseconds: 0)
    switch kind {
    case .date:
      guard let day = value.dayPart else { throw GQLFunction.wrong(kind.rawValue, value) }
      return .date(day)
    case .localtime:
      guard let time = value.timePart else { throw GQLFunction.wrong(kind.rawValue, value) }
      return .localTime(time)
    case .time:
      guard let time = value.timePart else { throw GQLFunction.wrong(kind.rawValue, value) }
      return .time(GQLTime(local: time, offset: value.offsetPart ?? 0))
    case .localdatetime:
      guard let day = value.dayPart else { throw GQLFunction.wrong(kind.rawValue, value) }
      return .localDateTime(GQLLocalDateTime(date: day, time: value.timePart ?? midnight))
    case .datetime:
      if case .dateTime = value { return value }
      guard let day = value.dayPart else { throw GQLFunction.wrong(kind.rawValue, value) }
      return .dateTime(
        GQLDateTime(
          local: GQLLocalDateTime(date: day, time: value.timePart ?? midnight), offset: 0))
    }
  }

  // MARK: - Maps

  private static func base(_ fields: TimeFields, _ keys: String...) throws -> GQLValue? {
    for key in keys {
      guard let value = fields.value(key) else { continue }
      switch value {
      case .date, .localTime, .time, .localDateTime, .dateTime: return value
      default:
        throw GQLError(
          .type, "InvalidArgumentType", "\(fields.name): \(key) is \(value.typeName)")
      }
    }
    return nil
  }

  private static func value(_ kind: Kind, _ fields: TimeFields) throws -> GQLValue {
    try fields.requireKnown()
    switch kind {
    case .date: return .date(try fields.date(try base(fields, "date", "datetime")?.dayPart))
    case .localtime:
      let base = try base(fields, "time", "datetime")
      return .localTime(try time(fields, base))
    case .time:
      let base = try base(fields, "time", "datetime")
      return .time(try zonedTime(fields, base))
    case .localdatetime, .datetime:
      if kind == .datetime, fields.has("epochSeconds", "epochMillis") {
        return try ofEpoch(fields)
      }
      let whole = try base(fields, "datetime")
      let dayBase = try base(fields, "date") ?? whole
      let timeBase = try base(fields, "time") ?? whole
      let local = GQLLocalDateTime(
        date: try fields.date(dayBase?.dayPart), time: try time(fields, timeBase))
      guard kind == .datetime else { return .localDateTime(local) }
      return .dateTime(try moment(local, fields, timeBase))
    }
  }

  private static func time(_ fields: TimeFields, _ base: GQLValue?) throws -> GQLLocalTime {
    guard let base else {
      if fields.name.hasSuffix("time"), !fields.name.hasSuffix("datetime"), !fields.has("hour") {
        throw fields.wrong("the hour is missing")
      }
      return try fields.time(nil)
    }
    return try fields.time(base.timePart ?? GQLLocalTime(nanoseconds: 0))
  }

  /// A place that the map names shows the moment of the base on its own clock.
  private static func moment(
    _ local: GQLLocalDateTime, _ fields: TimeFields, _ base: GQLValue?
  ) throws -> GQLDateTime {
    let wanted = try fields.place()
    guard let own = base?.placePart else { return TimeZones.moment(local, wanted ?? .utc) }
    let moment = TimeZones.moment(local, own, offset: base?.offsetPart)
    guard let wanted else { return moment }
    return TimeZones.moment(seconds: moment.seconds, nanosecond: moment.nanosecond, wanted)
  }

  private static func zonedTime(_ fields: TimeFields, _ base: GQLValue?) throws -> GQLTime {
    let local = try time(fields, base)
    let own = base?.offsetPart
    guard let place = try fields.place() else { return GQLTime(local: local, offset: own ?? 0) }
    let day = base?.dayPart ?? GQLDate(days: 0)
    let wanted = TimeZones.moment(GQLLocalDateTime(date: day, time: local), place).offset
    guard let own else { return GQLTime(local: local, offset: wanted) }
    let shift = Int64(wanted - own) * GQLLocalTime.perSecond
    return GQLTime(
      local: GQLLocalTime(nanoseconds: local.nanoseconds + shift), offset: wanted)
  }

  private static func ofEpoch(_ fields: TimeFields) throws -> GQLValue {
    var nanosecond = try fields.integer("nanosecond") ?? 0
    let seconds: Int64
    if let given = try fields.integer("epochSeconds") {
      seconds = given
    } else {
      let milliseconds = try fields.integer("epochMillis") ?? 0
      seconds = GQLDate.floor(milliseconds, 1_000)
      nanosecond += (milliseconds - seconds * 1_000) * 1_000_000
    }
    return try moment(seconds, nanosecond, fields.name, try fields.place() ?? .utc)
  }

  /// Returns the moment of so many seconds since 1970.
  static func moment(
    _ seconds: Int64, _ nanosecond: Int64, _ name: String, _ place: TimePlace = .utc
  ) throws -> GQLValue {
    guard seconds.magnitude < 31_000_000_000_000_000, 0..<1_000_000_000 ~= nanosecond else {
      throw GQLError(.argument, "InvalidArgumentValue", "\(name): there is no such moment")
    }
    return .dateTime(TimeZones.moment(seconds: seconds, nanosecond: nanosecond, place))
  }

  // MARK: - Beginnings

  /// Returns the beginning of the year, month, hour and so on that a value is in.
  static func truncated(_ kind: Kind, _ arguments: [GQLValue], _ run: PlanRun) throws -> GQLValue {
    let name = "\(kind.rawValue).truncate"
    let unit = try arguments[0].text(of: name)
    try require(unit, of: kind, name)
    let value = arguments.count > 1 ? arguments[1] : try now(kind, run)
    var fields = TimeFields(GQLMap(), of: name)
    if arguments.count > 2 {
      guard case .map(let map) = arguments[2] else { throw GQLFunction.wrong(name, arguments[2]) }
      fields = TimeFields(map, of: name)
      try fields.requireKnown()
    }
    var day: GQLDate?
    if let date = value.dayPart {
      day = try fields.date(try self.day(unit, date, name))
    }
    guard value.timePart != nil || value.dayPart != nil else {
      throw GQLFunction.wrong(name, value)
    }
    let start = try clock(unit, value.timePart ?? GQLLocalTime(nanoseconds: 0), name)
    let time = try fields.time(start, addsFraction: true)
    let named = try fields.place()
    let place = named ?? value.placePart ?? .utc
    let offset = named == nil ? value.offsetPart : nil
    switch kind {
    case .date:
      guard let day else { throw GQLFunction.wrong(name, value) }
      return .date(day)
    case .localtime: return .localTime(time)
    case .time:
      let moment = TimeZones.moment(
        GQLLocalDateTime(date: value.dayPart ?? GQLDate(days: 0), time: time), place,
        offset: offset)
      return .time(GQLTime(local: time, offset: moment.offset))
    case .localdatetime, .datetime:
      guard let day else { throw GQLFunction.wrong(name, value) }
      let local = GQLLocalDateTime(date: day, time: time)
      return kind == .localdatetime
        ? .localDateTime(local) : .dateTime(TimeZones.moment(local, place, offset: offset))
    }
  }

  private static let units = [
    "millennium", "century", "decade", "year", "weekyear", "quarter", "month", "week", "day",
    "hour", "minute", "second", "millisecond", "microsecond",
  ]

  /// Checks that values of a kind have a unit: a date has no hours, and a time no months.
  private static func require(_ unit: String, of kind: Kind, _ name: String) throws {
    let rank = try rank(unit, name)
    let own =
      switch kind {
      case .date: 0...8
      case .localtime, .time: 8...13
      case .localdatetime, .datetime: 0...13
      }
    guard own.contains(rank) else {
      throw GQLError(
        .argument, "InvalidArgumentValue", "\(name): a \(kind.rawValue) has no unit “\(unit)”",
        hint: "It has: \(units[own].joined(separator: ", "))")
    }
  }

  private static func rank(_ unit: String, _ name: String) throws -> Int {
    guard let rank = units.firstIndex(of: unit.lowercased()) else {
      throw GQLError(
        .argument, "InvalidArgumentValue", "\(name): there is no unit “\(unit)”",
        hint: "There are: \(units.joined(separator: ", "))")
    }
    return rank
  }

  private static func day(_ unit: String, _ date: GQLDate, _ name: String) throws -> GQLDate {
    _ = try rank(unit, name)
    let (year, month, _) = date.parts
    func floored(_ years: Int64) -> GQLDate? {
      GQLDate(year: GQLDate.floor(year, years) * years, month: 1, day: 1)
    }
    let result: GQLDate? =
      switch unit.lowercased() {
      case "millennium": floored(1_000)
      case "century": floored(100)
      case "decade": floored(10)
      case "year": GQLDate(year: year, month: 1, day: 1)
      case "weekyear": GQLDate(weekYear: date.week.year, week: 1, dayOfWeek: 1)
      case "quarter": GQLDate(year: year, quarter: date.quarter, dayOfQuarter: 1)
      case "month": GQLDate(year: year, month: month, day: 1)
      case "week": GQLDate(days: date.days - date.dayOfWeek + 1)
      default: date
      }
    return result ?? date
  }

  private static func clock(_ unit: String, _ time: GQLLocalTime, _ name: String) throws
    -> GQLLocalTime
  {
    let step: Int64 =
      switch try rank(unit, name) {
      case 0...8: GQLLocalTime.perDay
      case 9: 3_600 * GQLLocalTime.perSecond
      case 10: 60 * GQLLocalTime.perSecond
      case 11: GQLLocalTime.perSecond
      case 12: 1_000_000
      default: 1_000
      }
    return GQLLocalTime(nanoseconds: time.nanoseconds / step * step)
  }

  // MARK: - Now

  static func now(_ kind: Kind, _ run: PlanRun, _ place: TimePlace = .utc) throws -> GQLValue {
    let moment = TimeZones.moment(
      seconds: run.clock.seconds, nanosecond: run.clock.nanosecond, place)
    return try converted(kind, .dateTime(moment))
  }
}
