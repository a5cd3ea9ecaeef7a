/// How much of a query something has to have to be found.
public enum SearchMatch: String, CaseIterable, Sendable {
  /// All of its words.
  case all
  /// Any of its words: what has more of them, and rarer ones, comes first. For questions as people type
  /// them.
  case any
}
