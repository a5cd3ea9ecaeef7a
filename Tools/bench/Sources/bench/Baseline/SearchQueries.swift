/// Queries for the search benchmarks.
///
/// They include rare and common words, several words, phrases, prefixes, alternatives, and words
/// that the stemmer changes.
enum SearchQueries {
  static func of(_ table: String) throws(BenchError) -> [String] {
    switch table {
    case "packages":
      return [
        "perl", "game", "python library", "web server", "text editor", "\"shared library\"",
        "development files", "compil*", "image AND viewer", "postgresql OR mysql", "astronomy",
        "network monitoring tool", "spell checker", "zsh", "documentation", "rust NOT dev",
        "qt* widgets", "debugging symbols", "fonts", "encrypted backup",
      ]
    case "synsets":
      return [
        "dog", "person", "large bird", "musical instrument", "\"body of water\"", "genus plant",
        "swim*", "tree AND tropical", "happy OR glad", "astronomy", "small animal with fur",
        "running", "quark", "act of", "chess", "river NOT europe", "photo* camera", "disease",
        "cooked food", "ancient greek",
      ]
    default:
      throw BenchError("no queries are known for \(table); name some after it")
    }
  }
}
