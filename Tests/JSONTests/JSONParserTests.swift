import DaybookEventCore
import DaybookJSON
import DaybookSimulation
import Testing

@Suite struct JSONParserTests {
  @Test(
    "each kind of value is parsed",
    arguments: [
      ("null", JSONValue.null), ("true", .boolean(true)), (" false ", .boolean(false)),
      ("0", .integer(0)), ("-0", .integer(0)), ("42", .integer(42)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("1.0", .real(1)), ("1e3", .real(1000)), ("-2.5E-3", .real(-0.0025)),
      ("0.1", .real(0.1)), ("123456789012345678.5", .real(123_456_789_012_345_678.5)),
      ("5e-324", .real(.leastNonzeroMagnitude)), ("0e-400", .real(0)),
      ("1.7976931348623157e308", .real(.greatestFiniteMagnitude)),
      ("\"\"", .text("")), ("[]", .array([])), ("{}", .object([])),
      ("[1,[2]]", .array([.integer(1), .array([.integer(2)])])),
      ("{\"b\":1,\"a\":null}", .object([("b", .integer(1)), ("a", .null)])),
      ("\t{ \"a\" : [ ] }\r\n", .object([("a", .array([]))])),
    ] as [(String, JSONValue)])
  func values(text: String, expected: JSONValue) throws {
    #expect(try json(text) == expected)
  }

  @Test(
    "escapes and characters beyond ASCII are parsed",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0000""#, "\u{0}"),
      (#""\u00e9\uD83D\uDE00""#, "é😀"), ("\"👨‍👩‍👧 שלום\"", "👨‍👩‍👧 שלום"),
      ("\"\u{7f}\u{2028}\"", "\u{7f}\u{2028}"), (#""12345678\n12345678""#, "12345678\n12345678"),
    ])
  func texts(text: String, expected: String) throws {
    guard case .text(let read) = try json(text) else {
      Issue.record("no text")
      return
    }
    #expect(Array(read.utf8) == Array(expected.utf8))
  }

  @Test(
    "a violation of RFC 8259 is an error at its column",
    arguments: [
      ("", .malformedJSON, 1), ("  ", .malformedJSON, 3), ("NaN", .malformedJSON, 1),
      ("[Infinity]", .malformedJSON, 2), ("-Infinity", .malformedJSON, 2),
      ("01", .malformedJSON, 1), ("-01", .malformedJSON, 2), ("1.", .malformedJSON, 3),
      (".5", .malformedJSON, 1), ("+1", .malformedJSON, 1), ("1e", .malformedJSON, 3),
      ("0x10", .malformedJSON, 2), ("tru", .malformedJSON, 1), ("nulll", .malformedJSON, 5),
      ("[1,]", .malformedJSON, 4), ("[1 2]", .malformedJSON, 4), ("{\"a\":1,}", .malformedJSON, 8),
      ("{a:1}", .malformedJSON, 2), ("{\"a\" 1}", .malformedJSON, 6), ("'a'", .malformedJSON, 1),
      ("{\"a\":1} x", .malformedJSON, 9), ("{\"a\":1}{}", .malformedJSON, 8),
      ("\"abc", .malformedJSON, 5), ("\"a\u{1}\"", .malformedJSON, 3),
      ("\"a\tb\"", .malformedJSON, 3),
      (#""\x""#, .malformedJSON, 2), (#""\u12g4""#, .malformedJSON, 2), ("\"\\", .malformedJSON, 3),
      (#""ab\ud800""#, .invalidText, 4), (#""\udc00""#, .invalidText, 2),
      (#""\ud800\u0041""#, .invalidText, 2),
      ("9223372036854775808", .numberOutOfRange, 1),
      ("[-9223372036854775809]", .numberOutOfRange, 2),
      ("1e-400", .numberOutOfRange, 1), ("[-0.01e-999999999999]", .numberOutOfRange, 2),
      ("1e309", .numberOutOfRange, 1), ("-1e999999999999", .numberOutOfRange, 1),
      ("{\"a\":1,\"a\":2}", .duplicateKey, 8), (#"{"a":1,"\u0061":2}"#, .duplicateKey, 8),
      ("\u{FEFF}{}", .malformedJSON, 1),
    ] as [(String, JSONError.Code, Int)])
  func errors(text: String, code: JSONError.Code, column: Int) {
    let error = jsonError { () throws(JSONError) in _ = try json(text) }
    #expect(error?.code == code, "\(text): \(error?.description ?? "no error")")
    #expect(error?.column == column, "\(text): \(error?.description ?? "no error")")
  }

  @Test("bytes that are not UTF-8 are an error at the first of them")
  func invalidUTF8() {
    for (bytes, column) in [
      ([0x22, 0x61, 0xFF, 0x22], 3), ([0x22, 0xC3, 0xA9, 0xC0, 0x80, 0x22], 4),
      ([0x22, 0xED, 0xA0, 0x80, 0x22], 2), ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 2),
      ([0x22, 0x61, 0xE2, 0x82, 0x22], 3),
    ] as [([UInt8], Int)] {
      let error = jsonError { () throws(JSONError) in
        _ = try JSONParser.parse(bytes)
      }
      #expect(error?.code == .invalidText)
      #expect(error?.column == column)
    }
  }

  @Test("nesting is limited to 64 levels")
  func depth() throws {
    let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try json(deepest) }
    let error = jsonError { () throws(JSONError) in
      _ = try json(String(repeating: "{\"a\":", count: 100_000))
    }
    #expect(error?.code == .nestedTooDeep)
    #expect(error?.message.contains("64") == true)
  }

  @Test("keys that are equivalent in Unicode are different")
  func normalisation() throws {
    guard case .object(let members) = try json("{\"é\":1,\"e\u{301}\":2}") else {
      Issue.record("no object")
      return
    }
    #expect(members.count == 2)
  }

  @Test("a repeated key is found among thousands")
  func manyKeys() {
    let members = (0..<5000).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(throws: Never.self) { try json("{\(members)}") }
    let error = jsonError { () throws(JSONError) in
      _ = try json("{\(members),\"k17\":1}")
    }
    #expect(error?.code == .duplicateKey)
  }

  @Test("a long text is read and written unchanged")
  func longText() throws {
    let text = String(repeating: "ab\"\\\n\u{1}é😀", count: 100_000)
    var writer = JSONWriter()
    writer.text(text)
    #expect(try JSONParser.parse(writer.bytes) == .text(text))
  }

  @Test("any bytes give a value or an error", arguments: 0..<40 as Range<UInt64>)
  func totality(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let alphabet = Array("{}[]\",:\\u0e1-+.tfn \u{1}é😀".utf8) + [0xFF, 0xC0, 0xED]
    for _ in 0..<2000 {
      let bytes = (0..<random.pick(0...24)).map { _ in alphabet[random.pick(0...alphabet.count - 1)]
      }
      guard let value = try? JSONParser.parse(bytes) else { continue }
      #expect((try? JSONParser.parse(JSONWriter.canonical(value))) != nil)
    }
  }

  @Test("a value that is written parses to the same value", arguments: 0..<40 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let value = randomJSON(&random, depth: 4)
      var writer = JSONWriter()
      writer.value(value)
      #expect(try JSONParser.parse(writer.bytes) == value)
      let canonical = JSONWriter.canonical(value)
      #expect(JSONWriter.canonical(try JSONParser.parse(canonical)) == canonical)
    }
  }

  @Test("canonical JSON is compact, sorted by UTF-8 bytes, and keeps integers and reals apart")
  func canonical() throws {
    let value = try json(
      #"{"b": 1, "a": [1.0, 1e2, -0.0, 0.1], "ä": {"z": null, "B": true}, "#
        + #""\uD83D\uDE00": 1, "": ""}"#
    )
    #expect(
      String(decoding: JSONWriter.canonical(value), as: UTF8.self)
        == #"{"":"","a":[1.0,100.0,0.0,0.1],"b":1,"ä":{"B":true,"z":null},"😀":1}"#)
  }

  @Test("what counts as a plain scalar is JSON in its canonical form")
  func plainScalars() throws {
    var random = SplitMix64(seed: 7)
    let characters = Array("\"\\ aé0129-.eE+tru{}[],\u{7F}\n".utf8)
    var plain = 0
    for _ in 0..<20_000 {
      var bytes = (0..<random.pick(0...21)).map { _ in
        characters[random.pick(0...characters.count - 1)]
      }
      switch random.pick(0...3) {
      case 0: bytes = [0x22] + bytes + [0x22]
      case 1: bytes = bytes.filter { 0x30...0x39 ~= $0 || $0 == 0x2D }
      case 2: bytes = JSONWriter.canonical(randomJSON(&random, depth: 0))
      default: break
      }
      guard JSONWriter.isPlainScalar(bytes) else { continue }
      plain += 1
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(try JSONWriter.canonical(json(text)) == bytes, "\(text)")
    }
    #expect(plain > 1_000)
    for text in ["true", "false", "0", "-1", "\"\"", "\"a b\"", "999999999999999999"] {
      #expect(JSONWriter.isPlainScalar(Array(text.utf8)), "\(text)")
    }
  }

  private func randomJSON(_ random: inout SplitMix64, depth: Int) -> JSONValue {
    switch random.pick(0...(depth > 0 ? 7 : 5)) {
    case 0: return .null
    case 1: return .boolean(random.pick(0...1) == 0)
    case 2: return .integer(Int64(bitPattern: random.next()) >> Int64(random.pick(0...63)))
    case 3:
      let real = Double(bitPattern: random.next())
      return .real(real.isFinite ? real : 0.5)
    case 4, 5: return .text(randomText(&random))
    case 6:
      return .array((0..<random.pick(0...4)).map { _ in randomJSON(&random, depth: depth - 1) })
    default:
      return .object(
        (0..<random.pick(0...20)).map {
          ("\($0)" + randomText(&random), randomJSON(&random, depth: depth - 1))
        })
    }
  }

  private func randomText(_ random: inout SplitMix64) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<random.pick(0...20) {
      let bits = [0x7F, 0x7FF, 0x10FFFF][random.pick(0...2)]
      scalars.append(Unicode.Scalar(UInt32(random.pick(0...bits))) ?? "\"")
    }
    return String(scalars)
  }
}

private func json(_ text: String) throws(JSONError) -> JSONValue {
  try JSONParser.parse(Array(text.utf8))
}

/// The error that `body` throws; nil if it throws none.
private func jsonError(_ body: () throws(JSONError) -> Void) -> JSONError? {
  do throws(JSONError) {
    try body()
    return nil
  } catch {
    return error
  }
}
