import CTokens
import EventCore
import GRDBSQLite

/// How a collection's search index takes texts apart: what its attribute `tokenizer` says.
///
/// Both fold case and accents. Words are what stands between spaces and punctuation; of scripts that are
/// written without spaces between words (Han, kana, Thai and others) and of Korean each character counts as
/// a word, so that any part of a text is found, a single character too.
public enum SearchTokenizer: String, CaseIterable, Sendable {
  /// Words are reduced to their English stem: “running” finds “run”. So it is where the attribute is
  /// missing, or is not understood.
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

  /// What a search index is made with.
  var sql: String {
    switch self {
    case .stemmed: "daybook"
    case .words: "daybook words"
    }
  }

  /// Makes the tokenizers known to a connection, which no search index can be used without.
  package static func register(_ connection: OpaquePointer) throws(ProjectionError) {
    guard daybook_tokens_register(connection) == SQLITE_OK else {
      throw ProjectionError(
        .sqlite, "SQLite does not take the tokenizer of the search index",
        hint: "Daybook needs an SQLite with FTS5")
    }
  }

  /// Whether each character of a script is a word of its own.
  static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    daybook_is_unspaced(scalar.value) != 0
  }
}
