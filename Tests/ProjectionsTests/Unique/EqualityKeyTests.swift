import DaybookEventCore
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import DaybookProjections

/// Keys of texts that are equal without case: what Unicode 15.0 says, for ever.
@Suite struct EqualityKeyTests {
  private static let scalars = (0..<UInt32(0x110000)).compactMap { Unicode.Scalar($0) }

  /// Scalars that the table knows, and of which Swift's own table may say the same.
  private static let assigned = scalars.filter(isAssigned)

  private static func isAssigned(_ scalar: Unicode.Scalar) -> Bool {
    guard let age = scalar.properties.age else { return false }
    return (age.major, age.minor) <= (15, 0)
  }

  private func key(_ text: String) -> [UInt8] { Array(EqualityKey.key(of: text).utf8) }

  @Test(
    "texts that differ in case or form have one key",
    arguments: [
      ["", ""], ["ann@x", "Ann@X", "ANN@x"], ["a\0B", "A\0b"],
      ["\u{E9}", "\u{C9}", "e\u{301}", "E\u{301}"],
      ["stra\u{DF}e", "STRASSE", "stra\u{1E9E}e", "Strasse"],
      ["\u{3BF}\u{3C2}", "\u{39F}\u{3A3}", "\u{3BF}\u{3C3}"],
      ["\u{130}", "i\u{307}", "I\u{307}"], ["K", "k", "\u{212A}"],
      ["\u{C5}", "\u{212B}", "a\u{30A}", "\u{E5}"], ["\u{FB03}", "ffi", "FFI"],
      ["\u{1F80}", "\u{1F88}", "\u{3B1}\u{345}\u{313}", "\u{391}\u{313}\u{399}"],
      ["\u{D55C}", "\u{1112}\u{1161}\u{11AB}"], ["\u{AC00}", "\u{1100}\u{1161}"],
      ["q\u{323}\u{307}", "Q\u{307}\u{323}"], ["\u{1E921}", "\u{1E943}"], ["\u{13A0}", "\u{AB70}"],
    ])
  func equal(texts: [String]) {
    for text in texts { #expect(key(text) == key(texts[0]), "\(text.unicodeScalars)") }
  }

  @Test(
    "texts that differ otherwise have keys of their own",
    arguments: [
      ["e", "\u{E9}"], ["i", "\u{131}"], ["i", "\u{130}"], ["a", "a\0"], ["o", "0"],
      ["\u{FF41}", "a"], ["\u{2460}", "1"], ["a\u{301}\u{300}", "a\u{300}\u{301}"],
      ["\u{378}", "\u{379}"], ["x ", "x"],
    ])
  func different(texts: [String]) { #expect(key(texts[0]) != key(texts[1])) }

  @Test("table 1 is as it was released")
  func pinned() {
    var hash = Hash256.Builder()
    for scalar in Self.scalars {
      hash.append(EqualityKey.key(of: String(scalar)))
      hash.append([255])
    }
    #expect(
      "\(hash.hash)" == "94fe1771127c928e3900707cae9a3d57a18e317c82526161c5d1f8e276fa8832")
  }

  @Test("what Swift holds to be the same, in small letters or in both, has one key")
  func swift() {
    for scalar in Self.assigned {
      let text = String(scalar)
      #expect(key(text) == key(text.lowercased()), "\(scalar.escaped(asASCII: true))")
      #expect(key(text) == key(text.decomposedStringWithCanonicalMapping))
      // The capital of a dotless i is that of another letter. Others got a capital later.
      let capital = text.uppercased()
      let isKnown = capital.unicodeScalars.allSatisfy(Self.isAssigned)
      guard scalar != "\u{131}", isKnown else { continue }
      #expect(key(text) == key(capital), "\(scalar.escaped(asASCII: true))")
    }
  }

  @Test("random texts that are equal to Swift have one key, and a key is its own key")
  func random() {
    var random = SplitMix64(seed: 40)
    // Beside marks, Foundation's forms take a private letter of the last planes for another one.
    let known = Self.assigned.filter { $0.value < 0xF_0000 }
    let marks = known.filter { $0.properties.canonicalCombiningClass != .notReordered }
    let cased = known.filter {
      $0.properties.changesWhenCaseMapped || $0.properties.changesWhenCaseFolded
    }
    var reordered = 0
    for _ in 0..<20_000 {
      var scalars = (0..<random.pick(1...8)).map { _ in
        random.pick(random.pick([marks, marks, cased, known]))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let same = key(text)
      for form in [
        text.lowercased(), text.decomposedStringWithCanonicalMapping,
        text.precomposedStringWithCanonicalMapping, String(decoding: same, as: UTF8.self),
      ] {
        #expect(key(form) == same, "\(scalars.map { $0.escaped(asASCII: true) })")
      }
      scalars = random.shuffled(scalars)
      let other = String(String.UnicodeScalarView(scalars))
      if other == text {
        reordered += 1
        #expect(key(other) == same)
      }
    }
    #expect(reordered > 100)
  }

  @Test("marks in the wrong order take time in proportion to their number")
  func manyMarks() {
    let count = 300_000
    let mixed = "a" + String(repeating: "\u{345}\u{301}\u{316}", count: count)
    let key = EqualityKey.key(of: mixed).unicodeScalars
    #expect(key.count == 3 * count + 1)
    #expect(key.dropFirst().prefix(count).allSatisfy { $0 == "\u{316}" })
    #expect(key.suffix(count).allSatisfy { $0 == "\u{3B9}" })
  }

  @Test("the function of SQL returns the same keys")
  func sql() throws {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try SearchTokenizer.register(try #require(db.sqliteConnection))
      for text in ["", "\u{C9}cole", "e\u{301}", "ABC", "\u{D55C}\u{345}", "a\0B"] {
        // As bytes, because GRDB binds a text up to its first NUL.
        let found = try Data.fetchOne(
          db, sql: "SELECT CAST(\(EqualityKey.sql("CAST(? AS TEXT)")) AS BLOB)",
          arguments: [Data(text.utf8)])
        #expect(found.map(Array.init) == key(text))
      }
      #expect(try Int.fetchOne(db, sql: "SELECT \(EqualityKey.sql("7"))") == 7)
      #expect(try Int.fetchOne(db, sql: "SELECT \(EqualityKey.sql("NULL")) IS NULL") == 1)
    }
  }
}
