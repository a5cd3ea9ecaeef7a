/// How many of a query's words an entity must have to be found.
public enum SearchMatch: String, CaseIterable, Sendable {
  /// All of its words.
  case all
  /// Any of its words. Entities with more of them, and with rarer ones, come first. For questions
  /// as people type them.
  case any
}
