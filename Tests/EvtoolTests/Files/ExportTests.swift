import Foundation
import Testing

/// `export --at` writes the same as `export` at that moment.
@Suite struct ExportTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  /// Returns the present as a version vector and as an event.
  private func position() throws -> (vector: String, event: String) {
    let digest = try Evtool.run("digest", store, "--json").json() as? [String: Any]
    let vector = try #require(digest?["vector"] as? [String: Int])
    let (origin, sequence) = try #require(vector.first)
    return ("{\"\(origin)\":\(sequence)}", "\(origin.prefix(8)):\(sequence)")
  }

  @Test("an export at a position equals the export of that moment, byte for byte")
  func roundTrip() throws {
    var moments: [(vector: String, event: String, export: String)] = []
    for change in [
      [], ["put", store, "notes", "n1", "title=Soy milk"], ["delete", store, "notes", "n2"],
      ["erase", store, "links", "l1"], ["put", store, "notes", "n9", "title=Ninth", "rating=0.1"],
      [
        "import", store,
        try folder.write(
          #"{"op":"define","collection":"lists","fields":[{"name":"x","type":"integer"}]}"# + "\n"
            + #"{"op":"drop","collection":"links"}"#, "schema.ndjson"),
      ],
      ["restore", store, "notes", "n2"],
    ] {
      if !change.isEmpty { #expect(try Evtool.run(change).status == 0, "\(change)") }
      let position = try position()
      moments.append((position.vector, position.event, try Evtool.run("export", store).output))
    }
    #expect(Set(moments.map(\.export)).count == moments.count)
    for moment in moments {
      for position in [moment.vector, moment.event] {
        let past = try Evtool.run("export", store, "--at", position)
        #expect(past.status == 0 && past.errors.isEmpty, "\(past.errors)")
        #expect(past.output == moment.export, "\(position)")
      }
    }
    #expect(try Evtool.run("export", store, "--at", "2999-01-01").output == moments.last?.export)
    #expect(try Evtool.run("export", store, "--at", "2001-01-01").output == "")
  }

  @Test("an export at a position has the collections of that moment, or the requested one")
  func collections() throws {
    let before = try position().vector
    let links = try Evtool.run("export", store, "--collection", "links").output
    let drop = try folder.write(#"{"op":"drop","collection":"links"}"#, "drop.ndjson")
    #expect(try Evtool.run("import", store, drop).status == 0)
    #expect(try Evtool.run("export", store, "--collection", "links").isRefusal(2, "links"))
    let past = try Evtool.run("export", store, "--collection", "links", "--at", before)
    #expect(past.output == links)
    #expect(links.contains(#""id":"l2""#) && !links.contains("notes"))
    let early = try Evtool.run("export", store, "--collection", "links", "--at", "2001-01-01")
    #expect(early.isRefusal(2, "there is no collection “links”"), "\(early.errors)")
  }

  @Test(
    "an export at an unknown position is refused without output",
    arguments: ["yesterday", "ffff:1", "{\"\(String(repeating: "f", count: 32))\":1}", "+1"])
  func unknown(position: String) throws {
    let (vector, event) = try self.position()
    // The position has one event more than the store.
    let text =
      position == "+1"
      ? vector.replacing(/:(\d+)/) { ":\((Int($0.1) ?? 0) + 1)" } : position
    let result = try Evtool.run("export", store, "--at", text)
    #expect(result.isRefusal(2), "\(event): \(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test("the temporary file is removed at the end, after an error, and after Ctrl-C")
  func temporaryFile() throws {
    let temporary = folder.path("tmp")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    func left() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: temporary)
    }
    let arguments = ["export", store, "--at", "2999-01-01"]
    let environment = ["TMPDIR": temporary]
    #expect(try Evtool.run(arguments, environment: environment).status == 0)
    #expect(try left().isEmpty)
    let failed = try Evtool.run(
      arguments + ["--collection", "nope"], environment: environment)
    #expect(failed.status == 2)
    #expect(try left().isEmpty)
    let file = try folder.writeInserts(20_000, prefix: "t", name: "things.ndjson")
    #expect(try Evtool.run("import", store, file).status == 0)
    let running = try RunningEvtool(arguments, environment: environment)
    while try running.process.isRunning && left().isEmpty { sched_yield() }
    running.process.interrupt()
    let result = try running.wait()
    #expect(result.isRefusal(130, "interrupted"), "\(result.status) \(result.errors)")
    #expect(try left().isEmpty)
  }

  @Test("an export as RDF has the same rows as interchange, now and in the past")
  func rdf() throws {
    let position = try position()
    let export = { (format: String, more: [String]) in
      try Evtool.run(["export", store, "--format", format, "--base", "https://x.org/"] + more)
    }
    let turtle = try export("turtle", [])
    #expect(turtle.status == 0 && turtle.errors.isEmpty, "\(turtle.errors)")
    #expect(turtle.output.hasPrefix("@prefix : <https://x.org/> .\n"))
    #expect(turtle.output.contains("notes:n1 a :notes ;"))
    let triples = try export("ntriples", ["--collection", "notes"])
    let rows = try Evtool.run("export", store, "--collection", "notes").lines
    let types = triples.lines.filter { $0.contains("#type> <https://x.org/notes>") }
    #expect(types.count == rows.count { $0.contains("\"op\":\"insert\"") })
    #expect(try Evtool.run("put", store, "notes", "n1", "title=Other").status == 0)
    #expect(try export("turtle", ["--at", position.event]).output == turtle.output)
    #expect(try export("turtle", []).output != turtle.output)
  }

  @Test("statements that were imported come out again, of one graph or among the tables")
  func statements() throws {
    let lines = ["<a:1> <a:p> \"é\"@fr .", "<a:1> <a:p> <a:2> <a:g> .", "<a:2> <a:p> \"1\" ."]
    let file = try folder.write(lines.joined(separator: "\n"), "x.nq")
    for _ in 0..<2 {
      #expect(try Evtool.run("import", store, file, "--graph", "people").status == 0)
    }
    let export = { (format: String, graph: String) in
      try Evtool.run("export", store, "--format", format, "--graph", graph)
    }
    let people = try export("nquads", "/people")
    #expect(people.status == 0, "\(people.errors)")
    #expect(Set(people.lines.map(String.init)) == Set(lines))
    #expect(try export("ntriples", "/").output.isEmpty)
    let among = try Evtool.run("export", store, "--format", "trig")
    #expect(among.output.contains("<a:g> {") && among.output.contains("\"é\"@fr"))

    let none = try export("turtle", "persons")
    #expect(none.isRefusal(2, "there is no graph /persons"), "\(none.status) \(none.errors)")
    let flat = try export("turtle", "people")
    #expect(flat.isRefusal(2, "Turtle has no graphs"), "\(flat.status) \(flat.errors)")
    #expect(flat.errors.contains("TriG"))
    let table = try folder.write("a\n1", "x.csv")
    let wrong = try Evtool.run("import", store, table, "--graph", "people")
    #expect(wrong.isRefusal(2, "--graph is for RDF"), "\(wrong.status) \(wrong.errors)")
    #expect(try Evtool.run("export", store, "--graph", "people").status == 2)
  }

  @Test("an export as provenance has each event as an activity, and each actor once")
  func provenance() throws {
    #expect(try Evtool.run("put", store, "notes", "n1", "title=Tea", "--actor", "ann").status == 0)
    let history = try Evtool.run("export", store, "--format", "prov")
    #expect(history.status == 0 && history.errors.isEmpty, "\(history.errors)")
    let writes = try Evtool.run("log", store).lines.filter { !$0.contains("identity") }
    #expect(history.lines.count { $0.contains("a prov:Activity") } == writes.count)
    #expect(history.lines.count { $0.contains("<urn:daybook:-/actors/ann> a prov:Agent") } == 1)
    #expect(history.output.contains(":notes-title \"Tea\""))
  }

  @Test("a base that is no IRI, or is for no RDF, is refused")
  func bases() throws {
    let relative = try Evtool.run("export", store, "--format", "turtle", "--base", "notes/")
    #expect(relative.status == 2 && relative.errors.contains("--base"), "\(relative.errors)")
    let other = try Evtool.run("export", store, "--base", "https://x.org/")
    #expect(other.status == 2 && other.errors.contains("--base"), "\(other.errors)")
    let some = try Evtool.run("export", store, "--format", "prov", "--collection", "notes")
    #expect(some.status == 2 && some.errors.contains("--collection"), "\(some.errors)")
  }

  @Test("an import of RDF loads each statement once, and an error has its place")
  func imports() throws {
    let text = "<http://x/a> <http://x/p> \"v\" , <b> .\n"
    let file = try folder.write(text, "own.ttl")
    #expect(try Evtool.run("import", store, file).output.contains("imported 2 statements"))
    #expect(try Evtool.run("import", store, file).output.contains("imported 0 statements"))
    let lines = "<http://x/a> <http://x/p> \"v\" .\n<http://x/a> <http://x/p> \"w\" .\n"
    let piped = try Evtool.run("import", store, "-", "--format", "ntriples", input: lines)
    #expect(piped.output.contains("imported 1 statement"), "\(piped.output)\(piped.errors)")
    let bad = try folder.write("<http://x/a> <http://x/p> y:z .", "bad.ttl")
    let refused = try Evtool.run("import", store, bad)
    #expect(refused.isRefusal(2, "“y:”", "line 1, column 27"), "\(refused.errors)")
    #expect(try Evtool.run("import", store, file, "--resume").isRefusal(2, "--resume"))
    #expect(try Evtool.run("import", store, file, "--dry-run").isRefusal(2, "--dry-run"))
  }
}
