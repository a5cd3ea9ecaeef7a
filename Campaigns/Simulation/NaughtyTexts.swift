/// Texts that programs stumble over.
///
/// They end strings, combine with preceding characters, look like syntax or another type, or take
/// more space than they seem to.
package enum NaughtyTexts {
  /// Over 500 texts that are all valid ids: distinct by their bytes, 1 to 1,024 bytes long.
  package static let all: [String] = {
    var seen: Set<[UInt8]> = []
    return (plain + combined + nul).filter { text in
      (1...1024).contains(text.utf8.count) && seen.insert(Array(text.utf8)).inserted
    }
  }()

  /// The texts that a shell can pass to a program: those without a NUL.
  package static let arguments = all.filter { !$0.utf8.contains(0) }

  /// Scalars that belong to the character before them.
  package static let combining: [Unicode.Scalar] = [
    "\u{301}", "\u{308}", "\u{200D}", "\u{FE0F}", "\u{20E3}", "\u{1F3FD}", "\u{E0061}", "\u{94D}",
  ]

  /// Scalars at which arguments, queries, SQL, CSV, JSON, paths and positions are split.
  package static let separators: [Unicode.Scalar] =
    (0x20...0x2F).map { Unicode.Scalar($0 as UInt8) }
    + [":", ";", "<", "=", ">", "?", "@", "[", "\\", "]", "^", "_", "`", "{", "|", "}", "~"]
    + ["\t", "\n", "\r", "0", "9", "a", "Z", "\u{A0}", "\u{2028}", "*", "%"]

  /// Each separator combined with each combining scalar, at the beginning, within and at the end of
  /// a text.
  private static let combined: [String] = separators.flatMap { separator in
    combining.enumerated().map { number, mark in
      var text = String.UnicodeScalarView()
      if number % 3 > 0 { text.append(contentsOf: "be\(number)".unicodeScalars) }
      text.append(separator)
      text.append(mark)
      if number % 3 < 2 { text.append(contentsOf: "hind".unicodeScalars) }
      return String(text)
    }
  }

  private static let nul = [
    "\0", "\0\0", "a\0", "\0b", "a\0b", "a\0b\0c", "é\0é", "\0\u{301}", "'\0'", "\"\0\"", "1\0",
    "🙂\0🙂",
  ]

  private static let plain: [String] =
    combining.map { String(Character($0)) } + types + syntax + unicode + large

  /// Texts that look like a value of another type.
  private static let types = [
    "0", "-0", "00", "007", "+1", "1.0", ".5", "5.", "1e5", "1E400", "0x1F", "0b1", "1_000",
    "1,000",
    "9223372036854775808", "-9223372036854775809", "NaN", "nan", "Infinity", "-inf", "true",
    "FALSE",
    "null", "NULL", "nil", "undefined", "None", "(null)", "[object Object]", "2026-02-30",
    "2026-01-01T00:00:00.123456789Z", "12:30", "ffff:1", "{\"a\":1}", "[]", "AAE=", "١٢٣", "½", "Ⅻ",
  ]

  /// Texts that look like code, options, paths or commands.
  private static let syntax = [
    "'", "''", "\"", "\"\"", "`", "\\", "\\\\", "\\0", "\\u0000", "\\n", "%s%n", "%00", "$HOME",
    "${x}",
    "$(id)", "`id`", "; ls", "| cat", "&& true", "> out", "* ", "?", "~", "~root", "../..",
    "/etc/passwd",
    "C:\\nul", "CON", "-", "--", "--help", "-v", "--json", "=", "==", "a=b", "=a", "x:null",
    ":null",
    "title:", "title:oat", "OR", "AND", "NOT", "NEAR(a b)", "oat*", "*", "-oat", "\"oat", "oat\"",
    "x'; DROP TABLE notes; --", "' OR '1'='1", "\"; SELECT 1; \"", "/* x */", "-- x", "{{x}}",
    "<!-- -->",
    "<b>x</b>", "&amp;", "]]>", "{", "}", "{}", "[", ",", ";", "a,b", "a;b", "a\tb", "a\"b",
    "\"a\",\"b\"",
    "line\nbreak", "line\r\nbreak", "\n", "\r", "\t", " ", "  ", " a", "a ", "id", "rowid",
    "source",
    "sqlite_master", "_daybook_rows", "local notes", "http://x/y", "folder:", "#", "# x",
  ]

  private static let unicode = [
    "é", "e\u{301}", "ÅÅ", "A\u{30A}", "\u{212B}", "ﬁ", "ß", "ẞ", "ı", "İ", "ſ", "K", "ΑΒΓ",
    "Ωμέγα", "漢字",
    "日本語テキスト", "한국어", "\u{1112}\u{1161}\u{11AB}", "ไทย", "हिन्दी", "עברית", "العربية",
    "\u{202E}abc",
    "\u{202D}abc\u{202C}", "\u{2066}abc\u{2069}", "\u{200B}", "\u{200E}", "\u{FEFF}", "a\u{FEFF}b",
    "\u{AD}", "\u{85}", "\u{2028}", "\u{2029}", "\u{3000}", "\u{1680}", "\u{7F}", "\u{80}",
    "\u{9B}31m",
    "\u{1B}[31mred\u{1B}[0m", "\u{7}", "\u{8}", "\u{1}", "\u{1F}", "\u{E000}", "\u{E000}x\u{E001}",
    "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{1FFFF}", "\u{10FFFF}", "😀", "👨‍👩‍👧‍👦", "👩🏽‍🚀",
    "🇩🇪", "🇩",
    "🏴\u{E0067}\u{E0062}\u{E007F}", "1️⃣", "☺︎", "☺️", "𝒳𝒴𝒵", "🀄", "ᚠᛇᚻ", "ꜻ",
    "\u{301}\u{301}\u{301}",
    "a" + String(repeating: "\u{301}", count: 100), String(repeating: "👨‍👩‍👧", count: 20),
  ]

  private static let large = [
    String(repeating: "x", count: 1024), String(repeating: "é", count: 512),
    String(repeating: "wide 漢 ", count: 100), String(repeating: "\t", count: 200),
  ]
}
