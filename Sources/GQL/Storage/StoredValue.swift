import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// Values of queries as fields hold them.
///
/// A property of an open graph is JSON. Texts, numbers, booleans and lists are what they are in
/// JSON; everything else is an object with the name of its type.
enum StoredValue {
  // MARK: - Open graphs

  static func json(_ value: GQLValue) -> JSONValue {
    switch value {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .float(let value):
      value.isFinite ? .real(value) : .object([("float", .text(Conversion.text(.float(value))))])
    case .string(let text): .text(text)
    case .list(let elements): .array(elements.map(json))
    case .map(let map): .object([("map", .object(map.entries.map { ($0.key, json($0.value)) }))])
    case .date, .localTime, .time, .localDateTime, .dateTime, .duration:
      .object([(tag(value), .text(Conversion.text(value)))])
    case .node, .relationship, .path: .null
    }
  }

  private static func tag(_ value: GQLValue) -> String {
    switch value {
    case .date: "date"
    case .localTime: "localtime"
    case .time: "time"
    case .localDateTime: "localdatetime"
    case .dateTime: "datetime"
    default: "duration"
    }
  }

  /// Returns the field's value.
  static func field(_ value: GQLValue) -> Value {
    value.isNull ? .null : .json(JSONWriter.canonical(json(value)))
  }

  static func value(_ json: JSONValue) -> GQLValue {
    switch json {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .float(value)
    case .text(let text): return .string(text)
    case .array(let elements): return .list(elements.map(value))
    case .object(let members):
      if members.count == 1, let special = special(members[0].key, members[0].value) {
        return special
      }
      return .map(GQLMap(members.map { ($0.key, value($0.value)) }))
    }
  }

  private static func special(_ tag: String, _ json: JSONValue) -> GQLValue? {
    if tag == "map", case .object(let members) = json {
      return .map(GQLMap(members.map { ($0.key, value($0.value)) }))
    }
    guard case .text(let text) = json else { return nil }
    if tag == "float" {
      return switch text {
      case "NaN": .float(.nan)
      case "Infinity": .float(.infinity)
      case "-Infinity": .float(-.infinity)
      default: nil
      }
    }
    return TimeText.value(tag, text)
  }

  /// Returns the value of a cell of JSON; null if it is none.
  static func value(json cell: Cell) -> GQLValue {
    guard case .text(var text) = cell else { return .null }
    // Most are texts without escapes.
    let plain = text.withUTF8 { utf8 in
      utf8.count > 1 && utf8[0] == UInt8(ascii: "\"") && utf8[utf8.count - 1] == utf8[0]
        && !utf8.contains(UInt8(ascii: "\\"))
        ? String(decoding: utf8[1..<utf8.count - 1], as: UTF8.self) : nil
    }
    if let plain { return .string(plain) }
    guard let json = try? JSONParser.parse(Array(text.utf8)) else { return .null }
    return value(json)
  }

  /// The texts of JSON that stand for a value that is equal to this one; nil if they are not known.
  static func equalTexts(_ value: GQLValue) -> [String]? {
    func text(_ json: JSONValue) -> String {
      String(decoding: JSONWriter.canonical(json), as: UTF8.self)
    }
    switch value {
    case .boolean(let value): return [text(.boolean(value))]
    case .string(let value): return [text(.text(value))]
    case .integer(let value):
      let real = Double(value)
      return Int64(exactly: real) == value
        ? [text(.integer(value)), text(.real(real))]
        : [text(.integer(value))]
    case .float(let value):
      guard value.isFinite else { return nil }
      let whole = Int64(exactly: value)
      return [text(.real(value))] + (whole.map { [text(.integer($0))] } ?? [])
    default: return nil
    }
  }

  // MARK: - Typed collections

  static func value(_ cell: Cell, _ type: FieldType) -> GQLValue {
    switch (type, cell) {
    case (.boolean, .integer(let number)): return .boolean(number != 0)
    case (.timestamp, .text(let text)):
      return TimeText.value("datetime", text.replacing(" ", with: "T") + "Z") ?? .null
    case (.json, .text(let text)):
      return (try? JSONParser.parse(Array(text.utf8))).map(plain) ?? .null
    case (_, .null): return .null
    case (_, .integer(let number)): return .integer(number)
    case (_, .real(let number)): return .float(number)
    case (_, .text(let text)): return .string(text)
    case (_, .blob(let bytes)): return .string(Base64.encode(bytes))
    }
  }

  private static func plain(_ json: JSONValue) -> GQLValue {
    switch json {
    case .object(let members): .map(GQLMap(members.map { ($0.key, plain($0.value)) }))
    case .array(let elements): .list(elements.map(plain))
    default: value(json)
    }
  }

  /// Returns the value of a field of a type.
  /// - Throws: ``GQLError`` `type` if it has no such value.
  static func field(_ value: GQLValue, _ type: FieldType, _ name: String) throws(GQLError) -> Value
  {
    switch (type, value) {
    case (_, .null): return .null
    case (.text, .string(let text)): return .text(text)
    case (.integer, .integer(let number)): return .integer(number)
    case (.real, .float(let number)) where number.isFinite: return .real(number)
    case (.real, .integer(let number)) where Double(exactly: number) != nil:
      return .real(Double(number))
    case (.boolean, .boolean(let flag)): return .boolean(flag)
    case (.timestamp, .dateTime(let moment)):
      return .timestamp(try milliseconds(moment, name))
    case (.json, .list), (.json, .string), (.json, .integer), (.json, .float), (.json, .boolean):
      return .json(JSONWriter.canonical(json(value)))
    default:
      throw GQLError(
        .type, "InvalidPropertyType",
        "the field \(name) is of type \(type.rawValue), and not \(value.typeName)")
    }
  }
  /// Returns the milliseconds since 1970 of a moment. Nothing is cut off: a stored moment is equal
  /// to the one that was given.
  private static func milliseconds(_ moment: GQLDateTime, _ name: String) throws(GQLError) -> Int64
  {
    let (milliseconds, rest) = moment.nanosecond.quotientAndRemainder(dividingBy: 1_000_000)
    guard rest == 0 else {
      throw GQLError(
        .type, "InvalidPropertyType",
        "the field \(name) cannot hold the moment, which is finer than a millisecond",
        hint: "Cut it off by datetime.truncate('millisecond', …)")
    }
    let (whole, isBeyond) = moment.seconds.multipliedReportingOverflow(by: 1_000)
    let (sum, isBeyondToo) = whole.addingReportingOverflow(milliseconds)
    guard !isBeyond, !isBeyondToo else {
      throw GQLError(
        .type, "InvalidPropertyType", "the field \(name) cannot hold a moment as far from now")
    }
    return sum
  }
}
