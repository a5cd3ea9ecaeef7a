import Foundation
import Testing

@testable import evtool

/// `evtool gql` on a terminal.
@Suite struct GQLShellTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Whether the system has the library that edits lines; `Tools/test` installs it.
  private static var hasLibrary: Bool {
    ["libedit.so.2", "libedit.so.0", "libedit.3.dylib"].contains { name in
      guard let handle = dlopen(name, RTLD_NOW) else { return false }
      return dlclose(handle) == 0
    }
  }

  @Test("lines become statements at their semicolons, and commands at their colons")
  func lines() throws {
    var input = GQLShellInput()
    #expect(try input.take("  ") == [] && !input.isWithinStatement)
    #expect(try input.take("MATCH (n)") == [] && input.isWithinStatement)
    // A semicolon within a text ends nothing, and a colon is no command within a statement.
    #expect(try input.take(":A WHERE n.x = 'a; b") == [])
    #expect(
      try input.take("c' RETURN n; RETURN 1 AS x")
        == [.statement("MATCH (n)\n:A WHERE n.x = 'a; b\nc' RETURN n")])
    #expect(try input.take(";") == [.statement(" RETURN 1 AS x\n")] && !input.isWithinStatement)
    #expect(try input.take("// nothing;") == [] && !input.isWithinStatement)
    // What is no text of the language is handed on when it says that it ends.
    #expect(try input.take("RETURN 'a;") == [.statement("RETURN 'a;\n")])
    #expect(try input.take(":help") == [.help])
    #expect(try input.take(" :quit ") == [.quit])
    #expect(try input.take(":explain MATCH (n) RETURN n") == [.explain("MATCH (n) RETURN n")])
    #expect(try input.take(":at 2026-01-01") == [.moment("2026-01-01")])
    #expect(try input.take(":at now") == [.moment(nil)])
    #expect(try input.take(":params") == [.parameters])
    #expect(
      try input.take(":params x [1, \"a\"]") == [.parameter("x", GQLParameter.value("[1,\"a\"]"))])
    #expect(
      try input.take(":params x oat milk") == [.parameter("x", GQLParameter.value("oat milk"))])
    #expect(try input.take(":params x") == [.noParameter("x")])
    for wrong in [":", ":nothing", ":explain", ":e\u{301}"] {
      #expect(throws: Failure.self, "\(wrong)") { try input.take(wrong) }
    }
    #expect(!input.isWithinStatement)
  }

  @Test("the Tab key finds words in any case, labels behind a colon, properties behind a dot")
  func completion() {
    let completion = GQLCompletion(
      language: ["MATCH", "MERGE", "date.truncate", "percentileCont"],
      names: ["Person", "PERSONAL", "Überschrift"], properties: ["name", "perm"])
    func words(_ text: String, _ line: String = "") -> [String] {
      completion.words(for: text, behind: line)
    }
    #expect(words("m") == ["MATCH", "MERGE"])
    #expect(words("per") == ["PERSONAL", "Person", "percentileCont", "perm"])
    #expect(words("per", "MATCH (n:") == ["PERSONAL", "Person"])
    #expect(words("per", "MATCH (n : ") == ["PERSONAL", "Person"])
    #expect(words("na", "MATCH (n:Person {") == ["name"])
    #expect(words("Date.t") == ["date.truncate"])
    #expect(words("n.na") == ["n.name"] && words("n.pers").isEmpty)
    #expect(words("über", "(:") == ["Überschrift"])
    #expect(words("e", "  :") == ["explain"] && words("", ":").count == 5)
    #expect(words("x").isEmpty)
  }

  @Test("several statements run one after the other, and a mistake is found where it stands")
  func statements() throws {
    let store = try folder.makeStore()
    let script = "CREATE (:A {x: 1});\nMATCH (a:A) RETURN a.x AS x;  MATCH (b:B)\n  RETURN b.x AS y"
    for result in [
      try Evtool.run("gql", store, script), try Evtool.run("gql", store, input: script),
    ] {
      #expect(result.status == 0 && result.output.contains("x\n1"), "\(result.output)")
      #expect(result.errors.contains("note: 2:37: no node has had the label “B”"))
    }
    let wrong = try Evtool.run("gql", store, "CREATE (:C);\nRETURN 1;\nRETURN 2;  RETURN )")
    #expect(wrong.status == 2 && wrong.errors.contains("line 3, column 19"), "\(wrong.errors)")
    let late = try Evtool.run("gql", store, "RETURN 1 AS x; RETURN 1 / 0 AS y")
    #expect(late.errors.contains("line 1, column 25"), "\(late.errors)")
    let label = try Evtool.run("gql", store, "MATCH (c:C) RETURN count(c) AS n", "--json")
    #expect(label.output == "{\"n\":0}\n", "what is wrong is found before anything runs")
    for empty in ["", " ; // nothing"] {
      let nothing = try Evtool.run("gql", store, empty)
      #expect(nothing.status == 2 && nothing.errors.contains("no statement"))
    }
  }

  @Test(
    "on a terminal, statements are run as they are typed, and an error ends nothing",
    .enabled(if: PseudoTerminal.makesSessions))
  func terminal() throws {
    let store = try folder.makeStore()
    let terminal = try PseudoTerminal(columns: 100)
    let process = try terminal.start(
      ["gql", store], ["XDG_STATE_HOME": folder.path("state"), "NO_COLOR": "1"])
    _ = terminal.output(through: "gql> ")
    terminal.type("MATCH (n:notes)\n")
    _ = terminal.output(through: "...> ")
    terminal.type("RETURN count(n) AS count;\n")
    let counted = terminal.output(through: "1 row")
    #expect(counted.contains("count") && counted.contains("3"), "\(counted)")
    _ = terminal.output(through: "gql> ")
    terminal.type("RETURN nothing;\n")
    let refused = terminal.output(through: "^")
    #expect(refused.contains("line 1, column 8"), "\(refused)")
    _ = terminal.output(through: "gql> ")
    terminal.type(":params who Ann\n")
    _ = terminal.output(through: "gql> ")
    terminal.type("CREATE (:Person {name: $who}) RETURN 1 AS one;\n")
    _ = terminal.output(through: "1 node made")
    _ = terminal.output(through: "gql> ")
    terminal.type(":at 2001-01-01\n")
    _ = terminal.output(through: "2001-01-01> ")
    terminal.type("MATCH (n) RETURN count(n) AS n;\n")
    let past = terminal.output(through: "1 row")
    #expect(past.contains("0"), "\(past)")
    _ = terminal.output(through: "2001-01-01> ")
    terminal.type(":at now\n")
    _ = terminal.output(through: "gql> ")
    // Without the system's editing library, the key is a space like any other.
    let completes = Self.hasLibrary
    terminal.type("MATCH (n:not\t) RETURN count(n) AS n;\n")
    let completed = terminal.output(through: "1 row")
    #expect(completed.split { $0.isNewline }.contains(completes ? "3" : "0"), "\(completed)")
    _ = terminal.output(through: "gql> ")
    terminal.type(":quit\n")
    let (_, status) = terminal.end(process)
    #expect(status == 0)
    let people = try Evtool.run("gql", store, "MATCH (p:Person) RETURN p.name AS name", "--json")
    #expect(people.output == "{\"name\":\"Ann\"}\n")
    let history = folder.path("state/daybook/gql_history")
    // Without the system's editing library there is none.
    guard FileManager.default.fileExists(atPath: history) else { return }
    #expect(try String(contentsOfFile: history, encoding: .utf8).contains("nothing"))
    let mode = try FileManager.default.attributesOfItem(atPath: history)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }
}
