import Foundation
import Testing

/// History that is exported as lines, and imported into another store.
@Suite struct EventImportTests {
  let folder: TemporaryFolder
  let other: String

  init() throws {
    folder = try TemporaryFolder()
    other = folder.path("other")
    try Evtool.run("init", other)
  }

  /// Returns the part of each event that an import keeps.
  private func shape(_ store: String) throws -> [String] {
    try Evtool.run("log", store, "--json").lines.compactMap { line in
      let event = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let operations = try #require(event["operations"] as? [[String: Any]])
      guard operations.first?["op"] as? String != "identity" else { return nil }
      let annotations = (event["annotations"] as? [String: String] ?? [:]).filter {
        !$0.key.hasPrefix("events.")
      }
      let kept: [String: Any] = [
        "actor": event["actor"] ?? "", "label": event["label"] ?? "", "annotations": annotations,
        "operations": operations,
      ]
      let data = try JSONSerialization.data(withJSONObject: kept, options: [.sortedKeys])
      return String(decoding: data, as: UTF8.self)
    }
  }

  @Test("an exported history is imported event by event, with actor, label and operations")
  func roundTrip() throws {
    let store = try folder.makeStore()
    for arguments in [
      ["update", store, "notes", "n1", "title=Oats", "--actor", "bob", "--label", "shorter"],
      ["put", store, "links", "l3", "source=n1", "target=n3", "weight=1"],
      ["delete", store, "notes", "n2"], ["restore", store, "notes", "n2"],
      ["erase", store, "notes", "n3"], ["put", store, "notes", "n3", "title=again"],
    ] { #expect(try Evtool.run(arguments).status == 0, "\(arguments)") }
    let exported = try Evtool.run("export", store, "--format", "events").output
    #expect(exported == (try Evtool.run("log", store, "--json").output))
    let file = try folder.write(exported, "events.ndjson")
    let imported = try Evtool.run("import", other, file, "--format", "events")
    #expect(imported.status == 0, "\(imported.errors)")
    let shape = try shape(store)
    #expect(shape.count == 7)
    #expect(try self.shape(other) == shape)
    #expect(try Evtool.run("export", other).output == (try Evtool.run("export", store).output))
    let last = try Evtool.run("log", other, "--json", "--newest", "--limit", "1").output
    #expect(last.contains("\"events.event\":\""), "\(last)")
    #expect(try Evtool.run("import", other, file, "--format", "events").status == 2)
    let resumed = try Evtool.run("import", other, file, "--format", "events", "--resume")
    #expect(resumed.output.contains("nothing left"), "\(resumed.output)")
  }

  @Test("an import of events that is killed leaves whole events, and --resume completes it")
  func resume() throws {
    let store = folder.path("store")
    try Evtool.run("init", store)
    let lines = try folder.writeInserts(400, prefix: "e", name: "lines.ndjson")
    #expect(try Evtool.run("import", store, lines, "--batch", "1").status == 0)
    let file = try folder.write(
      try Evtool.run("export", store, "--format", "events").output, "events.ndjson")
    let running = try RunningEvtool(["import", other, file, "--format", "events"])
    running.waitForMarks(5, in: other)
    kill(running.process.processIdentifier, SIGKILL)
    #expect(try running.wait().status != 0)
    let resumed = try Evtool.run("import", other, file, "--format", "events", "--resume")
    #expect(resumed.status == 0, "\(resumed.errors)")
    #expect(try shape(other) == (try shape(store)))
  }

  @Test(
    "a line that is no valid event is an error with its line",
    arguments: [
      ("{}", "this is no event"), ("[", "this is no JSON"),
      (#"{"operations":null}"#, "cannot be read"),
      (#"{"operations":[{"op":"unknown","kind":99,"payload":""}]}"#, "operation 1: "),
      (#"{"actor":1,"operations":[]}"#, "“actor” of an event must be a text"),
      (#"{"annotations":{"a b":"x"},"operations":[]}"#, "annotation “a b”"),
      (#"{"operations":[{"op":"insert","collection":"t","id":"x"}]}"#, "put a define line"),
      (
        #"{"operations":[{"op":"define","collection":"t","fields":[]},"#
          + #"{"op":"delete","collection":"t","id":"x"}]}"#, "there is no “x” in t"
      ),
    ])
  func wrong(line: String, message: String) throws {
    let before = try Evtool.run("digest", other).output
    let file = try folder.write("\n\(line)\n", "events.ndjson")
    let result = try Evtool.run("import", other, file, "--format", "events")
    #expect(result.isRefusal(2, "events.ndjson:2: ", message), "\(result.errors)")
    #expect(try Evtool.run("digest", other).output == before)
  }

  @Test("an export of the events of one collection is refused with a hint at evtool log")
  func refused() throws {
    let result = try Evtool.run("export", other, "--format", "events", "--collection", "notes")
    #expect(result.status == 2)
    #expect(result.errors.contains("evtool log --json"), "\(result.errors)")
  }
}
