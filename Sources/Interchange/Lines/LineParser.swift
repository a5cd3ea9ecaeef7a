import DaybookJSON

/// A JSON parser for a line of interchange, whose errors are those of a line.
struct LineParser {
  private var parser: JSONParser

  init(_ bytes: UnsafeRawBufferPointer) { parser = JSONParser(bytes) }

  var bytes: UnsafeRawBufferPointer { parser.bytes }
  /// The position of the next byte, counted from 1.
  var column: Int { parser.column }

  mutating func peek() -> UInt8? { parser.peek() }
  func matches(_ key: JSONKey, _ word: StaticString) -> Bool { parser.matches(key, word) }
  func duplicate(_ name: String, _ key: JSONKey) -> InterchangeError {
    InterchangeError(parser.duplicate(name, key))
  }

  mutating func openObject() throws(InterchangeError) {
    try parse { parser throws(JSONError) in try parser.openObject() }
  }

  mutating func nextKey(isFirst: Bool) throws(InterchangeError) -> JSONKey? {
    try parse { parser throws(JSONError) in try parser.nextKey(isFirst: isFirst) }
  }

  mutating func string(_ key: JSONKey) throws(InterchangeError) -> String {
    try parse { parser throws(JSONError) in try parser.string(key) }
  }

  mutating func text() throws(InterchangeError) -> String {
    try parse { parser throws(JSONError) in try parser.text() }
  }

  mutating func value() throws(InterchangeError) -> JSONValue {
    try parse { parser throws(JSONError) in try parser.value() }
  }

  mutating func end() throws(InterchangeError) {
    try parse { parser throws(JSONError) in try parser.end() }
  }

  private mutating func parse<T>(
    _ body: (inout JSONParser) throws(JSONError) -> T
  ) throws(InterchangeError) -> T {
    do throws(JSONError) { return try body(&parser) } catch { throw InterchangeError(error) }
  }
}
