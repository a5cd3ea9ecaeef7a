import DaybookSimulation

/// Names with a meaning in SQLite, FTS5 or Daybook. Users may choose them all the same.
package enum HazardousNames {
  /// Groups of collection names that may collide with each other.
  package static let collectionGroups: [[String]] = [
    // FTS5's names of the tables beside a search index.
    ["user", "user_data", "user_idx", "user_content", "user_docsize", "user_config"],
    // Names of indexes that were once made from those of collection and field.
    ["a", "a_field_b", "a_outgoing", "a_field"],
    // Table-valued functions and modules, which a table of the same name would hide.
    ["pragma_table_info", "pragma_index_info", "pragma_function_list"],
    ["json_each", "json_tree", "generate_series"], ["fts5", "fts5vocab", "dbstat", "bytecode"],
    // Present and former names of Daybook's own objects.
    ["daybook_rows", "daybook_next", "daybook_search_1", "daybook_search_1_data"],
    ["daybook_checkpoint", "daybook_entities", "daybook_kept"],
    // Names of databases, and keywords of transactions.
    ["main", "temp", "read"], ["begin", "commit", "rollback", "savepoint"],
    // Names of the maximum length, which differ in the last letter or in case only.
    [longest("x"), longest("y"), longest("X")], ["camelCase", "CamelCase", "camelcase"],
    // Reserved names, in any case.
    ["sqlite_x", "SQLITE_sequence", "sqlite_autoindex_notes_1"],
  ]

  package static let fieldGroups: [[String]] = [
    ["rank", "rowid", "oid", "ROWID"], ["c0", "c1", "number"], ["order", "group", "index"],
    ["key", "value", "type", "match"], ["b_field_c", "c", "field_c"], ["id", "ID", "_rowid_"],
    ["content", "tokenize", "prefix", "unindexed"], [longest("f"), longest("F"), longest("g")],
    ["new", "old", "excluded", "raise"], ["notes", "links"], ["true", "null", "current_time"],
  ]

  /// SQLite's keywords.
  package static let keywords = """
    abort action add after all alter always analyze and as asc attach autoincrement before begin \
    between by cascade case cast check collate column commit conflict constraint create cross \
    current current_date current_time current_timestamp database default deferrable deferred \
    delete desc detach distinct do drop each else end escape except exclude exclusive exists \
    explain fail filter first following for foreign from full generated glob group groups having \
    if ignore immediate in index indexed initially inner insert instead intersect into is isnull \
    join key last left like limit match materialized natural no not nothing notnull null nulls of \
    offset on or order others outer over partition plan pragma preceding primary query raise range \
    recursive references regexp reindex release rename replace restrict returning right rollback \
    row rows savepoint select set table temp temporary then ties to transaction trigger unbounded \
    union unique update using vacuum values view virtual when where window with without
    """.split(separator: " ").map(String.init)

  /// Returns up to three names that may collide, or none.
  static func collections(_ random: inout SplitMix64) -> [String] {
    pick(collectionGroups, &random)
  }

  static func fields(_ random: inout SplitMix64) -> [String] { pick(fieldGroups, &random) }

  private static func pick(_ groups: [[String]], _ random: inout SplitMix64) -> [String] {
    switch random.pick(0...3) {
    case 0: []
    case 1: (0..<2).map { _ in random.pick(keywords) }
    default: Array(random.pick(groups).shuffled(using: &random).prefix(3))
    }
  }

  private static func longest(_ letter: String) -> String { String(repeating: letter, count: 63) }
}
