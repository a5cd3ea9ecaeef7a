import Foundation
import Testing

@testable import evtool

/// The layout of output: in pipes, on terminals, and with large results.
@Suite struct OutputTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  private static func numbers(_ count: Int, _ cell: String) -> String {
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < \(count)) "
      + "SELECT n, \(cell) AS cell, 'end' AS last FROM t"
  }

  @Test("the first rows set the columns, and a longer later cell moves its own row only")
  func layout() throws {
    let sql = Self.numbers(3000, "iif(n % 1000 = 0, printf('%0200d', n), 'x' || (n % 10))")
    let lines = try Evtool.run("query", store, sql).lines
    #expect(lines.count == 3001)
    #expect(lines[0] == "  n  cell  last" && lines[1] == "  1  x1    end")
    #expect(lines[500] == "500  x0    end" && lines[501] == "501  x1    end")
    #expect(lines[2999] == "2999  x9    end")
    #expect(lines[1000] == "1000  \(String(repeating: "0", count: 196))1000  end")
  }

  @Test("query takes one statement, whatever stands before and behind it")
  func statements() throws {
    for sql in ["SELECT 1; SELECT 2", "SELECT 1;; VALUES (2)", "SELECT 1; DELETE FROM notes"] {
      #expect(try Evtool.run("query", store, sql).isRefusal(2, "one statement"))
    }
    for sql in ["SELECT 1;", " SELECT 1 ; -- end", "/* SELECT 2; */ SELECT 1 ;\n"] {
      #expect(try Evtool.run("query", store, sql, "--json").output.contains("1"), "\(sql)")
    }
    let count = try Evtool.run("query", store, "SELECT count(*) AS n FROM notes", "--json")
    #expect(count.status == 0 && !count.output.contains(#""n":0"#))
  }

  @Test("a column of numbers is right-aligned, and a later text does no harm")
  func alignment() throws {
    let sql = Self.numbers(600, "iif(n = 600, 'text', n * 100)")
    let lines = try Evtool.run("query", store, sql).lines
    #expect(lines[1] == "  1    100  end" && lines[500] == "500  50000  end")
    #expect(lines[600] == "600   text  end")
    #expect(try Evtool.run("query", store, "SELECT 1 AS n WHERE 0").output == "n\n")
  }

  @Test("one wide cell among the first rows widens no other row")
  func padding() throws {
    let sql = Self.numbers(10, "iif(n = 5, printf('%05000d', n), n)")
    let lines = try Evtool.run("query", store, sql).lines
    #expect(lines[5].utf8.count > 5000)
    #expect(lines.enumerated().allSatisfy { $0.offset == 5 || $0.element.utf8.count < 100 })
  }

  @Test("long titles, labels and values are cut in lists, and whole in show")
  func long() throws {
    let title = "oat " + String(repeating: "long ", count: 2_000_000)
    let token = String(repeating: "y", count: 3_000_000)
    let file = try folder.write(
      #"{"op":"insert","collection":"notes","id":"big","fields":{"title":"\#(title)"}}"# + "\n"
        + #"{"op":"insert","collection":"notes","id":"token","#
        + #""fields":{"title":"oat \#(token) milk"}}"#,
      "big.ndjson")
    #expect(try Evtool.run("import", store, file).status == 0)
    for query in ["oat", "milk"] {
      let result = try Evtool.run("search", store, query)
      #expect(result.status == 0)
      #expect(result.output.utf8.count < 3000, "\(result.output.utf8.count)")
      #expect(result.lines.allSatisfy { $0.utf8.count < 800 })
      let open = result.output.count { $0 == "[" }
      #expect(open == result.output.count { $0 == "]" } && open > 0)
    }
    let diff = try Evtool.run("diff", store, "2001-01-01", "--collection", "notes")
    #expect(diff.lines.allSatisfy { $0.utf8.count < 200 })
    #expect(try Evtool.run("show", store, "notes", "big").output.utf8.count > 10_000_000)
  }

  @Test(
    "a terminal gets colours and cut lines, but NO_COLOR and TERM=dumb no colours",
    .enabled(if: PseudoTerminal.isSupported))
  func terminals() throws {
    let sql = "SELECT 'a' AS a, printf('%0200d', 1) AS wide"
    let styled = try PseudoTerminal().run(["query", store, sql])
    #expect(styled.contains("\u{1B}[1m"), "\(styled)")
    let rows = styled.split(whereSeparator: \.isNewline)
    #expect(rows[1].count == 60 && rows[1].hasSuffix("…"), "\(rows)")
    for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      let plain = try PseudoTerminal().run(["query", store, sql], environment)
      #expect(!plain.contains("\u{1B}") && plain.contains("wide"), "\(plain)")
    }
    // An empty value has no effect (no-color.org).
    #expect(try PseudoTerminal().run(["query", store, sql], ["NO_COLOR": ""]).contains("\u{1B}["))
  }

  @Test("digests are labelled as digests")
  func labels() throws {
    let digest = try Evtool.run("digest", store).output
    #expect(digest.hasPrefix("digest "), "\(digest)")
    let rebuilt = try Evtool.run("rebuild", store)
    #expect(
      rebuilt.lines[0].hasPrefix("rebuilt the read model") && rebuilt.lines[1].hasPrefix("digest "))
  }

  @Test("a combining scalar takes no column, and a wide character takes two")
  func widths() {
    #expect(Text.width("abc") == 3 && Text.width("漢字") == 4 && Text.width("e\u{301}") == 1)
    #expect(Text.cut("abcdef", 4) == "abc…" && Text.cut("abcd", 4) == "abcd")
    #expect(Text.cut("漢字漢字", 5) == "漢字…" && Text.cut("", 0) == "")
    #expect(Text.brief(String(repeating: "x", count: 1 << 20), 5) == "xxxx…")
    let zalgo = "a" + String(repeating: "\u{301}", count: 1 << 20)
    #expect(Text.brief(zalgo, 10).utf8.count < 1000)
  }
}
