import DaybookInterchange
import DaybookProjections
import DaybookSimulation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The inference of types, which loses no part of any value.
@Suite struct ColumnInferenceTests {
  private func type(_ texts: String...) -> FieldType {
    var inference = ColumnInference()
    for text in texts { inference.observe(text) }
    return inference.type
  }

  @Test("a column gets the narrowest type that fits all of its values")
  func narrowest() {
    #expect(type("1", "-2", "", "0", "9223372036854775807", "-9223372036854775808") == .integer)
    #expect(type("1", "2.5") == .real)
    #expect(type("1.5e300", "2e-7", "1e+20", "5e-324", "-0.25", "0.30000000000000004") == .real)
    #expect(type("1.0", "2.5", "0.0", "1.0E5") == .real)
    #expect(type("true", "FALSE", "True") == .boolean)
    #expect(type("2026-01-31", "2026-01-31T08:30:00.125Z", "2026-01-31 08:30") == .timestamp)
    #expect(type("a", "1") == .text)
    #expect(type("1", "true") == .text)
    #expect(type("2026-01-31", "2026") == .text)
  }

  @Test(
    "a text that only resembles a number, a truth value or a time stays text",
    arguments: [
      "007", "+49", "1E5", "1e5", "-0", "9223372036854775808", "1,5", "1.", ".5", "- 1", " 1", "1 ",
      "0x10", "NaN", "inf", "1e999", "yes", "t", "truE!", "2026-02-30", "2026-1-1", "24:00",
      "2026-01-31T08:30:00.1234Z", "0000-01-01", "-", "--1", "1.5.2", "1e+", "２", "١",
    ])
  func lookAlikes(text: String) { #expect(type(text) == .text) }

  @Test(
    "numbers of which a real would keep other digits make a text, and one of them is named",
    arguments: [
      ["1.1", "1.10", "1.9"], ["2.50"], ["12345678901234567.89"], ["0.12345678901234567890123"],
      ["1e-400"], ["0.10000000000000001"], ["-0.0"], ["1", "1.0"], ["1.0", "2"],
      ["1.5", "9007199254740993"], ["18446744073709551616"],
    ])
  func otherDigits(texts: [String]) throws {
    var inference = ColumnInference()
    for text in texts { inference.observe(text) }
    #expect(inference.type == .text)
    #expect(texts.contains(try #require(inference.numberOnlyTextKeeps)))
    inference.observe("x")
    #expect(inference.numberOnlyTextKeeps == nil)
  }

  @Test("any real that is printed is inferred as one, and reads back as the same")
  func printed() throws {
    for seed in 0..<20_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let value = Double(bitPattern: random.next())
      guard value.isFinite, value != 0 else { continue }
      let text = value.description
      #expect(type(text) == .real, "\(text)")
      let cell = CSVCell(text: text, isQuoted: false, line: 1)
      #expect(try ValueTyping.value(cell: cell, as: .real) == .real(value))
    }
  }

  @Test("a comma before decimals is for columns that say so, and is pointed out in others")
  func decimalComma() throws {
    var inference = ColumnInference(hasDecimalComma: true)
    for text in ["1,5", "2", "-0,25"] { inference.observe(text) }
    #expect(inference.type == .real)
    let cell = CSVCell(text: "-0,25", isQuoted: false, line: 1)
    #expect(try ValueTyping.value(cell: cell, as: .real, hasDecimalComma: true) == .real(-0.25))
    inference.observe("1.5")
    #expect(inference.type == .text)
    for text in ["1.5", "1.234,5"] {
      let cell = CSVCell(text: text, isQuoted: false, line: 1)
      #expect(throws: ValueTypingError.self) {
        try ValueTyping.value(cell: cell, as: .real, hasDecimalComma: true)
      }
    }
    var pointed = ColumnInference()
    for text in ["3", "1,5"] { pointed.observe(text) }
    #expect(pointed.type == .text)
    #expect(pointed.numberWithComma == "1,5")
    pointed.observe("1.5")
    #expect(pointed.numberWithComma == nil)
  }

  @Test("a declared real takes any digits, but none that would become zero")
  func declaredReal() throws {
    func value(_ text: String) throws -> Value {
      try ValueTyping.value(cell: CSVCell(text: text, isQuoted: false, line: 1), as: .real)
    }
    #expect(try value("1.10") == .real(1.1))
    #expect(try value("-0.000e5") == .real(0))
    for text in ["1e-400", "-0.0000001e-320"] {
      #expect(throws: ValueTypingError.self) { try value(text) }
    }
  }

  @Test("integers that no real holds exactly make a column of reals a text")
  func exact() {
    #expect(type("9007199254740992", "0.5") == .real)
    #expect(type("9007199254740993", "0.5") == .text)
  }

  @Test("a column without values is text, and empty cells are counted")
  func empty() {
    var inference = ColumnInference()
    #expect(inference.type == .text)
    for text in ["", "", "1"] { inference.observe(text) }
    #expect(inference.type == .integer)
    #expect(inference.emptyCount == 2)
    #expect(inference.valueCount == 1)
  }

  @Test("every text of an inferred column is a value of its type")
  func agreement() throws {
    let pieces = [
      "0", "1", "9", "-", ".", "e", "+", "2026-01-31", "T08:30", ":59", "Z", "true", "E",
    ]
    var inferred: [FieldType: Int] = [:]
    for seed in 0..<20_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let text = (0..<random.pick(1...5)).map { _ in pieces[random.pick(0...12)] }.joined()
      let type = type(text)
      inferred[type, default: 0] += 1
      let cell = CSVCell(text: text, isQuoted: false, line: 1)
      let value = try ValueTyping.value(cell: cell, as: type)
      #expect(value != .null, "\(text) as \(type)")
    }
    #expect(inferred.count == 5, "\(inferred)")
  }
}
