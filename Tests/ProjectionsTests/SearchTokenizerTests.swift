import Foundation
import GRDB
import Simulation
import Testing

@testable import Projections

/// The tokenizer of the search index, compared with SQLite's own tokenizers.
@Suite struct SearchTokenizerTests {
  private let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      // A second registration does no harm.
      for _ in 0..<2 { try SearchTokenizer.register(#require(db.sqliteConnection)) }
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE stemmed USING fts5(text, tokenize='daybook');
          CREATE VIRTUAL TABLE words USING fts5(text, tokenize='daybook words');
          CREATE VIRTUAL TABLE porter USING fts5(text, tokenize='porter unicode61 \
          remove_diacritics 2');
          CREATE VIRTUAL TABLE plain USING fts5(text, tokenize='unicode61 remove_diacritics 2');
          CREATE VIRTUAL TABLE stemmed_v USING fts5vocab(stemmed, instance);
          CREATE VIRTUAL TABLE words_v USING fts5vocab(words, instance);
          CREATE VIRTUAL TABLE porter_v USING fts5vocab(porter, instance);
          CREATE VIRTUAL TABLE plain_v USING fts5vocab(plain, instance);
          """)
    }
  }

  /// Returns the tokens of a text, in order.
  private func tokens(_ text: String, _ table: String) throws -> [String] {
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "DELETE FROM \(table)")
      // The text is bound as bytes, so that it does not end at NUL.
      try db.execute(
        sql: "INSERT INTO \(table)(text) VALUES (CAST(? AS TEXT))", arguments: [Data(text.utf8)])
      return try String.fetchAll(db, sql: "SELECT term FROM \(table)_v ORDER BY offset")
    }
  }

  @Test("words are those of SQLite, and each character of unspaced scripts is a word")
  func tokens() throws {
    #expect(try tokens("Running Cafés", "stemmed") == ["run", "cafe"])
    #expect(try tokens("Running Cafés", "words") == ["running", "cafes"])
    #expect(
      try tokens("iPhone用ケース、2026年 Größe", "words")
        == ["iphone", "用", "ケ", "ー", "ス", "2026", "年", "große"])
    #expect(try tokens("ジョン・スミス", "words") == ["ジ", "ョ", "ン", "ス", "ミ", "ス"])
    #expect(try tokens("", "words").isEmpty)
    #expect(throws: (any Error).self) {
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE other USING fts5(text, tokenize='daybook other')")
      }
    }
  }

  @Test(
    "any text is split by SQLite's rule and at each character of unspaced scripts",
    arguments: 0..<8 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pieces = [
      "run", "Running", "É", "e\u{301}", " ", "\0", "、", "・", "—", "“", "日", "本", "ー", "한", "글",
      "ก", "ั",
      "ไ", "𠮷", "🙂", "\u{200D}", "\u{FE0F}", "\u{E000}", "1", "-", "ß", "Ω", "ﾊ", "ﾟ", "\u{10FFFF}",
      "\u{E00}",
      "\u{FFFD}", "ཀ", "က",
    ]
    for _ in 0..<60 {
      let text = (0..<random.pick(0...12)).map { _ in random.pick(pieces) }.joined()
      for (ours, theirs) in [("stemmed", "porter"), ("words", "plain")] {
        var expected: [String] = []
        var run = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
          if SearchTokenizer.isUnspaced(scalar) {
            expected += try tokens(String(run), theirs) + [String(scalar)]
            run = String.UnicodeScalarView()
          } else {
            run.append(scalar)
          }
        }
        expected += try tokens(String(run), theirs)
        #expect(try tokens(text, ours) == expected, "\(text.debugDescription)")
      }
    }
  }

  @Test("bytes that are no UTF-8 do not end the process, and words among them are found")
  func bytes() throws {
    var random = SplitMix64(seed: 5)
    try queue.writeWithoutTransaction { db in
      let connection = try #require(db.sqliteConnection)
      let insert = try Statement(
        connection, "INSERT INTO words(rowid, text) VALUES (1, CAST(? AS TEXT))")
      for length in 0..<300 {
        let bytes =
          random.bytes(length % 40) + [0xE6, 0x97] + Array(" whole ".utf8) + [0xF0, 0xA0]
        try db.execute(sql: "DELETE FROM words")
        try insert.bind(1, bytes)
        try insert.run()
        let found = try Int.fetchOne(
          db, sql: "SELECT count(*) FROM words WHERE words MATCH 'whole'")
        #expect(found == 1)
      }
    }
  }

  @Test("characters of unspaced scripts are words of their own, and others are not")
  func scripts() {
    for scalar in "日々ー々〇ぁゖァヺㄅ한ㅎกไ໌ཀကខ𠮷ﾊ".unicodeScalars {
      #expect(SearchTokenizer.isUnspaced(scalar), "\(scalar)")
    }
    for scalar in "aéΩЖא१・、。「」฿—“🙂 \0\u{301}\u{200B}\u{FF21}".unicodeScalars {
      #expect(!SearchTokenizer.isUnspaced(scalar), "\(scalar)")
    }
  }
}
