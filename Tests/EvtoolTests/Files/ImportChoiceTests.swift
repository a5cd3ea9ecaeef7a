import Foundation
import GRDB
import Testing

/// Options and reports of imports: searchable fields, tables that are left out, dry runs and
/// arrays.
@Suite struct ImportChoiceTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("store")
    try Evtool.run("init", store)
  }

  private func database(_ sql: String) throws -> String {
    let queue = try DatabaseQueue(path: folder.path("library.db"))
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
    return folder.path("library.db")
  }

  private static let library = """
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, code TEXT, \
    author INTEGER REFERENCES authors);
    CREATE VIRTUAL TABLE words USING fts5 (word);
    INSERT INTO authors VALUES (1, 'Ann Oat'), (2, 'Bob');
    INSERT INTO books VALUES (1, 'The sea', 'a1', 1), (2, 'Milk', 'b2', 2), \
    (3, 'Rye bread', NULL, 1);
    INSERT INTO words VALUES ('oat'), ('milk');
    """

  private func hits(_ query: String) throws -> Int {
    let json = try Evtool.run("search", store, query, "--json").output
    return try (JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any])?.count ?? -1
  }

  // MARK: - Searchable fields

  @Test("texts with several words are searchable, else the first text, and references never")
  func searchableByDefault() throws {
    let csv = try folder.write("id,code,name,size\n1,x-1,two words,5\n2,x-2,one,6\n", "things.csv")
    let result = try Evtool.run("import", store, csv)
    #expect(result.errors.contains("name  text       searchable"), "\(result.errors)")
    #expect(try hits("words") == 1)
    #expect(try hits("\"x-1\"") == 0)
    let codes = try folder.write("id,code\n1,abc\n2,def\n", "codes.csv")
    #expect(try Evtool.run("import", store, codes).status == 0)
    #expect(try hits("abc") == 1)
    let file = try database(Self.library)
    #expect(try Evtool.run("import", store, file).status == 0)
    #expect(try hits("sea") == 1)
    #expect(try hits("oat") == 1)
    #expect(try hits("a1") == 0)
  }

  @Test("--search names the searchable fields, and --no-search leaves none")
  func searchableByChoice() throws {
    let file = try database(Self.library)
    #expect(try Evtool.run("import", store, file, "--search", "books.code,name").status == 0)
    #expect(try hits("a1") == 1)
    #expect(try hits("bob") == 1)
    #expect(try hits("sea") == 0)
    let other = folder.path("other")
    try Evtool.run("init", other)
    let none = try Evtool.run("import", other, file, "--no-search")
    #expect(none.status == 0)
    #expect(none.errors.contains("no field is searchable"), "\(none.errors)")
    for (option, words) in [
      (["--search", "books.titel"], "Did you mean “title”?"),
      (["--search", "x", "--no-search"], "exclude one another"),
    ] {
      let result = try Evtool.run(["import", other, file, "--again"] + option)
      #expect(result.status == 2 && result.errors.contains(words), "\(result.errors)")
    }
  }

  @Test("a search without searchable fields is refused with a line that cures it")
  func nothingSearchable() throws {
    let line = #"{"op":"define","collection":"notes","fields":[{"name":"title","type":"text"}]}"#
    let insert = #"{"op":"insert","collection":"notes","id":"n","fields":{"title":"oat milk"}}"#
    let file = try folder.write("\(line)\n\(insert)\n", "notes.ndjson")
    let imported = try Evtool.run("import", store, file)
    #expect(imported.status == 0 && imported.errors.contains("no field is searchable"))
    let result = try Evtool.run("search", store, "oat")
    #expect(result.isRefusal(2, "no field is searchable"), "\(result.errors)")
    let cure = try #require(result.errors.firstRange(of: #/\{"op".*\}/#))
    let define = try folder.write(String(result.errors[cure]), "define.ndjson")
    #expect(try Evtool.run("import", store, define).status == 0)
    #expect(try hits("oat") == 1)
    #expect(
      try Evtool.run("import", store, file, "--search", "title", "--again")
        .isRefusal(2, "--search is for csv, tsv and sqlite"))
  }

  // MARK: - Tables

  @Test("tables that are left out are named with their rows, and can be chosen")
  func leftOut() throws {
    let file = try database(Self.library)
    let except = try Evtool.run("import", store, file, "--except", "authors")
    #expect(except.status == 0, "\(except.errors)")
    #expect(
      except.errors.contains("left out: authors with 2 rows, as was asked"), "\(except.errors)")
    #expect(except.errors.contains("left out: words, a virtual table with 2 rows"))
    #expect(except.errors.contains("leads to authors, which is left out"))
    #expect(except.output.contains("left out: authors, words, 4 rows"), "\(except.output)")
    // A reference to a table that was left out stays a plain value.
    #expect(
      try Evtool.run("export", store).output.contains(#""title":"Milk","code":"b2","author":2"#))
    let only = try Evtool.run("import", store, file, "--only", "authors", "--again", "--json")
    let report = try #require(try only.json() as? [String: Any])
    let left = try #require(report["leftOut"] as? [[String: Any]])
    #expect(left.contains { $0["table"] as? String == "books" && $0["rows"] as? Int == 3 })
    #expect((report["collections"] as? [Any])?.count == 1)
    for (arguments, words) in [
      (["--only", "book"], "Did you mean “books”?"),
      (["--except", "nowhere"], "There are: authors"),
      (["--only", "a", "--except", "b"], "exclude one another"),
    ] {
      let result = try Evtool.run(["import", store, file, "--again"] + arguments)
      #expect(result.status == 2 && result.errors.contains(words), "\(result.errors)")
    }
    let csv = try folder.write("a\n1\n", "t.csv")
    #expect(
      try Evtool.run("import", store, csv, "--only", "x").isRefusal(2, "--only is for sqlite"))
  }

  // MARK: - Trials

  @Test(
    "--dry-run gives the errors of an import, and writes nothing",
    arguments: [
      // The lines are no JSON, have an unknown field, or have a value of another type.
      [#"{"op":"insert""#], [#"{"op":"insert","collection":"notes","id":"x","fields":{"nope":1}}"#],
      [#"{"op":"insert","collection":"notes","id":"x","fields":{"size":"many"}}"#],
      // The id is in the store already, or in an earlier line.
      [#"{"op":"insert","collection":"notes","id":"n1","fields":{}}"#],
      [
        #"{"op":"insert","collection":"notes","id":"x","fields":{}}"#,
        #"{"op":"insert","collection":"notes","id":"x","fields":{}}"#,
      ],
      // The entity is missing, a unique value repeats, or a tree gets a circle.
      [#"{"op":"update","collection":"notes","id":"nobody","fields":{"size":1}}"#],
      [#"{"op":"insert","collection":"notes","id":"x","fields":{"code":"c1"}}"#],
      [
        #"{"op":"insert","collection":"notes","id":"x","fields":{"parent":"n1"}}"#,
        #"{"op":"update","collection":"notes","id":"n1","fields":{"parent":"x"}}"#,
      ],
      // The definition contradicts the store's.
      [#"{"op":"define","collection":"notes","fields":[{"name":"size","type":"text"}]}"#],
    ])
  func trial(lines: [String]) throws {
    let start = try folder.write(
      #"{"op":"define","collection":"notes","fields":[{"name":"size","type":"integer"},"#
        + #"{"name":"code","type":"text","unique":true},"#
        + #"{"name":"parent","type":"text","references":"notes","tree":true}]}"# + "\n"
        + #"{"op":"insert","collection":"notes","id":"n1","fields":{"code":"c1"}}"#, "start.ndjson")
    #expect(try Evtool.run("import", store, start).status == 0)
    let before = try Evtool.run("digest", store).output
    let file = try folder.write(lines.joined(separator: "\n"), "file.ndjson")
    // Each event has one operation, and each operation has to see the effect of the earlier ones.
    let dry = try Evtool.run("import", store, file, "--dry-run", "--batch", "1")
    #expect(dry.status == 2 && dry.output.isEmpty, "\(dry.output)")
    #expect(try Evtool.run("digest", store).output == before)
    #expect(try Evtool.run("verify", store).status == 0)
    let real = try Evtool.run("import", store, file, "--batch", "1")
    #expect(real.status == 2)
    #expect(dry.errors.split(separator: "\n")[0] == real.errors.split(separator: "\n")[0])
  }

  @Test("--dry-run tries all files together, reports the counts of the import, and writes nothing")
  func trialOfMany() throws {
    let define = try folder.write(
      #"{"op":"define","collection":"notes","fields":["#
        + #"{"name":"title","type":"text","search":true}]}"#,
      "define.ndjson")
    var text = ""
    for number in 0..<2500 {
      text +=
        #"{"op":"insert","collection":"notes","id":"n\#(number)","fields":{"title":"a b"}}"# + "\n"
    }
    let inserts = try folder.write(text, "inserts.ndjson")
    let csv = try folder.write("id,title\nn0,changed\nz,new\n", "notes.csv")
    let arguments = ["import", store, define, inserts, csv, "--put", "--json"]
    // --put is for tables only.
    #expect(try Evtool.run(arguments + ["--dry-run"]).status == 2)
    let files = ["import", store, define, inserts]
    let dry = try Evtool.run(files + ["--dry-run", "--json"])
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(try Evtool.run("log", store).output.isEmpty)
    let real = try Evtool.run(files + ["--json"])
    func figures(_ text: String) throws -> [[Int?]] {
      try text.split(separator: "\n").map {
        let report = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        return ["operations", "events", "lastLine"].map { report?[$0] as? Int }
      }
    }
    #expect(try figures(dry.output) == figures(real.output))
    #expect(try figures(real.output) == [[1, 1, 1], [2500, 3, 2500]])
  }

  // MARK: - Forms

  @Test("arrays and pretty-printed objects are read like lines")
  func arrays() throws {
    let lines = [
      #"{"op":"define","collection":"notes","fields":["#
        + #"{"name":"title","type":"text","search":true}]}"#,
      #"{"op":"insert","collection":"notes","id":"a","fields":{"title":"[{\"},]"}}"#,
      #"{"op":"insert","collection":"notes","id":"b","fields":{"title":"\\"}}"#,
    ]
    let objects = [
      lines[0].replacing(":[", with: " : [\n "), "{\n" + lines[1].dropFirst(), lines[2],
    ]
    let minified = lines.joined(separator: ",")
    let spread = lines.joined(separator: "\n,\n")
    let pretty = objects.joined(separator: "\r\n\r\n").dropFirst()
    let forms: [String] = [
      lines.joined(separator: "\n"), "[\(minified)]", "\u{FEFF} [\n\(spread)\n]\n",
      "{\n\(pretty)\n",
    ]
    var exports: Set<String> = []
    for (number, form) in forms.enumerated() {
      let other = folder.path("form\(number)")
      try Evtool.run("init", other)
      let file = try folder.write(form, "form\(number).json")
      let result = try Evtool.run("import", other, file, "--batch", "1")
      #expect(result.status == 0, "\(number): \(result.errors)")
      exports.insert(try Evtool.run("export", other).output)
    }
    #expect(exports.count == 1, "\(exports)")
  }

  @Test(
    "an error in an array names its element and line",
    arguments: [
      ("[", "does not end"), (#"[{"op":"delete","collection":"c","id":"x"}"#, "does not end"),
      ("[{}]", "json:1: element 1: "),
      ("[1]", "element 1"),
      ("[\n\n{\"op\":\"x\"}]", "json:3: element 1: there is no operation “x”"),
      ("[{\"op\":\"x", "does not end"), ("[] x", "behind the end of the array"),
      ("[,]", "element 1"), ("[{\"op\":\"drop\",\"collection\":\"c\"} {}]", "element 1"),
    ])
  func badArrays(text: String, words: String) throws {
    let file = try folder.write(text, "file.json")
    let result = try Evtool.run("import", store, file)
    #expect(result.isRefusal(2, words), "\(result.errors)")
    #expect(try Evtool.run("log", store).output.isEmpty)
  }

  @Test("an empty array imports nothing, and --from and --resume count elements")
  func elements() throws {
    let empty = try folder.write(" [ ] ", "empty.json")
    #expect(try Evtool.run("import", store, empty).output.contains("nothing to import"))
    let define = #"{"op":"define","collection":"notes","fields":[]}"#
    func insert(_ id: String) -> String { #"{"op":"insert","collection":"notes","id":"\#(id)"}"# }
    let bad = "[\(define),\(insert("a")),\(insert("a"))]"
    let file = try folder.write(bad, "file.json")
    let result = try Evtool.run("import", store, file, "--batch", "1")
    #expect(result.errors.contains("elements 1 to 2 are in the store"), "\(result.errors)")
    #expect(result.errors.contains("--from 3"))
    try folder.write("[\(define),\(insert("a")),\(insert("b"))]", "file.json")
    #expect(try Evtool.run("import", store, file, "--from", "3").status == 0)
    #expect(try Evtool.run("show", store, "notes", "b").status == 0)
  }

  @Test("timestamps finer than a millisecond are cut, and reported once with their count")
  func finerTimestamps() throws {
    let fields = #"[{"name":"at","type":"timestamp"},{"name":"note","type":"text"}]"#
    var lines = [#"{"op":"define","collection":"t","fields":\#(fields)}"#]
    let times = [
      "2026-01-01T00:00:00.123456Z", "2026-01-01 00:00:00.1230001", "2026-01-01T00:00:00.123Z",
      "2026-01-01T00:00:00.123000Z", "2026-01-01",
    ]
    for (number, time) in times.enumerated() {
      lines.append(
        #"{"op":"insert","collection":"t","id":"\#(number)","#
          + #""fields":{"at":"\#(time)","note":"\#(time)"}}"#
      )
    }
    let file = try folder.write(lines.joined(separator: "\n"), "t.ndjson")
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 0)
    #expect(
      result.errors.contains("2 timestamps are finer than a millisecond"), "\(result.errors)")
    #expect(try Evtool.run("export", store).output.contains(#""at":"2026-01-01T00:00:00.123Z""#))
    let csv = try folder.write("id,at\n9,2026-01-01T00:00:00.123456Z\n", "t.csv")
    let table = try Evtool.run("import", store, csv, "--json")
    #expect(table.errors.contains("1 timestamp is finer"), "\(table.errors)")
    #expect((try table.json() as? [String: Any])?["finerTimestamps"] as? Int == 1)
    let quiet = try folder.write("id,at\n10,2026-01-01T00:00:00.123Z\n", "q.csv")
    let fine = try Evtool.run("import", store, quiet, "--collection", "t")
    #expect(!fine.errors.contains("finer"), "\(fine.errors)")
    let put = try Evtool.run("put", store, "t", "p", "at=2026-01-01T00:00:00.5555Z")
    #expect(put.status == 0 && put.errors.contains("is finer than a millisecond"), "\(put.errors)")
  }
}
