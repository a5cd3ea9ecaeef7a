/// Reads dates, times and durations as ISO 8601 has them.
enum TimeText {
  /// Returns the value of a type; nil if the text is none.
  static func value(_ type: String, _ text: String) -> GQLValue? {
    var reader = TimeTextReader(text)
    let value: GQLValue? =
      switch type {
      case "date": reader.date().map { .date($0) }
      case "localtime": reader.time().map { .localTime($0) }
      case "time": time(&reader)
      case "localdatetime": local(&reader).map { .localDateTime($0) }
      case "datetime": dateTime(&reader)
      case "duration": reader.duration().map { .duration($0) }
      default: nil
      }
    return reader.isAtEnd ? value : nil
  }

  private static func time(_ reader: inout TimeTextReader) -> GQLValue? {
    guard let local = reader.time() else { return nil }
    guard let offset = reader.isAtEnd ? 0 : reader.offset() else { return nil }
    return .time(GQLTime(local: local, offset: offset))
  }

  private static func local(_ reader: inout TimeTextReader) -> GQLLocalDateTime? {
    guard let date = reader.date() else { return nil }
    if reader.isAtEnd { return GQLLocalDateTime(date: date, time: GQLLocalTime(nanoseconds: 0)) }
    guard reader.take("T"), let time = reader.time() else { return nil }
    return GQLLocalDateTime(date: date, time: time)
  }

  private static func dateTime(_ reader: inout TimeTextReader) -> GQLValue? {
    guard let local = local(&reader) else { return nil }
    var offset: Int?
    if !reader.isAtEnd, !reader.isAt("[") {
      guard let given = reader.offset() else { return nil }
      offset = given
    }
    guard reader.isAt("[") else {
      return .dateTime(GQLDateTime(local: local, offset: offset ?? 0))
    }
    guard let name = reader.zone(), let zone = TimeZones.zone(name) else { return nil }
    let moment = TimeZones.moment(local, .zone(zone, name))
    // With an offset the moment is exact, also when the clocks show it twice.
    guard let offset, offset != moment.offset else { return .dateTime(moment) }
    return .dateTime(
      TimeZones.moment(
        seconds: local.seconds - Int64(offset), nanosecond: local.time.nanosecond,
        .zone(zone, name)))
  }

  /// Returns the place that a text names: `Z`, an offset or a zone; nil if it names none.
  static func place(_ text: String) -> TimePlace? {
    if let zone = TimeZones.zone(text), text != "Z" { return .zone(zone, text) }
    var reader = TimeTextReader(text)
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    return .offset(offset)
  }
}

