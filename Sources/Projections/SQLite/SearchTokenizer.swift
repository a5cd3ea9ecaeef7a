import DaybookCTokens
import DaybookEventCore
import GRDBSQLite

/// How a collection's search index takes texts apart, as its attribute `tokenizer` says.
///
/// A word is what stands between spaces and punctuation, and so is an emoji. Words are compared
/// without case, accents and points, but with their vowel signs. In scripts without spaces between
/// words (Han, kana, Thai and others) and in Korean, each character is a word. So any part of such
/// a text is found, even a single character.
package enum SearchTokenizer: String, CaseIterable, Sendable {
  /// Words are reduced to their English stem: “running” finds “run”. The default, if the attribute
  /// is missing or not understood.
  case stemmed
  /// Words count as they stand: for names, codes, and other languages.
  case words

  init(_ attribute: Value?) {
    guard case .text(let name)? = attribute, let known = SearchTokenizer(rawValue: name) else {
      self = .stemmed
      return
    }
    self = known
  }

  /// The version of the rules by which texts are taken apart, which contains that of Unicode.
  package static var version: Int { Int(daybook_words_version()) }

  /// The tokenizer's name and arguments in the SQL that makes a search index.
  var sql: String {
    switch self {
    case .stemmed: "daybook"
    case .words: "daybook words"
    }
  }

  /// Registers the tokenizers with a connection; no search index can be used without them.
  /// - Throws: ``ProjectionError`` if SQLite has no FTS5.
  package static func register(_ connection: OpaquePointer) throws(ProjectionError) {
    guard daybook_tokens_register(connection) == SQLITE_OK else {
      throw ProjectionError(
        .sqlite, "SQLite does not take the tokenizer of the search index",
        hint: "Daybook needs an SQLite with FTS5")
    }
  }

  /// A word of a text.
  package struct Word: Hashable, Sendable {
    /// The word's place among the bytes of the text.
    package var bytes: Range<Int>
    /// Whether it is a character of a script in which characters are words.
    package var isAlone: Bool
  }

  /// Returns the words of a text, as search indexes have them.
  package static func words(of text: String) -> [Word] {
    var text = text
    return text.withUTF8 { utf8 in
      var words: [Word] = []
      var at = 0
      while let word = nextWord(utf8, at) {
        words.append(word)
        at = word.bytes.upperBound
      }
      return words
    }
  }

  /// Returns whether a search index has any word of a text.
  static func hasWord(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { nextWord($0, 0) != nil }
  }

  /// Returns the first word at or after a place that is not inside of one.
  static func nextWord(_ utf8: UnsafeBufferPointer<UInt8>, _ at: Int) -> Word? {
    var word = DaybookWord()
    guard let base = utf8.baseAddress, at < utf8.count,
      daybook_word_next(base, utf8.count, at, &word) != 0
    else { return nil }
    return Word(bytes: Int(word.start)..<Int(word.end), isAlone: word.is_alone != 0)
  }
}
