/// The judgement whether a statement of SQL that writes nothing only reads.
///
/// `BEGIN`, `COMMIT`, `SAVEPOINT` and the like write nothing either, but could undo what a
/// transaction has written. Pragmas can change the connection for good.
struct ReadingSQL {
  /// The pragmas that only read, whatever their argument is.
  private static let reading: Set<String> = [
    "COLLATION_LIST", "COMPILE_OPTIONS", "DATABASE_LIST", "DATA_VERSION", "FOREIGN_KEY_CHECK",
    "FOREIGN_KEY_LIST", "FREELIST_COUNT", "FUNCTION_LIST", "INDEX_INFO", "INDEX_LIST",
    "INDEX_XINFO", "INTEGRITY_CHECK", "MODULE_LIST", "PAGE_COUNT", "PRAGMA_LIST", "QUICK_CHECK",
    "TABLE_INFO", "TABLE_LIST", "TABLE_XINFO",
  ]
  /// The pragmas that do something even without an argument.
  private static let doing: Set<String> = [
    "CASE_SENSITIVE_LIKE", "INCREMENTAL_VACUUM", "OPTIMIZE", "SHRINK_MEMORY", "WAL_CHECKPOINT",
  ]

  private var rest: Substring.UTF8View

  /// Returns whether `sql`, which writes nothing to the database, only reads.
  static func isQuery(_ sql: String) -> Bool {
    var words = Self(rest: sql[...].utf8)
    var word = words.next()
    while word == "(" { word = words.next() }
    let isExplained = word == "EXPLAIN"
    if isExplained {
      word = words.next()
      if word == "QUERY" {
        _ = words.next()
        word = words.next()
      }
    }
    switch word {
    case "PRAGMA": return words.isReadingPragma()
    case "SELECT", "WITH", "VALUES": return true
    default: return isExplained
    }
  }

  /// Returns whether the rest of a statement, behind `PRAGMA`, only reads.
  private mutating func isReadingPragma() -> Bool {
    guard var name = next() else { return false }
    var sign = next()
    if sign == "." {
      guard let second = next() else { return false }
      name = second
      sign = next()
    }
    if Self.reading.contains(name) { return true }
    return (sign == nil || sign == ";") && !Self.doing.contains(name)
  }

  /// Returns the next word in capitals, or the next sign; nil at the end.
  ///
  /// Comments and white space are passed over. A name in quotes is a sign and what follows, so that
  /// it is no name that is known here.
  private mutating func next() -> String? {
    while let first = rest.first {
      if first == UInt8(ascii: "-"), rest.dropFirst().first == first {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if first == UInt8(ascii: "/"), rest.dropFirst().first == UInt8(ascii: "*") {
        rest = rest.dropFirst(2)
        while let byte = rest.popFirst() {
          guard byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") else { continue }
          rest.removeFirst()
          break
        }
      } else if first <= UInt8(ascii: " ") {
        rest.removeFirst()
      } else {
        break
      }
    }
    guard let first = rest.first else { return nil }
    let word = rest.prefix(while: Self.isPartOfWord)
    guard word.isEmpty else {
      rest = rest[word.endIndex...]
      return String(word)?.uppercased()
    }
    rest.removeFirst()
    return String(UnicodeScalar(first))
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
