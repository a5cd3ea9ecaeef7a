import DaybookEventCore
import DaybookSimulation
import Foundation
import GRDB
import Testing

/// The validity of JSON, compared with SQLite's judgement: SQLite's functions fail for a whole
/// query on one value that is no JSON.
@Suite struct JSONTextTests {
  private static let seeds = [
    "[]", "{}", "null", "true", "false", "0", "-0", "-1.5E+10", "1e0", "\"\"", "\"a\\u00e9\\n\\/\"",
    "{\"a\":[1,2,{\"b\":null}],\"c\":\"d\"}", " [ 1 , \"x\" ] ", "[[[[]]]]",
    "{\"caf\u{E9}\":\"\u{1F642}\"}", "[1.0,2.25,-3e-7]",
  ]

  private static func isValid(_ text: String) -> Bool { JSONText.isValid(Array(text.utf8)) }

  @Test("the validity of JSON texts and of mutations of them is judged as by SQLite")
  func likeSQLite() throws {
    let database = try DatabaseQueue()
    try database.read { db in
      let statement = try db.makeStatement(sql: "SELECT json_valid(?)")
      var random = SplitMix64(seed: 7)
      var valid = 0
      for round in 0..<20_000 {
        var bytes = Array(Self.seeds[round % Self.seeds.count].utf8)
        if round >= Self.seeds.count {
          for _ in 0...UInt64.random(in: 0..<3, using: &random) { Self.mutate(&bytes, &random) }
        }
        guard let text = String(utf8: bytes), !bytes.contains(0) else {
          continue
        }
        let expected = try #require(try Bool.fetchOne(statement, arguments: [text]))
        if Self.isValid(text) != expected {
          Issue.record("\(text.debugDescription): SQLite says \(expected)")
        }
        valid += expected ? 1 : 0
      }
      #expect(valid > 1000)
    }
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let alphabet = Array("{}[]\",:0123456789-+.eEtrufalsn\\/ \t\n'ab".utf8)
    let place = Int(UInt64.random(in: 0..<UInt64(bytes.count + 1), using: &random))
    let byte = alphabet[Int(UInt64.random(in: 0..<UInt64(alphabet.count), using: &random))]
    switch UInt64.random(in: 0..<3, using: &random) {
    case 0 where place < bytes.count: bytes.remove(at: place)
    case 1 where place < bytes.count: bytes[place] = byte
    default: bytes.insert(byte, at: place)
    }
  }

  @Test("any mixture of nested arrays and objects is valid up to the limit of depth")
  func nesting() {
    var random = SplitMix64(seed: 9)
    for depth in [1, 2, 63, 64, 65, 127, 128, 129, 500, 1000, 1001, 1002] {
      let kinds = (0..<depth).map { _ in UInt64.random(in: 0..<2, using: &random) == 0 }
      let text =
        kinds.map { $0 ? "{\"a\":" : "[" }.joined() + "1"
        + kinds.reversed().map { $0 ? "}" : "]" }.joined()
      #expect(Self.isValid(text) == (depth <= JSONText.depthMax), "\(depth)")
      var wrong = kinds
      wrong[depth / 2].toggle()
      let mismatch =
        kinds.map { $0 ? "{\"a\":" : "[" }.joined() + "1"
        + wrong.reversed().map { $0 ? "}" : "]" }.joined()
      #expect(!Self.isValid(mismatch), "\(depth)")
    }
  }
}
