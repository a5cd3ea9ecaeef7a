import Foundation
import Testing

/// `evtool edit`: the editor, its terminal, its file, and what becomes of the text.
@Suite struct EditTests {
  private let folder: TemporaryFolder
  private let store: String
  /// Where the files of editors are made.
  private let temporary: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
    temporary = folder.path("tmp")
    try FileManager.default.createDirectory(
      atPath: temporary, withIntermediateDirectories: false)
  }

  /// Makes an editor that is a shell script; `$1` is the file.
  private func editor(_ script: String, _ name: String = "editor") throws -> String {
    let path = try folder.write("#!/bin/sh\n\(script)\n", name)
    chmod(path, 0o755)
    return path
  }

  private func environment(_ editors: [String: String]) -> [String: String] {
    ["TMPDIR": temporary, "PATH": "/usr/bin:/bin", "OUT": folder.path("out")].merging(editors) {
      $1
    }
  }

  private func edit(_ editors: [String: String]) throws -> Evtool.Result {
    try Evtool.run(["edit", store, "notes", "n1", "title"], environment: environment(editors))
  }

  private func title() throws -> String {
    try Evtool.run("query", store, "SELECT title FROM notes WHERE id = 'n1'", "--csv").output
  }

  private func drafts() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporary)
  }

  @Test("what the editor leaves is written, and neither the file nor its copies stay")
  func edited() throws {
    let editor = try editor(
      #"for file; do :; done; cp "$file" "$file~"; printf 'Oat milk, two' >"$file""#)
    let result = try edit(["EDITOR": "\(editor) --wait"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try title().contains("Oat milk, two"))
    #expect(try drafts().isEmpty)
  }

  @Test("only the user can read the file, and the folder with what editors put beside it")
  func permissions() throws {
    let look = try editor(
      #"find "$1" -perm 600 >"$OUT"; find "$(dirname "$1")" -maxdepth 0 -perm 700 >>"$OUT""#)
    #expect(try edit(["EDITOR": look]).status == 0)
    #expect(try folder.read("out").split(separator: "\n").count == 2)
    #expect(try drafts().isEmpty)
  }

  @Test(
    "an empty variable names no editor", arguments: ["", " ", "\t"])
  func emptyVariable(value: String) throws {
    let editor = try editor(#"printf 'by EDITOR' >"$1""#)
    let result = try edit(["VISUAL": value, "EDITOR": editor])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try title().contains("by EDITOR"))
  }

  @Test("an editor that fails, or that leaves no file or no text, writes nothing, in one sentence")
  func failures() throws {
    for (script, status, words) in [
      (#"rm "$1""#, 1, "has left no file"), (#"rm "$1"; mkdir "$1""#, 1, "has left no file"),
      ("exit 7", 1, "has ended with 7"), ("exec /nowhere/vi", 2, "cannot be run"),
      ("kill -9 $$", 1, "was ended by signal 9"),
    ] {
      let result = try edit(["EDITOR": try editor(script)])
      #expect(result.status == Int32(status), "\(script): \(result.errors)")
      #expect(result.errors.contains("evtool: the editor "), "\(script): \(result.errors)")
      #expect(result.errors.contains(words), "\(script): \(result.errors)")
      #expect(!result.errors.contains("kept"), "\(script): \(result.errors)")
      #expect(try drafts().isEmpty, "\(script)")
    }
    let missing = try edit(["EDITOR": folder.path("missing")])
    #expect(missing.status == 2 && missing.errors.contains("Set VISUAL or EDITOR"))
    #expect(try title().contains("Oat milk"))
  }

  @Test("a text that was changed and is not written stays in its file, which is named")
  func kept() throws {
    for (script, words) in [
      (#"printf 'mine' >"$1"; exit 1"#, "has ended with 1"),
      (#"printf 'mine\377' >"$1""#, "not UTF-8"),
      (#"printf 'mine' >"$1"; "$EVTOOL" delete "$STORE" notes n1 >/dev/null"#, "evtool: "),
    ] {
      let result = try edit([
        "EDITOR": try editor(script), "EVTOOL": Evtool.binary.path, "STORE": store,
      ])
      #expect(result.status != 0)
      #expect(result.errors.contains(words), "\(result.errors)")
      let draft = try #require(try drafts().first)
      let file = "\(temporary)/\(draft)/title.txt"
      #expect(result.errors.contains("the text is kept in \(file)\n"), "\(result.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: Data("mine".utf8)))
      try FileManager.default.removeItem(atPath: "\(temporary)/\(draft)")
      _ = try Evtool.run("restore", store, "notes", "n1")
    }
  }

  @Test(
    "an editor reads the terminal from which evtool was started",
    .enabled(if: PseudoTerminal.makesSessions))
  func terminal() throws {
    let terminal = try PseudoTerminal()
    let editor = try editor(#"read -r line </dev/tty; printf '%s' "$line" >"$1""#)
    terminal.type("typed words\n")
    let process = try terminal.start(
      ["edit", store, "notes", "n1", "title"], environment(["EDITOR": editor]))
    let end = terminal.end(process)
    #expect(end.status == 0, "\(end.shown)")
    #expect(try title().contains("typed words"))
  }

  @Test(
    "Ctrl-C is the editor's; evtool waits for it",
    .enabled(if: PseudoTerminal.makesSessions))
  func interrupt() throws {
    let terminal = try PseudoTerminal()
    let editor = try editor(
      #"trap 'printf caught >"$1"; exit 0' INT; echo ready >/dev/tty; read -r line </dev/tty"#)
    let process = try terminal.start(
      ["edit", store, "notes", "n1", "title"], environment(["EDITOR": editor]))
    #expect(terminal.output(through: "ready").contains("ready"))
    terminal.type("\u{3}")
    let end = terminal.end(process)
    #expect(end.status == 0, "\(end.shown)")
    #expect(try title().contains("caught"))
  }

  @Test(
    "if Ctrl-C ends the editor, the file with what it had saved is named",
    .enabled(if: PseudoTerminal.makesSessions))
  func interruptedEditor() throws {
    let terminal = try PseudoTerminal()
    let editor = try editor(
      #"printf 'half done' >"$1"; echo ready >/dev/tty; exec cat </dev/tty"#)
    let process = try terminal.start(
      ["edit", store, "notes", "n1", "title"], environment(["EDITOR": editor]))
    #expect(terminal.output(through: "ready").contains("ready"))
    terminal.type("\u{3}")
    let end = terminal.end(process)
    #expect(end.status == 130, "\(end.shown)")
    let draft = try #require(try drafts().first)
    #expect(end.shown.contains("the text is kept in \(temporary)/\(draft)/title.txt"))
    #expect(try title().contains("Oat milk"))
  }

  @Test("a request to end reaches the editor, and the text is kept")
  func terminate() throws {
    let editor = try editor(
      #"printf 'half done' >"$1"; mkfifo "$OUT"; echo ready >"$OUT.ready"; exec cat "$OUT""#)
    let running = try RunningEvtool(
      ["edit", store, "notes", "n1", "title"], environment: environment(["EDITOR": editor]))
    while running.process.isRunning,
      !FileManager.default.fileExists(atPath: folder.path("out.ready"))
    { sched_yield() }
    kill(running.process.processIdentifier, SIGTERM)
    let result = try running.wait()
    #expect(result.status == 130, "\(result.errors)")
    #expect(result.errors.contains("the text is kept in"), "\(result.errors)")
  }
}
