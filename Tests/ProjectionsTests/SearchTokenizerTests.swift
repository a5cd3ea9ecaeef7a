import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import DaybookProjections

/// The tokenizer of the search index, in part compared with SQLite's own tokenizers.
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

  @Test("words are stemmed or not, and each character of unspaced scripts is a word")
  func tokens() throws {
    #expect(try tokens("Running Cafés", "stemmed") == ["run", "cafe"])
    #expect(try tokens("Running Cafés", "words") == ["running", "cafes"])
    #expect(
      try tokens("iPhone用ケース、2026年 Größe", "words")
        == ["iphone", "用", "ケ", "ー", "ス", "2026", "年", "grosse"])
    #expect(try tokens("ジョン・スミス", "words") == ["ジ", "ョ", "ン", "ス", "ミ", "ス"])
    #expect(try tokens("", "words").isEmpty)
    #expect(throws: (any Error).self) {
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE other USING fts5(text, tokenize='daybook other')")
      }
    }
  }

  @Test(
    "words are compared without case, accents, points and forms, and with their vowel signs",
    arguments: [
      ("Straße STRASSE", ["strasse", "strasse"]), ("Łódź Ørsted đ", ["lodz", "orsted", "d"]),
      ("İstanbul ırmak I", ["istanbul", "irmak", "i"]), ("Æther Œuvre", ["aether", "oeuvre"]),
      ("ﬁn ＡＢＣ x²", ["fin", "abc", "x2"]), ("Zu\u{AD}cker", ["zucker"]),
      ("ΣΊΣΥΦΟΣ σίσυφος", ["σισυφοσ", "σισυφοσ"]), ("Ёлка", ["елка"]),
      ("كِتَابٌ كـتاب أحمد", ["كتاب", "كتاب", "احمد"]), ("کتاب می\u{200C}خواهم", ["كتاب", "ميخواهم"]),
      ("שָׁלוֹם", ["שלום"]), ("किताब कुतुब", ["किताब", "कुतुब"]), ("क़लम १२", ["कलम", "12"]),
      ("ﾃﾞｰﾀ デ テ\u{3099}", ["テ\u{3099}", "ー", "タ", "テ\u{3099}", "テ\u{3099}"]),
      ("한 \u{1112}\u{1161}\u{11AB} 하\u{11AB}", ["한", "한", "한"]), ("⽇本", ["日", "本"]),
      ("a🎉b 👍🏽👍", ["a", "🎉", "b", "👍", "👍"]), ("❤️ 1️⃣", ["❤", "1"]),
      ("👩‍👩‍👧", ["👩", "👩", "👧"]), ("🇩🇪🇫🇷🇩", ["🇩🇪", "🇫🇷", "🇩"]),
      ("\u{301}\u{200D}\u{FE0F} — ₿ ©", []), ("e\u{301}\u{327}e", ["ee"]),
    ])
  func folding(text: String, expected: [String]) throws {
    let found = try tokens(text, "words")
    // By scalars: strings are equal whatever their form.
    #expect(found.map { Array($0.unicodeScalars) } == expected.map { Array($0.unicodeScalars) })
  }

  @Test("a character has the same words in each of its Unicode forms")
  func forms() throws {
    var compared = 0
    for value in 0x80..<(0x30000 as UInt32) {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 15,
        age.major < 15 || age.minor == 0
      else { continue }
      let whole = String(scalar)
      let parts = whole.decomposedStringWithCanonicalMapping
      guard Array(parts.unicodeScalars) != [scalar] else { continue }
      // All syllables follow one rule.
      if (0xAC00...0xD7A3).contains(value), value % 97 != 0 { continue }
      let (a, b) = (try tokens(whole, "words"), try tokens(parts, "words"))
      #expect(a.map { Array($0.utf8) } == b.map { Array($0.utf8) }, "\(value)")
      compared += 1
    }
    #expect(compared > 2000)
  }

  @Test("words of Latin letters are split as SQLite splits them", arguments: 0..<8 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pieces = [
      "run", "Running", "É", "e\u{301}", " ", "\0", "—", "“", "1", "-", "'", "_", "Ω", "ü", "\n",
      "\u{E000}", "\u{FFFD}", "Жук",
    ]
    for _ in 0..<60 {
      let text = (0..<random.pick(0...12)).map { _ in random.pick(pieces) }.joined()
      for (ours, theirs) in [("stemmed", "porter"), ("words", "plain")] {
        #expect(try tokens(text, ours) == tokens(text, theirs), "\(text.debugDescription)")
      }
    }
  }

  @Test("words that are passed by number, in parts of a text, are those that are found one by one")
  func parts() throws {
    var random = SplitMix64(seed: 3)
    let pieces = [
      "oat", "a", "é", " ", " ", ", ", "日本", "ー", "한", "\u{1112}\u{1161}", "\u{11AB}", "🎉", "🇩🇪",
      "🇩", "\u{200D}", "\u{FE0F}", "\u{301}", "कि", "\u{3099}", String(repeating: "x", count: 70),
      String(repeating: "long ", count: 40), String(repeating: " ", count: 150), "\u{FFFD}",
    ]
    for round in 0..<12 {
      var text = ""
      while text.utf8.count < random.pick(0...40_000) { text += random.pick(pieces) }
      if round == 0 { text = String(repeating: "é", count: 200_000) + " end" }
      if round == 1 { text = "start " + String(repeating: ",", count: 900_000) + "end" }
      let words = SearchTokenizer.words(of: text)
      let source = SearchedText(Array(text.utf8))
      for _ in 0..<8 {
        let number = random.pick(0...max(words.count, 1))
        var reader = SearchedWords(source)
        try reader.pass(number / 2)
        try reader.pass(number - number / 2)
        for index in number..<max(min(words.count, number + 200), number) {
          let word = try reader.next()
          #expect(word?.number == index && word?.bytes == words[index].bytes)
        }
        if number + 200 >= words.count { #expect(try reader.next() == nil) }
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

  @Test("a word longer than the longest form is found by its beginning")
  func longWords() throws {
    let long = String(repeating: "é", count: 100_000)
    let expected = ["a", String(repeating: "e", count: 32_768), "b"]
    #expect(try tokens("a \(long) b", "words") == expected)
  }

  @Test("the order of relevance is that of FTS5, with weights and without")
  func ranks() throws {
    var random = SplitMix64(seed: 9)
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: "CREATE VIRTUAL TABLE two USING fts5(a, b, tokenize='daybook', prefix='1')")
      let vocabulary = ["oat", "milk", "tea", "日", "o", "mint", "a"]
      for _ in 0..<200 {
        let texts = (0..<2).map { _ in
          (0..<random.pick(0...30)).map { _ in random.pick(vocabulary) }.joined(separator: " ")
        }
        try db.execute(
          sql: "INSERT INTO two VALUES (?, ?)", arguments: StatementArguments(texts))
      }
      for query in [
        "oat", "oat milk", "m*", "oat OR tea", "\"oat milk\"", "a : mint", "oat NOT 日",
      ] {
        for weights in ["", ", 2.0", ", 0.5, 10.0"] {
          let rows = try Row.fetchAll(
            db,
            sql: """
              SELECT bm25(two\(weights)) AS theirs, daybook_rank(two\(weights)) AS ours FROM two
              WHERE two MATCH ?
              """, arguments: [query])
          #expect(!rows.isEmpty)
          for row in rows {
            let (theirs, ours): (Double, Double) = (row["theirs"], row["ours"])
            #expect(abs(theirs - ours) < 1e-9, "\(query)\(weights)")
          }
        }
      }
    }
  }
}
