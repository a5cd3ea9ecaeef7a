import Foundation
import Testing

@testable import evtool

/// The shell on the past, from a pipe, as scripts use it.
@Suite struct ReplayTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
    try Evtool.run("update", store, "notes", "n1", "title=Soy milk", "--label", "changed")
    try Evtool.run("delete", store, "notes", "n2")
  }

  private func replay(_ script: String, _ more: String...) throws -> Evtool.Result {
    try Evtool.run(["replay", store] + more, input: script)
  }

  private func origin() throws -> String {
    let digest = try #require(try Evtool.run("digest", store, "--json").json() as? [String: Any])
    return try #require((digest["vector"] as? [String: Any])?.keys.first)
  }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  @Test("each command prints the same as evtool did when the past was the present")
  func sameAsThen() throws {
    let commands = [
      "show notes n1", "history notes n1", "search oat milk",
      "query SELECT * FROM notes ORDER BY id",
      "graph path n1 n3", "graph neighbors n2", "graph importance", "log", "digest", "export",
      "search --limit 1 'oat' --collection notes",
    ]
    let words = [
      ["show", store, "notes", "n1"], ["history", store, "notes", "n1"],
      ["search", store, "oat milk"], ["query", store, "SELECT * FROM notes ORDER BY id"],
      ["graph", "path", store, "n1", "n3"], ["graph", "neighbors", store, "n2"],
      ["graph", "importance", store], ["log", store], ["digest", store], ["export", store],
      ["search", store, "oat", "--limit", "1", "--collection", "notes"],
    ]
    let position = "\(try origin()):2"
    let result = try replay(commands.joined(separator: "\n") + "\n", "--at", position)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.isEmpty)

    // The same file is imported into a store that has no other events.
    let fresh = folder.path("fresh")
    try Evtool.run("init", fresh)
    try Evtool.run("import", fresh, folder.path("store.ndjson"))
    var expected = ""
    for command in words {
      expected += try Evtool.run(command.map { $0 == store ? fresh : $0 }).output
    }
    // The replicas, times and digests of the other store are different.
    func comparable(_ text: String) -> [String] {
      text.split(separator: "\n").map { line in
        var words = line.split(separator: " ").map(String.init)
        for index in words.indices {
          words[index].replace(/[0-9a-f]{8,64}/, with: "#")
          words[index].replace(/\d\d:\d\d:\d\d/, with: "T")
        }
        return words.joined(separator: " ")
      }
    }
    #expect(comparable(result.output).dropFirst() == comparable(expected)[...])
  }

  @Test("next, back and step move event by event, and name the events")
  func steps() throws {
    let title = "SELECT title FROM notes WHERE id = 'n1'"
    let count = "SELECT count(*) AS n FROM notes"
    let result = try replay(
      "\(title)\nnext\n\(title)\n\(count)\nnext\n\(count)\nback 2\n\(title)\n"
        + "step 2\nstep -99\nwhere",
      "--at", "\(try origin().prefix(6)):2")
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.lines.map(String.init)
    let steps = lines.filter { $0.hasPrefix("+ ") || $0.hasPrefix("- ") }
    #expect(steps.count == 1 + 1 + 2 + 2 + 4, "\(result.output)")
    #expect(steps[0].contains("update notes n1") && steps[1].contains("delete notes n2"))
    #expect(steps[2].hasPrefix("- ") && steps[2].contains("delete"))
    let shown = lines.filter { ["Oat milk", "Soy milk", "2", "3"].contains($0) }
    #expect(shown == ["Oat milk", "Soy milk", "3", "2", "Oat milk"], "\(result.output)")
    #expect(lines.last?.contains("0 events") == true)
    let beyond = try replay("next")
    #expect(beyond.status == 1)
    #expect(beyond.errors.contains("line 1: nothing comes after this"), "\(beyond.errors)")
  }

  @Test("at moves to a time, an event, a vector and now")
  func moves() throws {
    let vector = #"{"\#(try origin())":3}"#
    let result = try replay(
      "at \(vector)\nquery --json SELECT title FROM notes WHERE id = 'n1'\nat 2001-01-01\n"
        + "digest\nat now\nSELECT count(*) AS n FROM notes", "--json")
    #expect(result.status == 0, "\(result.errors)")
    let places = try objects(result.output).filter { $0["at"] != nil }
    #expect(places.map { $0["events"] as? Int } == [4, 3, 0, 4])
    #expect(result.output.contains(#"[{"title":"Soy milk"}]"#))
    #expect(result.output.contains(#"[{"n":2}]"#))
  }

  @Test("a failing line is reported with its number, and the first failure sets the exit code")
  func failures() throws {
    let script = """
      # a comment, and a blank line

      show notes nobody
      frobnicate
      show notes
      SELECT absent FROM notes
      put notes n1 title=x
      at yesterday
      search 'unclosed
      show notes n1
      """
    let result = try replay(script)
    #expect(result.status == 1)
    for words in [
      "line 3: there is no “nobody” in notes", "line 4: “frobnicate” is none of the commands",
      "line 5: ", "line 6: SQLite says: no such column: absent", "line 7: “put” is none",
      "line 8: “yesterday” is no position", "line 9: the line ends within quotes",
    ] { #expect(result.errors.contains(words), "\(words) in \(result.errors)") }
    #expect(!result.errors.contains("line 10"))
    #expect(result.output.contains("Soy milk"))
    #expect(try replay("quit\nfrobnicate").status == 0)
    #expect(try replay("show notes --help").status == 0)
    #expect(try replay("help").output.contains("next [N], back [N]"))
    let nowhere = try replay("where", "--at", "ffff:9")
    #expect(nowhere.isRefusal(2, "no origin begins with"), "\(nowhere.errors)")
  }

  @Test("a replay leaves the store as it was and TMPDIR empty, also after Ctrl-C")
  func leavesNothing() throws {
    let temporary = try TemporaryFolder()
    let before = try Evtool.run("digest", store).output
    let quiet = try Evtool.run(
      ["replay", store], input: "back\nback\nwhere", environment: ["TMPDIR": temporary.url.path])
    #expect(quiet.status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)

    // A pipe without a writer keeps the shell waiting.
    let pipe = Pipe()
    let process = Process()
    process.executableURL = Evtool.binary
    process.arguments = ["replay", store, "--at", "2999-01-01"]
    process.environment = ["TMPDIR": temporary.url.path]
    process.standardInput = pipe
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    while process.isRunning,
      try FileManager.default.subpathsOfDirectory(atPath: temporary.url.path)
        .contains(where: { $0.hasSuffix(".sqlite") }) == false
    { sched_yield() }
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
    #expect(try Evtool.run("digest", store).output == before)
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("a replay at now reads the store itself, and sees later writes")
  func now() throws {
    let temporary = try TemporaryFolder()
    let pipe = Pipe()
    let output = try folder.write("", "replay.out")
    let process = Process()
    process.executableURL = Evtool.binary
    process.arguments = ["replay", store, "--json"]
    process.environment = ["TMPDIR": temporary.url.path]
    process.standardInput = pipe
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    try process.run()
    func ask(_ line: String, _ answers: Int) throws -> String {
      try pipe.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
      while process.isRunning {
        let lines = try folder.read("replay.out").split(separator: "\n")
        if lines.count == answers { return String(lines[answers - 1]) }
        sched_yield()
      }
      return ""
    }
    let count = "SELECT count(*) AS n FROM notes"
    #expect(try ask(count, 2) == #"[{"n":2}]"#)
    let made = try FileManager.default.subpathsOfDirectory(atPath: temporary.url.path)
    #expect(!made.contains { $0.hasSuffix(".sqlite") }, "\(made)")
    #expect(try Evtool.run("put", store, "notes", "later", "title=Later").status == 0)
    #expect(try ask(count, 3) == #"[{"n":3}]"#)
    #expect(try ask("where", 4).contains(#""at":"now","events":5"#))
    // A step starts from the present.
    #expect(try ask("back", 5).contains(#""events":4"#))
    #expect(try ask(count, 6) == #"[{"n":2}]"#)
    #expect(try ask("at now", 7).contains(#""events":5"#))
    try pipe.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
    let refused = try replay("put notes n1 title=x")
    #expect(refused.status == 2)
  }

  @Test("lines are split as in a shell, except SQL and search words")
  func lines() throws {
    func command(_ words: [String], _ index: Int = 1) -> ReplayLine {
      .command(words, storeAt: index)
    }
    let cases: [(String, ReplayLine)] = [
      ("", .nothing), ("   ", .nothing), ("# x", .nothing), ("quit", .quit), ("?", .help),
      ("next", .step(1)), ("next 3", .step(3)), ("back 2", .step(-2)), ("step -7", .step(-7)),
      ("at 2026-11-20 10:00", .move("2026-11-20 10:00")), (#"at {"ab":1}"#, .move(#"{"ab":1}"#)),
      ("  SELECT 1", command(["query", "--", "SELECT 1"])),
      ("values(1)", command(["query", "--", "values(1)"])),
      ("query --csv SELECT 'a  b'", command(["query", "--csv", "--", "SELECT 'a  b'"])),
      ("query 'SELECT 1'", command(["query", "--", "SELECT 1"])),
      ("show notes 'a b'", command(["show", "notes", "a b"])),
      (#"show notes a\ b"#, command(["show", "notes", "a b"])),
      (#"search "large cat" lion"#, command(["search", "--", "large cat lion"])),
      ("search oat --limit 3 milk", command(["search", "--limit", "3", "--", "oat milk"])),
      ("graph path a b", command(["graph", "path", "a", "b"], 2)),
    ]
    for (text, expected) in cases { #expect(try ReplayLine(text) == expected, "\(text)") }
    for text in ["next 0", "back x", "back -1", "at", "show 'x", "step 1.5", "-- x", "rebuild"] {
      #expect(throws: Failure.self, "\(text)") { try ReplayLine(text) }
    }
  }
}
