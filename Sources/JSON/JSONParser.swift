import DaybookEventCore

/// A strict parser for one JSON value (RFC 8259) in memory.
///
/// It rejects what a lenient parser would accept, and reports the column: NaN, leading zeros,
/// unpaired surrogates, invalid UTF-8, duplicate keys, integers beyond 64 bits, infinite reals, and
/// anything after the value.
///
/// Cost: time and memory are proportional to the number of bytes.
///
/// ``InterchangeLine`` calls `openObject`, `nextKey` and `value` directly, which avoids a tree for
/// the keys that it knows.
package struct JSONParser {
  /// The deepest nesting of arrays and objects.
  package static let depthMax = 64

  package let bytes: UnsafeRawBufferPointer
  var offset = 0
  private var depth = 0

  /// Creates a parser.
  /// - Parameter bytes: the JSON text; it must outlive the parser.
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes)
    let value = try parser.value()
    try parser.end()
    return value
  }

  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try bytes.withRawBytes { bytes throws(JSONError) in try parse(bytes) }
  }

  /// The column of the next byte, counted from 1.
  package var column: Int { offset + 1 }

  /// Skips white space and returns the next byte without consuming it; nil at the end.
  package mutating func peek() -> UInt8? {
    while offset < bytes.count {
      let byte = bytes[offset]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
      offset += 1
    }
    return nil
  }

  package mutating func end() throws(JSONError) {
    guard peek() != nil else { return }
    throw malformed("there is \(found()) behind the value; put one JSON value on a line")
  }

  package mutating func value() throws(JSONError) -> JSONValue {
    guard let first = peek() else {
      throw malformed("the line ends where a value should be; it may have been cut off")
    }
    switch first {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "-"), 0x30...0x39: return try number()
    case UInt8(ascii: "t"): return try literal("true", .boolean(true))
    case UInt8(ascii: "f"): return try literal("false", .boolean(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw notAValue()
    }
  }

  private mutating func literal(_ word: StaticString, _ value: JSONValue)
    throws(JSONError) -> JSONValue
  {
    let count = word.utf8CodeUnitCount
    guard matches(word, at: offset, count: min(count, bytes.count - offset)) else {
      throw notAValue()
    }
    offset += count
    return value
  }

  /// Returns whether the `count` bytes at `start` spell `word`.
  func matches(_ word: StaticString, at start: Int, count: Int) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    for i in 0..<count where bytes[start + i] != word.utf8Start[i] { return false }
    return true
  }

  // MARK: - Arrays and objects

  private mutating func array() throws(JSONError) -> JSONValue {
    try enter()
    var elements: [JSONValue] = []
    if peek() == UInt8(ascii: "]") {
      leave()
      return .array(elements)
    }
    while true {
      elements.append(try value())
      switch peek() {
      case UInt8(ascii: ","): offset += 1
      case UInt8(ascii: "]"):
        leave()
        return .array(elements)
      default: throw malformed("an array goes on with \(found()) where , or ] should be")
      }
    }
  }

  private mutating func object() throws(JSONError) -> JSONValue {
    try openObject()
    var members = UniqueMembers()
    while let key = try nextKey(isFirst: members.isEmpty) {
      let name = try string(key)
      guard members.insert(name) else { throw duplicate(name, key) }
      members.set(try value())
    }
    return .object(members.members)
  }

  package mutating func openObject() throws(JSONError) {
    guard peek() == UInt8(ascii: "{") else {
      throw malformed("there is \(found()) where an object { … } should be")
    }
    try enter()
  }

  /// Returns the next key of an open object and consumes it up to its value; nil if the object
  /// ends.
  package mutating func nextKey(isFirst: Bool) throws(JSONError) -> JSONKey? {
    var next = peek()
    if next == UInt8(ascii: "}") {
      leave()
      return nil
    }
    if !isFirst {
      guard next == UInt8(ascii: ",") else {
        throw malformed("an object goes on with \(found()) where , or } should be")
      }
      offset += 1
      next = peek()
    }
    guard next == UInt8(ascii: "\"") else {
      throw malformed("there is \(found()) where a key in double quotes should be")
    }
    let key = try quoted()
    guard peek() == UInt8(ascii: ":") else {
      throw malformed("there is \(found()) behind a key where : should be")
    }
    offset += 1
    return key
  }

  private mutating func enter() throws(JSONError) {
    depth += 1
    guard depth <= Self.depthMax else {
      throw JSONError(
        .nestedTooDeep,
        "arrays and objects are nested more than \(Self.depthMax) deep; flatten them, or store "
          + "them as text", column: column)
    }
    offset += 1
  }

  private mutating func leave() {
    depth -= 1
    offset += 1
  }

  // MARK: - Errors

  func malformed(_ message: String) -> JSONError {
    JSONError(.malformedJSON, "this is no JSON: \(message)", column: column)
  }

  package func duplicate(_ name: String, _ key: JSONKey) -> JSONError {
    JSONError(
      .duplicateKey,
      "the key \(name.quotedForMessage) stands twice in one object, and only one can count; "
        + "remove the other", column: key.start)
  }

  /// Describes the byte at the current offset, for messages.
  func found() -> String {
    guard offset < bytes.count else { return "the end of the line" }
    let byte = bytes[offset]
    return switch byte {
    case 0x21...0x7E: "\(Character(Unicode.Scalar(byte)))"
    case 0xEF: "a byte order mark, or another character beyond ASCII,"
    default: "the byte 0x\(String(byte, radix: 16, uppercase: true))"
    }
  }

  private func notAValue() -> JSONError {
    for word: StaticString in ["NaN", "Infinity", "nan", "inf"]
    where matches(word, at: offset, count: min(word.utf8CodeUnitCount, bytes.count - offset)) {
      return JSONError(
        .malformedJSON,
        "this is no JSON: \(word) is no number that JSON knows; write null, or leave it out",
        column: column)
    }
    return malformed("there is \(found()) where a value should be; texts stand in double quotes")
  }
}

/// A quoted text as it is in the line, with its escapes.
package struct JSONKey {
  /// The offset of the first byte after the opening quote.
  var start: Int
  /// The offset of the closing quote.
  var end: Int
  package var isEscaped: Bool
  var isASCII: Bool
}

/// The members of one object, with unique keys.
private struct UniqueMembers {
  private(set) var members: [(key: String, value: JSONValue)] = []
  /// Used only for many members, because comparing with each would take quadratic time.
  private var keys: Set<[UInt8]>?

  var isEmpty: Bool { members.isEmpty }

  mutating func insert(_ key: String) -> Bool {
    if keys == nil, members.count == 16 { keys = Set(members.map { Array($0.key.utf8) }) }
    if keys != nil {
      guard keys?.insert(Array(key.utf8)).inserted == true else { return false }
    } else if members.contains(where: { $0.key.utf8.elementsEqual(key.utf8) }) {
      return false
    }
    members.append((key, .null))
    return true
  }

  mutating func set(_ value: JSONValue) { members[members.count - 1].value = value }
}
