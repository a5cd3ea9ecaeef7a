import Interchange
import Projections
import Simulation
import Testing

@testable import Daybook

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
    #expect(type("1.5e300", "2e-7", "1e+20", "-0.0", "0.10") == .real)
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
