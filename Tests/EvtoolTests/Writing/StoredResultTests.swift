import Foundation
import Testing

/// Commands that write, when what they have to say cannot be printed.
@Suite struct StoredResultTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  /// Runs evtool in a shell, with redirections behind its arguments.
  private func run(_ redirection: String, _ arguments: String...) throws -> Evtool.Result {
    try RunningEvtool(
      ["-c", "\"$0\" \"$@\" \(redirection)", Evtool.binary.path] + arguments, command: ["/bin/sh"]
    ).wait()
  }

  @Test(
    "a command whose event is stored says so by its exit code, also if it cannot print the result",
    .enabled(if: access("/dev/full", W_OK) == 0))
  func full() throws {
    let lines = try folder.write(
      #"{"op":"insert","collection":"notes","id":"n9","fields":{"title":"Salt"}}"#, "more.ndjson")
    for arguments in [
      ["put", store, "notes", "n1", "title=Tea"],
      ["put", store, "notes", "n1", "title=T", "--json"],
      ["update", store, "notes", "n1", "title=Two"], ["delete", store, "notes", "n1"],
      ["restore", store, "notes", "n1"], ["import", store, lines],
      ["init", folder.path("new")], ["backup", store, folder.path("backup")],
    ] {
      let command = ["-c", "\"$0\" \"$@\" >/dev/full", Evtool.binary.path] + arguments
      let result = try RunningEvtool(command, command: ["/bin/sh"]).wait()
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      #expect(result.errors.contains("it is done, and only the output cannot be written"))
    }
    #expect(try Evtool.run("show", store, "notes", "n9").status == 0)
    #expect(try run(">/dev/full", "export", store).isRefusal(2, "the output cannot be written"))
    #expect(try run(">/dev/full", "import", store, lines, "--again", "--dry-run").status == 2)
  }

  @Test("a reader that has gone away does not end a command whose event is stored")
  func brokenPipe() throws {
    // The reader closes its end before evtool begins.
    let script = #"""
      mkfifo "$2.gone"
      { read -r x <"$2.gone"; "$0" put "$1" notes n1 title=Piped; echo "$?" >"$2"; } |
        { exec </dev/null; echo x >"$2.gone"; }
      """#
    let result = try RunningEvtool(
      ["-c", script, Evtool.binary.path, store, folder.path("status")], command: ["/bin/sh"]
    ).wait()
    #expect(try folder.read("status") == "0\n", "\(result.errors)")
    #expect(try Evtool.run("show", store, "notes", "n1").output.contains("Piped"))
  }

  @Test("streams that are closed are the null device, and no file of the store")
  func closedStreams() throws {
    for (index, streams) in ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"].enumerated() {
      let written = try run(streams, "put", store, "notes", "n1", "title=Closed \(index)")
      #expect(written.status == 0, "\(streams): \(written.errors)")
      // An error, which has something to say.
      let refused = try run(streams, "put", store, "notes", "n1", "none=1")
      #expect(refused.status == 2, "\(streams): \(refused.errors)")
      #expect(try run(streams, "verify", store).status == 0, "\(streams)")
    }
    #expect(try Evtool.run("show", store, "notes", "n1").output.contains("Closed 4"))
    #expect(try Evtool.run("verify", store).status == 0)
  }
}
