/// The parts of dates and times that a map gives.
struct TimeFields {
  let name: String
  private let map: GQLMap

  /// - Parameter name: the function, for messages.
  init(_ map: GQLMap, of name: String) {
    self.map = map
    self.name = name
  }

  private static let keys: Set<String> = [
    "year", "month", "day", "week", "weekYear", "dayOfWeek", "quarter", "dayOfQuarter",
    "ordinalDay", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond",
    "timezone", "epochSeconds", "epochMillis", "date", "time", "datetime",
  ]

  /// Checks that all parts of the map are parts of dates and times: one that is misspelled would
  /// be missed.
  func requireKnown() throws {
    if let odd = map.keys.first(where: { !Self.keys.contains($0) }) {
      throw wrong("there is no part “\(odd)”")
    }
  }

  func wrong(_ words: String) -> GQLError {
    GQLError(.argument, "InvalidArgumentValue", "\(name): \(words)")
  }

  func value(_ key: String) -> GQLValue? {
    guard let value = map[key: key], !value.isNull else { return nil }
    return value
  }

  func integer(_ key: String) throws -> Int64? {
    guard let value = value(key) else { return nil }
    guard case .integer(let number) = value else {
      throw GQLError(.type, "InvalidArgumentType", "\(name): \(key) is \(value.typeName)")
    }
    return number
  }

  func has(_ keys: String...) -> Bool { keys.contains { value($0) != nil } }

  // MARK: - Days

  private func made(_ date: GQLDate?) throws -> GQLDate {
    guard let date else { throw wrong("there is no such day") }
    return date
  }

  /// Returns the day; what the map does not give is that of `base`, or else the first.
  func date(_ base: GQLDate?) throws -> GQLDate {
    if has("week", "dayOfWeek", "weekYear") {
      guard let year = try integer("year") ?? integer("weekYear") ?? base?.week.year else {
        throw wrong("the year is missing")
      }
      let week = try integer("week") ?? base?.week.week ?? 1
      let day = try integer("dayOfWeek") ?? base?.dayOfWeek ?? 1
      return try made(GQLDate(weekYear: year, week: week, dayOfWeek: day))
    }
    guard let year = try integer("year") ?? base?.year else { throw wrong("the year is missing") }
    if let day = try integer("ordinalDay") {
      return try made(GQLDate(year: year, ordinalDay: day))
    }
    if has("quarter", "dayOfQuarter") {
      let quarter = try integer("quarter") ?? base?.quarter ?? 1
      let day = try integer("dayOfQuarter") ?? base?.dayOfQuarter ?? 1
      return try made(GQLDate(year: year, quarter: quarter, dayOfQuarter: day))
    }
    if base == nil, has("day"), !has("month") { throw wrong("the month is missing") }
    let month = try integer("month") ?? base?.month ?? 1
    let day = try integer("day") ?? base?.day ?? 1
    return try made(GQLDate(year: year, month: month, day: day))
  }

  // MARK: - Times

  /// Returns the time of the day; what the map does not give is that of `base`, or else zero.
  /// - Parameter addsFraction: whether a fraction of a second is added to that of `base`.
  func time(_ base: GQLLocalTime?, addsFraction: Bool = false) throws -> GQLLocalTime {
    if base == nil {
      for (part, larger) in [("minute", "hour"), ("second", "minute")]
      where has(part) && !has(larger) { throw wrong("the \(larger) is missing") }
      if has("millisecond", "microsecond", "nanosecond"), !has("second") {
        throw wrong("the second is missing")
      }
    }
    var nanosecond = base?.nanosecond ?? 0
    if has("millisecond", "microsecond", "nanosecond") {
      let (milli, micro, nano) = (
        try integer("millisecond"), try integer("microsecond"), try integer("nanosecond")
      )
      let microMax: Int64 = milli == nil ? 999_999 : 999
      let nanoMax: Int64 = micro != nil ? 999 : milli != nil ? 999_999 : 999_999_999
      guard 0...999 ~= milli ?? 0, 0...microMax ~= micro ?? 0, 0...nanoMax ~= nano ?? 0 else {
        throw wrong("there is no such fraction of a second")
      }
      let given = (milli ?? 0) * 1_000_000 + (micro ?? 0) * 1_000 + (nano ?? 0)
      nanosecond = addsFraction ? nanosecond + given : given
    }
    guard
      let time = GQLLocalTime(
        hour: try integer("hour") ?? base?.hour ?? 0,
        minute: try integer("minute") ?? base?.minute ?? 0,
        second: try integer("second") ?? base?.second ?? 0, nanosecond: nanosecond)
    else { throw wrong("there is no such time of a day") }
    return time
  }

  /// Returns the place of the clock that the map names; nil if it names none.
  func place() throws -> TimePlace? {
    guard let value = value("timezone") else { return nil }
    guard case .string(let text) = value, let place = TimeText.place(text) else {
      throw wrong("there is no time zone \(value)")
    }
    return place
  }
}

extension GQLValue {
  /// The day of a date or moment.
  var dayPart: GQLDate? {
    switch self {
    case .date(let date): date
    case .localDateTime(let moment): moment.date
    case .dateTime(let moment): moment.local.date
    default: nil
    }
  }

  /// The time of the day of a time or moment.
  var timePart: GQLLocalTime? {
    switch self {
    case .localTime(let time): time
    case .time(let time): time.local
    case .localDateTime(let moment): moment.time
    case .dateTime(let moment): moment.local.time
    default: nil
    }
  }

  /// The offset of a time or moment; nil if it has none.
  var offsetPart: Int? {
    switch self {
    case .time(let time): time.offset
    case .dateTime(let moment): moment.offset
    default: nil
    }
  }

  /// Where the clock of a time or moment stands; nil if it does not say so.
  var placePart: TimePlace? {
    switch self {
    case .time(let time): .offset(time.offset)
    case .dateTime(let moment): TimePlace(moment)
    default: nil
    }
  }
}
