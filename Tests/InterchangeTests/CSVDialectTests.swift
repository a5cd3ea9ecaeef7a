import DaybookInterchange
import Testing

/// The delimiter that a file shows.
@Suite struct CSVDialectTests {
  private func delimiter(_ text: String, isWhole: Bool = true, quotes: Bool = true)
    -> Unicode.Scalar
  {
    CSVDialect.delimiter(in: Array(text.utf8), isWhole: isWhole, hasQuotes: quotes)
  }

  @Test(
    "the delimiter is the one that divides the rows like the header",
    arguments: [
      ("id,name\n1,Ann\n", ","), ("id;name\r\n1;Ann\r\n", ";"), ("id\tname\n1\tAnn\n", "\t"),
      ("id|name\n1|Ann\n", "|"), ("id;name;price\n1;Ann;1,5\n", ";"),
      ("\"id\";\"name\"\n\"1\";\"Ann; x\"\n", ";"), ("id;name, first;x\n1;Ann, A;2\n", ";"),
      ("id,remarks (a; b; c)\n1,x\n2,y; z\n", ","), ("\u{FEFF}id;n\n1;2\n", ";"),
      ("sep=|\nid,a\n1,2\n", "|"), ("\u{FEFF}sep=\t\r\n", "\t"), ("title\nwords; and more\n", ","),
      ("title\n", ","), ("", ","), ("a;b\nx\n", ";"), ("a,b;c;d\nx\n", ","),
    ] as [(String, Unicode.Scalar)])
  func found(text: String, expected: Unicode.Scalar) {
    #expect(delimiter(text) == expected)
  }

  @Test("the beginning of a file is enough, and a row that it cuts off does not count")
  func beginning() {
    #expect(delimiter("id;name\n1;Ann\n2;B", isWhole: false) == ";")
    #expect(delimiter("id;name\n1;Ann\n2", isWhole: false) == ";")
    #expect(delimiter("id;na", isWhole: false) == ",")
    #expect(delimiter("id;\"na\n1;2\n", quotes: false) == ";")
  }
}