/// Reads parts of a text, one after the other.
struct TimeTextReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  var isAtEnd: Bool { rest.isEmpty }

  func isAt(_ sign: Character) -> Bool { rest.first == sign.asciiValue }

  mutating func take(_ sign: Character) -> Bool {
    guard isAt(sign) else { return false }
    rest.removeFirst()
    return true
  }

  private var digitCount: Int { rest.prefix(while: GQLLexer.isDigit).count }

  /// Reads a number of so many digits.
  private mutating func number(_ digits: Int) -> Int64? {
    guard digits <= digitCount, digits <= 18, digits > 0 else { return nil }
    defer { rest.removeFirst(digits) }
    return Int64(String(decoding: rest.prefix(digits), as: UTF8.self))
  }

  // MARK: - Dates

  mutating func date() -> GQLDate? {
    let isNegative = isAt("-")
    let isSigned = isNegative || isAt("+")
    if isSigned { rest.removeFirst() }
    let count = digitCount
    // Without dashes, the digits of the year end where the others begin.
    let isLong = isSigned && count > 4
    guard let digits = number(isLong ? min(count, 9) : 4) else { return nil }
    let year = isNegative ? -digits : digits
    if isAtEnd || isAt("T") { return GQLDate(year: year, month: 1, day: 1) }
    let hasDashes = take("-")
    if take("W") { return week(year, hasDashes) }
    if take("Q") { return quarter(year, hasDashes) }
    switch digitCount {
    case 3: return number(3).flatMap { GQLDate(year: year, ordinalDay: $0) }
    case 4 where !hasDashes:
      guard let month = number(2), let day = number(2) else { return nil }
      return GQLDate(year: year, month: month, day: day)
    case 2:
      guard let month = number(2) else { return nil }
      guard hasDashes, take("-") else { return GQLDate(year: year, month: month, day: 1) }
      return number(2).flatMap { GQLDate(year: year, month: month, day: $0) }
    default: return nil
    }
  }

  private mutating func week(_ year: Int64, _ hasDashes: Bool) -> GQLDate? {
    guard let week = number(2) else { return nil }
    if isAtEnd || isAt("T") { return GQLDate(weekYear: year, week: week, dayOfWeek: 1) }
    guard !hasDashes || take("-"), let day = number(1) else { return nil }
    return GQLDate(weekYear: year, week: week, dayOfWeek: day)
  }

  private mutating func quarter(_ year: Int64, _ hasDashes: Bool) -> GQLDate? {
    guard let quarter = number(1) else { return nil }
    if isAtEnd || isAt("T") { return GQLDate(year: year, quarter: quarter, dayOfQuarter: 1) }
    guard !hasDashes || take("-"), let day = number(2) else { return nil }
    return GQLDate(year: year, quarter: quarter, dayOfQuarter: day)
  }

  // MARK: - Times

  mutating func time() -> GQLLocalTime? {
    guard let hour = number(2) else { return nil }
    let hasColons = isAt(":")
    var (minute, second, nanosecond): (Int64, Int64, Int64) = (0, 0, 0)
    if hasColons ? take(":") : digitCount >= 2 {
      guard let given = number(2) else { return nil }
      minute = given
      if hasColons ? take(":") : digitCount >= 2 {
        guard let given = number(2) else { return nil }
        second = given
        if take(".") || take(",") {
          guard let given = fraction() else { return nil }
          nanosecond = given
        }
      }
    }
    return GQLLocalTime(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
  }

  /// Reads digits behind a point as billionths.
  private mutating func fraction() -> Int64? {
    let count = digitCount
    guard 1...9 ~= count, let digits = number(count) else { return nil }
    return (count..<9).reduce(digits) { value, _ in value * 10 }
  }

  mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isNegative = isAt("-")
    guard isNegative || isAt("+") else { return nil }
    rest.removeFirst()
    guard let hour = number(2) else { return nil }
    var total = hour * 3_600
    for unit in [60, 1] as [Int64] {
      guard take(":") || digitCount >= 2 else { break }
      guard let part = number(2), part < 60 else { return nil }
      total += part * unit
    }
    guard total <= Int64(GQLOffset.most) else { return nil }
    return Int(clamping: isNegative ? -total : total)
  }

  /// Reads the name of a zone between brackets.
  mutating func zone() -> String? {
    guard take("[") else { return nil }
    let name = rest.prefix { $0 != UInt8(ascii: "]") }
    rest.removeFirst(name.count)
    guard take("]") else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  // MARK: - Durations

  mutating func duration() -> GQLDuration? {
    let isNegative = take("-")
    guard take("P"), !isAtEnd else { return nil }
    if let whole = calendarDuration() { return whole }
    var amounts: [Character: Double] = [:]
    // The fraction of the seconds stands alone: beside hours, it would lose its last digits.
    var fraction = 0.0
    var isTime = false
    // The parts stand from the largest to the smallest, each at most once.
    var left = Array("YMWD")[...]
    while !isAtEnd {
      if take("T") {
        guard !isTime, !isAtEnd else { return nil }
        isTime = true
        left = Array("HmS")[...]
        continue
      }
      guard let number = real(), let unit = rest.popFirst() else { return nil }
      let name = Character(UnicodeScalar(unit))
      let key: Character = isTime && name == "M" ? "m" : name
      guard let place = left.firstIndex(of: key) else { return nil }
      left = left[(place + 1)...]
      amounts[key] = key == "S" ? number.value - number.fraction : number.value
      if key == "S" { fraction = number.fraction }
    }
    guard !amounts.isEmpty else { return nil }
    let sign: Double = isNegative ? -1 : 1
    func amount(_ unit: Character) -> Double { sign * (amounts[unit] ?? 0) }
    return GQLDuration.of(
      months: amount("Y") * 12 + amount("M"), days: amount("W") * 7 + amount("D"),
      seconds: amount("H") * 3_600 + amount("m") * 60 + amount("S").rounded(),
      nanoseconds: sign * fraction * 1e9)
  }

  /// Reads a number, and what of it stands behind the point.
  private mutating func real() -> (value: Double, fraction: Double)? {
    let text = rest.prefix {
      GQLLexer.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+")
        || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",")
    }
    guard !text.isEmpty, text.count < 40 else { return nil }
    rest.removeFirst(text.count)
    let number = String(decoding: text, as: UTF8.self).replacing(",", with: ".")
    guard let value = Double(number) else { return nil }
    let digits = number.drop { $0 != "." }
    let fraction = digits.isEmpty ? 0 : Double("0\(digits)") ?? 0
    return (value, number.hasPrefix("-") ? -fraction : fraction)
  }

  /// Reads an amount in the form of a date and a time: `2012-02-02T14:37:21.545`.
  private mutating func calendarDuration() -> GQLDuration? {
    let begin = self
    guard digitCount == 4, let year = number(4), take("-"), let month = number(2), take("-"),
      let day = number(2)
    else {
      self = begin
      return nil
    }
    var time = GQLLocalTime(nanoseconds: 0)
    if take("T") {
      guard let given = self.time() else {
        self = begin
        return nil
      }
      time = given
    }
    return GQLDuration(
      months: year * 12 + month, days: day, seconds: time.seconds, nanoseconds: time.nanosecond)
  }
}
