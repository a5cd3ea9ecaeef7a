import Daybook
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

  @Test("undos and redos mean the events that were imported, also after an import in parts")
  func undos() async throws {
    let path = try folder.makeStore()
    let store = try await Store.open(at: URL(fileURLWithPath: path))
    let first = try await store.write { tx in
      try tx.update("notes", "n1", ["title": "one"])
      try tx.insert("notes", "undone", ["title": "undone"])
      return tx.event
    }
    try await store.write { try $0.update("notes", "n1", ["title": "two"]) }
    let third = try await store.write { tx in
      try tx.update("notes", "n1", ["title": "three"])
      return tx.event
    }
    try await store.undo(first)
    try await store.undo(third)
    try await store.write { try $0.insert("notes", "undone", ["title": "again"]) }
    try await store.redo(third)
    try await store.undo(third)
    try await store.close()

    let exported = try Evtool.run("export", path, "--format", "events").output
    let state = try Evtool.run("export", path).output
    #expect(state.contains(#""title":"two""#) && state.contains(#""title":"again""#), "\(state)")
    let whole = try folder.write(exported, "events.ndjson")
    #expect(try Evtool.run("import", other, whole, "--format", "events").status == 0)
    #expect(try Evtool.run("export", other).output == state)
    #expect(try Evtool.run("rebuild", other, "--verify").status == 0)

    let lines = exported.split(separator: "\n")
    let again = folder.path("again")
    try Evtool.run("init", again)
    for (number, part) in [lines.dropLast(2), lines.suffix(2)].enumerated() {
      let file = try folder.write(part.joined(separator: "\n") + "\n", "part\(number).ndjson")
      let imported = try Evtool.run("import", again, file, "--format", "events")
      #expect(imported.status == 0, "\(imported.errors)")
    }
    #expect(try Evtool.run("export", again).output == state)
    let bad = try folder.write(
      #"{"operations":[{"op":"undo","collection":"notes","id":"n1","events":["n1"]}]}"#,
      "bad.ndjson")
    let refused = try Evtool.run("import", other, bad, "--format", "events")
    #expect(refused.status == 2 && refused.errors.contains("ORIGIN:SEQUENCE"), "\(refused.errors)")
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
