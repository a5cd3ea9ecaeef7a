import Foundation
import Testing

/// Imports of tables (CSV, TSV) by the real command.
@Suite struct TableImportTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("store")
    try Evtool.run("init", store)
  }

  private func exported() throws -> String { try Evtool.run("export", store).output }

  @Test("a table becomes a collection, and the plan is shown first")
  func books() throws {
    let text =
      "isbn,Title,Price (€),in print,added\r\n"
      + "978-0,\"Oat, \"\"dark\"\"\",4.5,TRUE,2026-01-31\r\n"
      + "978-1,\"two\nlines\",3,,2026-02-01T08:30:00Z\r\n978-2,\"\",,false,"
    let file = try folder.write(text, "My books.csv")
    let result = try Evtool.run("import", store, file, "--id", "isbn")
    #expect(result.status == 0, "\(result.errors)")
    for line in [
      "3 rows into the collection My_books, ids from the column “isbn”",
      "Title     text       searchable", "Price     real       from “Price (€)”, 1 empty",
      "added     timestamp  1 empty",
    ] { #expect(result.errors.contains(line), "\(result.errors)") }
    #expect(
      try exported() == """
        {"op":"define","collection":"My_books","fields":[{"name":"Title","type":"text",\
        "search":true},{"name":"Price","type":"real"},{"name":"in_print","type":"boolean"},\
        {"name":"added","type":"timestamp"}]}
        {"op":"insert","collection":"My_books","id":"978-0","fields":{"Title":"Oat, \\"dark\\"",\
        "Price":4.5,"in_print":true,"added":"2026-01-31T00:00:00.000Z"}}
        {"op":"insert","collection":"My_books","id":"978-1","fields":{"Title":"two\\nlines",\
        "Price":3.0,"added":"2026-02-01T08:30:00.000Z"}}
        {"op":"insert","collection":"My_books","id":"978-2","fields":{"Title":"","in_print":false}}

        """)
  }

  @Test("types, collection, delimiter and quotes are options, and --dry-run writes nothing")
  func options() throws {
    let file = try folder.write("a;b\n1;5\" pipe\n2;\"x\n", "t.csv")
    let arguments = [
      "import", store, file, "--delimiter", ";", "--no-quotes", "--collection", "pipes", "--type",
      "a=text", "--json",
    ]
    let before = try Evtool.run("digest", store).output
    let dry = try Evtool.run(arguments + ["--dry-run"])
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(try Evtool.run("digest", store).output == before)
    let plan = try #require(try dry.json() as? [String: Any])
    let collection = try #require((plan["collections"] as? [[String: Any]])?.first)
    #expect(collection["collection"] as? String == "pipes")
    #expect(collection["rows"] as? Int == 2)
    let columns = try #require(collection["columns"] as? [[String: Any]])
    #expect(columns.map { $0["type"] as? String } == ["text", "text"])
    #expect(try Evtool.run(arguments).status == 0)
    #expect(try exported().contains(##""fields":{"a":"2","b":"\"x"}"##))
  }

  @Test("TSV files are recognised by their ending, and can be relationships")
  func relationships() throws {
    let notes = try folder.write("id\ttitle\nn1\tOat\nn2\tMilk\n", "notes.tsv")
    let links = try folder.write("source\ttarget\tweight\nn1\tn2\t1.5\n", "links.tsv")
    #expect(try Evtool.run("import", store, notes).status == 0)
    let result = try Evtool.run("import", store, links, "--relationship")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Evtool.run("graph", "path", store, "n1", "n2").output.contains("Oat → Milk"))
  }

  @Test("rows without ids get the same ids whenever the same file is imported")
  func generatedIDs() throws {
    let file = try folder.write("a\n1\n1\n", "t.csv")
    let other = folder.path("other")
    try Evtool.run("init", other)
    for store in [store, other] { #expect(try Evtool.run("import", store, file).status == 0) }
    let first = try exported()
    #expect(first.split(separator: "\n").count == 3)
    #expect(try Evtool.run("export", other).output == first)
    let again = try Evtool.run("import", store, file, "--again")
    #expect(again.status == 2)
    #expect(again.errors.contains("t.csv:2: ") && again.errors.contains("is in t already"))
    #expect(try Evtool.run("import", store, file, "--again", "--put").status == 0)
    #expect(try exported() == first)
    try folder.write("a\n1\n1\n2\n", "t.csv")
    #expect(try Evtool.run("import", store, file).status == 0)
    #expect(try exported().split(separator: "\n").count == 6)
  }

  @Test("--put with an id column writes only the changes of an edited file")
  func put() throws {
    let file = try folder.write("id,n\na,1\nb,2\n", "t.csv")
    #expect(try Evtool.run("import", store, file).status == 0)
    try folder.write("id,n\na,1\nb,3\nc,4\n", "t.csv")
    let refused = try Evtool.run("import", store, file)
    #expect(refused.status == 2)
    #expect(refused.errors.contains("t.csv:2: "))
    #expect(try Evtool.run("import", store, file, "--put").status == 0)
    let last = try Evtool.run("log", store, "--newest", "--limit", "1").output
    #expect(last.contains("update t") && last.contains("insert t"), "\(last)")
    #expect(!last.contains("2 ×"), "\(last)")
  }

  @Test(
    "a wrong row is an error with file and line, and no row is stored",
    arguments: [
      ("a,b\n1,2\n3\n", 3, "the row has 1 cell, and the header has 2"),
      ("a,b\n1,2,3\n", 2, "the row has 3 cells"), ("a,b\n1,\"x\n", 2, "never closed"),
      ("a,b\n1,\"x\"y\n", 2, "behind the closing quote"), ("a,b\n\n1,x\0\n", 3, "NUL"),
      ("id,b\nx,1\n,2\n", 3, "the id in the column “id” is missing"),
      ("id,b\nx,1\ny,2\nx,3\n", 4, "is in t already"),
    ])
  func wrongRow(text: String, line: Int, message: String) throws {
    let before = try Evtool.run("digest", store).output
    let file = try folder.write(text, "t.csv")
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 2)
    #expect(result.errors.contains("evtool: \(file):\(line): "), "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.contains("no line is in the store"), "\(result.errors)")
    #expect(try Evtool.run("digest", store).output == before)
  }

  @Test("options that do not fit are refused in one sentence")
  func refused() throws {
    let csv = try folder.write("a\n1\n", "t.csv")
    let latin = try folder.write(Data([0x61, 0x0A, 0xE4, 0x0A]), "latin.csv")
    let lines = try folder.write("", "t.ndjson")
    let empty = try folder.write("", "empty.csv")
    for (arguments, message) in [
      ([lines, "--id", "a"], "--id is for csv and tsv"),
      ([csv, "--id", "b"], "no column “b”; it has “a”"),
      ([csv, "--type", "b=real"], "no column “b”"), ([csv, "--type", "a=number"], "a=number"),
      ([csv, "--type", "a=blob"], "t.csv:2: "), ([csv, "--collection", "1x"], "is no name"),
      ([csv, "--delimiter", ";;"], "delimiter"), ([latin], "latin.csv:2: "),
      ([empty], "is empty"),
      (["-", "--format", "csv", "--collection", "x"], "is empty"),
    ] {
      let result = try Evtool.run(["import", store] + arguments)
      #expect(result.status == 2, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
      #expect(!result.errors.contains("Fatal error"))
    }
  }

  @Test("numbers keep their digits: those that no type has exactly stay texts, which the plan says")
  func digits() throws {
    let file = try folder.write(
      "id,version,long,tiny,price\n1,1.1,12345678901234567.89,1e-400,1.5\n2,1.10,0.5,1.5,2\n",
      "t.csv")
    let result = try Evtool.run("import", store, file)
    #expect(result.errors.contains("a real would change “1.10” (--type version=real)"))
    let row =
      #""fields":{"version":"1.1","long":"12345678901234567.89","tiny":"1e-400","price":1.5}"#
    let shown = try exported()
    #expect(shown.contains(row), "\(shown)")
    let lines = try folder.write(
      #"""
      {"op":"define","collection":"n","fields":[{"name":"v","type":"real"}]}
      {"op":"insert","collection":"n","id":"1","fields":{"v":0e-400}}
      {"op":"insert","collection":"n","id":"2","fields":{"v":1e-400}}

      """#, "n.ndjson")
    #expect(try Evtool.run("import", store, lines).isRefusal(2, "n.ndjson:3", "nearer to 0"))
  }

  @Test("the delimiter is found in the file, which the plan says")
  func delimiters() throws {
    for (name, text) in [
      ("sep", "sep=;\r\nid;name;price\r\n1;Ann;1,5\r\n"),
      ("semicolon", "id;name;price\r\n1;Ann;1,5\r\n"), ("bar", "id|name|price\n1|Ann|1,5\n"),
    ] {
      for options in [[], ["--decimal-comma"]] {
        let collection = options.isEmpty ? name : "\(name)_comma"
        let file = try folder.write(text, "\(name).csv")
        let result = try Evtool.run(
          ["import", store, file, "--collection", collection] + options)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("as the file shows; if not, say --delimiter ','"))
        #expect(result.errors.contains("numbers with --decimal-comma") == options.isEmpty)
        let shown = try Evtool.run("show", store, collection, "1", "--json").output
        #expect(shown.contains(options.isEmpty ? #""1,5""# : "1.5"), "\(shown)")
      }
    }
    let ragged = try folder.write("a;b\nx\n", "ragged.csv")
    let refused = try Evtool.run("import", store, ragged)
    #expect(refused.isRefusal(2, "ragged.csv:2", "--delimiter ','"), "\(refused.errors)")
    #expect(try Evtool.run("import", store, ragged, "--delimiter", ",").status == 0)
    let named = try folder.write("sep=;\nid;b\n1;2\n", "named.csv")
    #expect(try Evtool.run("import", store, named, "--delimiter", ";").status == 0)
    #expect(try Evtool.run("show", store, "named", "1").status == 0)
  }

  @Test("UTF-16 is named as such in any format, with the command that converts it")
  func utf16() throws {
    let text = try #require("id;name\n1;Ann\n".data(using: .utf16LittleEndian))
    for name in ["t.csv", "t.tsv", "t.ndjson", "t.txt"] {
      for bytes in [text, Data([0xFF, 0xFE]) + text] {
        let result = try Evtool.run("import", store, try folder.write(bytes, name))
        #expect(result.isRefusal(2, "is UTF-16", "iconv -f UTF-16"), "\(result.errors)")
      }
    }
  }

  @Test("a table that was read wrongly can be imported again, in another way")
  func secondTry() throws {
    let file = try folder.write("id;price\n1;1,5\n", "t.csv")
    #expect(try Evtool.run("import", store, file, "--delimiter", "|").status == 0)
    let same = try Evtool.run("import", store, file, "--delimiter", "|")
    #expect(same.isRefusal(2, "imported before", "--again"), "\(same.errors)")
    let second = try Evtool.run("import", store, file, "--decimal-comma")
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.errors.contains("read in another way"), "\(second.errors)")
    #expect(try Evtool.run("import", store, file, "--collection", "other").status == 0)
    let shown = try Evtool.run("show", store, "t", "1", "--json").output
    #expect(shown.contains("1.5"), "\(shown)")
    let resumed = try Evtool.run("import", store, file, "--decimal-comma", "--resume")
    #expect(resumed.output.contains("nothing left"), "\(resumed.output)")
  }

  @Test("an import of a table that is killed or interrupted leaves whole events and can resume")
  func resume() throws {
    var text = "title,n\n"
    for number in 1...3000 { text += "\"row\n\(number)\",\(number)\n" }
    let file = try folder.write(text, "rows.csv")
    #expect(try Evtool.run("import", store, file, "--batch", "5").status == 0)
    let expected = try exported()
    for signal in [SIGKILL, SIGINT] {
      let other = folder.path("stopped-\(signal)")
      try Evtool.run("init", other)
      let running = try RunningEvtool(["import", other, file, "--batch", "5"])
      running.waitForMarks(3, in: other)
      kill(running.process.processIdentifier, signal)
      let stopped = try running.wait()
      if signal == SIGINT {
        #expect(stopped.status == 130, "\(stopped.errors)")
        #expect(stopped.errors.contains("interrupted; lines 1 to"), "\(stopped.errors)")
      }
      let inserts = try Evtool.run("export", other).lines.count { $0.contains("insert") }
      #expect((inserts + 1).isMultiple(of: 5) && inserts < 3000, "\(inserts)")
      let resumed = try Evtool.run("import", other, file, "--resume", "--batch", "5")
      #expect(resumed.status == 0, "\(resumed.errors)")
      #expect(try Evtool.run("export", other).output == expected)
      #expect(try Evtool.run("verify", other).status == 0)
      let nothing = try Evtool.run("import", other, file, "--resume")
      #expect(nothing.output.contains("nothing left"), "\(nothing.output)")
    }
  }
}
