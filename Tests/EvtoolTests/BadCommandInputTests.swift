import Foundation
import Testing

/// Bad input: the error names the place, the cause and the cure, and the store stays as it was.
@Suite struct BadCommandInputTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a bad line stops the import with file and line, and its batch is not stored",
    arguments: [
      (#"{"op":"insert","collection":"notes","id":"x""#, "the end of the line where , or }"),
      ("not json", "this is no JSON"), (#"{"op":"insert"}"#, "the key “collection” is missing"),
      (#"{"op":"insert","collection":"nope","id":"x"}"#, "put a define line"),
      (
        #"{"op":"insert","collection":"notes","id":"x","fields":{"nope":1}}"#,
        "has no field “nope”"
      ),
      (
        #"{"op":"insert","collection":"notes","id":"x","fields":{"count":"3"}}"#,
        "declared as integer"
      ),
      (#"{"op":"insert","collection":"notes","id":"n1"}"#, "is in notes already"),
      (#"{"op":"update","collection":"notes","id":"nobody","fields":{"count":3}}"#, "nobody"),
      (
        #"{"op":"insert","collection":"notes","id":"x","fields":{"rating":NaN}}"#,
        "NaN is no number"
      ),
      (
        #"{"op":"insert","collection":"notes","id":"x","fields":{"rating":1e999}}"#, "beyond"
      ),
      (
        #"{"op":"insert","collection":"notes","id":"x","fields":{"tags":"#
          + String(repeating: "[", count: 70) + String(repeating: "]", count: 70) + "}}",
        "nested more than 64 deep"
      ),
    ] as [(String, String)])
  func badLine(line: String, message: String) throws {
    let store = try folder.makeStore()
    let before = try Evtool.run("digest", store, "--json").output
    let good = #"{"op":"insert","collection":"notes","id":"g1","fields":{"title":"good"}}"# + "\n"
    let file = try folder.write(good + "\n" + line + "\n" + good, "bad.ndjson")
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("evtool: \(file):3: "), "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.utf8.count < 1000)
    #expect(try Evtool.run("digest", store, "--json").output == before)
  }

  @Test("an operation over 16 MiB is an error at its line")
  func tooLarge() throws {
    let store = try folder.makeStore()
    let text = String(repeating: "x", count: 17 << 20)
    let line = #"{"op":"insert","collection":"notes","id":"x","fields":{"title":"\#(text)"}}"#
    let file = try folder.write("\n" + line, "large.ndjson")
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 2)
    #expect(result.errors.contains("large.ndjson:2: "), "\(result.errors.prefix(500))")
    #expect(result.errors.contains("16 MiB"), "\(result.errors.prefix(500))")
    #expect(try Evtool.run("show", store, "notes", "x").status == 1)
  }

  @Test("bytes that are not UTF-8 are an error at their line")
  func invalidUTF8() throws {
    let store = try folder.makeStore()
    var data = Data(#"{"op":"insert","collection":"notes","id":"x","fields":{"title":""#.utf8)
    data += [0xFF, 0xFE] + Data(#""}}"#.utf8)
    let file = try folder.write(data, "latin.ndjson")
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 2)
    #expect(result.errors.contains("latin.ndjson:1: "))
    #expect(result.errors.contains("not valid UTF-8"))
  }

  @Test("batches before a bad line are stored, and --from continues behind them")
  func earlierBatches() throws {
    let store = try folder.makeStore()
    func line(_ number: Int) -> String {
      #"{"op":"insert","collection":"notes","id":"i\#(number)"}"# + "\n"
    }
    let text = (1...5).map(line).joined()
    let file = try folder.write(text + "oops\n" + line(6), "five.ndjson")
    let result = try Evtool.run("import", store, file, "--batch", "2")
    #expect(result.status == 2)
    #expect(result.errors.contains("five.ndjson:6: "))
    #expect(result.errors.contains("lines 1 to 4 are in the store"), "\(result.errors)")
    #expect(result.errors.contains("--from 5"))
    try folder.write(text + line(6), "five.ndjson")
    #expect(try Evtool.run("import", store, file, "--from", "5").status == 0)
    #expect(try Evtool.run("show", store, "notes", "i6").status == 0)
  }

  @Test("a byte order mark, CRLF line ends and blank lines are accepted")
  func tolerance() throws {
    let store = try folder.makeStore()
    let line = #"{"op":"insert","collection":"notes","id":"w1"}"#
    let file = try folder.write("\u{FEFF}\(line)\r\n\r\n\t\n", "windows.ndjson")
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("1 operation"))
  }

  @Test("a file that was imported is refused without --resume or --again")
  func twice() throws {
    let store = try folder.makeStore()
    let file = folder.path("store.ndjson")
    let second = try Evtool.run("import", store, file)
    #expect(second.status == 2)
    #expect(second.errors.contains("--resume") && second.errors.contains("--again"))
    let resumed = try Evtool.run("import", store, file, "--resume")
    #expect(resumed.status == 0)
    #expect(resumed.output.contains("nothing left"))
    let again = try Evtool.run("import", store, file, "--again")
    #expect(again.status == 2)
    #expect(again.errors.contains("is in notes already"))
  }

  @Test("usage errors end with exit code 2 and one sentence")
  func usage() throws {
    let store = try folder.makeStore()
    for (arguments, message) in [
      (["frobnicate"], "frobnicate"), (["import"], "<store>"),
      (["import", store, "x", "--batch", "0"], "--batch must be at least 1"),
      (["import", store, "x", "--format", "xml"], "csv"),
      (["import", store, folder.path("missing")], "No such file"),
      (["put", store, "notes", "n1", "title"], "title"),
      (["put", store, "notes", "n1", "count=x"], "declared as integer"),
      (["put", store, "notes", "n1", "count="], "count:null"),
      (["put", store, "nope", "n1"], "nope"), (["show", store, "nope", "x"], "no collection"),
      (["rebuild", store, "--until", "2026-01-01"], "--into"),
      (["show", store, "notes", "n1", "--at", "yesterday"], "no position"),
      (["show", store, "notes", "n1", "--at", "ffff:1"], "no origin begins with"),
      (["search", store, "\""], "evtool: "), (["graph", "path", store, "n1", "zz"], "zz"),
      (["log", store, "--id", "x"], "--collection"), (["init", store], "already"),
    ] {
      let result = try Evtool.run(arguments)
      #expect(result.status == 2, "\(arguments): \(result.errors)")
      #expect(result.errors.hasPrefix("evtool: "), "\(result.errors)")
      #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
      #expect(!result.errors.contains("Fatal error"))
    }
  }

  @Test("a folder without a usable store is refused in one sentence")
  func noStore() throws {
    let missing = try Evtool.run("status", folder.path("missing"))
    #expect(missing.status == 2)
    #expect(missing.errors.contains("there is no store at"))
    #expect(try Evtool.run("status", folder.url.path).status == 2)
    let store = try folder.makeStore()
    let identity = try String(contentsOfFile: store + "/identity", encoding: .utf8)
    try identity.replacing("1", with: "9", maxReplacements: 1).write(
      toFile: store + "/identity", atomically: true, encoding: .utf8)
    let newer = try Evtool.run("status", store)
    #expect(newer.status == 2 || newer.status == 3, "\(newer.errors)")
    #expect(newer.errors.hasPrefix("evtool: "))
  }

  @Test("a folder that cannot be written is still read", .enabled(if: getuid() != 0))
  func readOnlyFolder() throws {
    let store = try folder.makeStore()
    chmod(store, 0o555)
    defer { chmod(store, 0o755) }
    #expect(try Evtool.run("show", store, "notes", "n1").status == 0)
    let refused = try Evtool.run("put", store, "notes", "n1", "title=x")
    #expect(refused.status == 2)
    #expect(refused.errors.contains("cannot be written"))
  }

  @Test("a flipped bit in the log is damage with exit code 3")
  func damage() throws {
    let store = try folder.makeStore()
    let segments = try FileManager.default.contentsOfDirectory(atPath: store + "/log")
    let segment = try #require(segments.filter { $0 != "mark" }.sorted().first)
    let url = URL(fileURLWithPath: store + "/log/" + segment)
    var data = try Data(contentsOf: url)
    data[data.count / 2] ^= 0x10
    try data.write(to: url)
    let result = try Evtool.run("verify", store)
    #expect(result.status == 3, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("damaged"))
    #expect(try Evtool.run("put", store, "notes", "n9", "title=x").status == 3)
  }
}
