import CTokens
import EventCore
import GRDBSQLite

/// How a collection's search index takes texts apart, as its attribute `tokenizer` says.
///
/// Both tokenizers fold case and accents. A word is what stands between spaces and punctuation. In
/// scripts without spaces between words (Han, kana, Thai and others) and in Korean, each character
/// is a word. So any part of such a text is found, even a single character.
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

  /// Returns whether the character is a word of its own, as in scripts without spaces.
  static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    daybook_is_unspaced(scalar.value) != 0
  }
}
