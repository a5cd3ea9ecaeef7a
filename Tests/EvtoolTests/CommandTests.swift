import Foundation
import GRDB
import Testing

/// The commands on a sound store.
@Suite struct CommandTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  private func fine(_ arguments: String...) throws -> Evtool.Result {
    let result = try Evtool.run(arguments)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
    #expect(result.errors.isEmpty, "\(result.errors)")
    return result
  }

  @Test("put, update, delete, restore and erase write one event each")
  func edits() throws {
    _ = try fine("put", store, "notes", "n4", "title=Tea", "pinned=true", "tags={\"b\":1,\"a\":2}")
    #expect(try fine("show", store, "notes", "n4").output.contains(#"{"a":2,"b":1}"#))
    let update = try fine("update", store, "notes", "n4", "pinned:null", "rating=5", "--json")
    let event = try #require(try update.json() as? [String: Any])
    #expect(event["sequence"] is Int)
    let again = try fine("put", store, "notes", "n4", "title=Tea")
    #expect(again.output.contains("nothing to change"))
    _ = try fine("delete", store, "notes", "n4", "--actor", "bob", "--label", "too hot")
    #expect(try Evtool.run("show", store, "notes", "n4").status == 1)
    _ = try fine("restore", store, "notes", "n4")
    #expect(try fine("show", store, "notes", "n4").output.contains("Tea"))
    _ = try fine("erase", store, "notes", "n4")
    let history = try fine("history", store, "notes", "n4").output
    for word in [
      "insert by ada", "update", "“Tea”", "true → –", "delete by bob", "too hot", "erase",
    ] { #expect(history.contains(word), "\(word) in \(history)") }
    #expect(try Evtool.run("restore", store, "notes", "n4").status == 2)
  }

  @Test("show and rebuild --until show the past")
  func past() throws {
    let before = try #require(try fine("digest", store, "--json").json() as? [String: Any])
    let vector = try #require(before["vector"] as? [String: Any])
    let (origin, sequence) = try #require(vector.first)
    _ = try fine("update", store, "notes", "n1", "title=Changed")
    let position = "\(origin.prefix(6)):\(sequence)"
    #expect(try fine("show", store, "notes", "n1", "--at", position).output.contains("Oat milk"))
    let text = "{\"\(origin)\":\(sequence)}"
    #expect(try fine("show", store, "notes", "n1", "--at", text).output.contains("Oat milk"))
    #expect(try Evtool.run("show", store, "notes", "n1", "--at", "2001-01-01").status == 1)
    let file = folder.path("past.sqlite")
    let rebuilt = try fine("rebuild", store, "--until", position, "--into", file, "--json")
    let report = try #require(try rebuilt.json() as? [String: Any])
    #expect(report["digest"] as? String == before["digest"] as? String)
  }

  @Test("a rebuild changes nothing, and verify finds nothing")
  func rebuild() throws {
    let before = try fine("digest", store, "--json").output
    _ = try fine("rebuild", store)
    #expect(try fine("digest", store, "--json").output == before)
    #expect(try fine("rebuild", store, "--verify").output.contains("what the log says"))
    let verified = try fine("verify", store, "--json").json() as? [String: Any]
    #expect(verified?["sound"] as? Bool == true)
  }

  @Test("a read model that was changed by another program is found and rebuilt")
  func tampered() throws {
    let queue = try DatabaseQueue(path: store + "/read-model.sqlite")
    try queue.write { try $0.execute(sql: "UPDATE notes SET title = 'forged' WHERE id = 'n1'") }
    try queue.close()
    let compared = try Evtool.run("rebuild", store, "--verify")
    #expect(compared.status == 1)
    #expect(compared.output.contains("n1"), "\(compared.output)")
    #expect(try Evtool.run("verify", store).status == 1)
    _ = try fine("rebuild", store)
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("search ranks hits, marks the found words, and ends with 1 without a hit")
  func search() throws {
    #expect(try fine("search", store, "oat").output.contains("[Oat] milk"))
    let hits = try fine("search", store, "coffee OR sugar", "--json").json() as? [[String: Any]]
    #expect(hits?.count == 2)
    let nothing = try Evtool.run("search", store, "unicorn")
    #expect(nothing.status == 1)
    #expect(nothing.errors.contains("nothing matches"))
  }

  @Test(
    "a search that is meant otherwise than it is taken says how to write it",
    arguments: [
      ("milk NOT oat", "write -word"), ("oat AND milk", "all words"), ("titel:oat", "“title”"),
      ("nofield:oat", "There are: "),
    ])
  func searchAdvice(query: String, expected: String) throws {
    for options in [[], ["--any"], ["--all"]] {
      let result = try Evtool.run(["search", store, query] + options)
      #expect(result.errors.contains(expected), "\(options): \(result.errors)")
    }
    for query in ["oat -coffee", "title:oat", "12:30", "https://a.example oat", "not and"] {
      let result = try Evtool.run("search", store, query)
      #expect(!result.errors.contains("searched"), "\(query): \(result.errors)")
    }
  }

  @Test("search shows whole words around what it has found, however long the text is")
  func searchSnippets() throws {
    let long = String(repeating: "https://a.example/a-very-long-path-of-words/", count: 20)
    _ = try fine("put", store, "notes", "long", "title=\(long) needle \(long)")
    let output = try fine("search", store, "needle").output
    #expect(output.contains("[needle]"))
    let snippet = try #require(output.split(separator: "\n").last { $0.contains("[needle]") })
    let words = snippet.split { !$0.isLetter }.map(String.init)
    let known = "needle https a example very long path of words".split(separator: " ")
    #expect(Set(words).isSubset(of: known.map(String.init)))
  }

  @Test("the graph commands follow relationships")
  func graph() throws {
    let path = try fine("graph", "path", store, "n1", "n3")
    #expect(path.output.contains("Oat milk → Coffee"))
    #expect(path.output.contains("goes_with") && path.output.contains("sweetened_by"))
    let json = try fine("graph", "path", store, "n1", "n3", "--weight", "weight", "--json").json()
    #expect((json as? [String: Any])?["cost"] as? Double == 3.5)
    #expect(try Evtool.run("graph", "path", store, "n3", "n1").status == 1)
    #expect(try fine("graph", "neighbors", store, "n2").lines.count == 2)
    #expect(try fine("graph", "reach", store, "n1", "--depth", "1").lines.count == 1)
    let around = try fine("graph", "subgraph", store, "n1", "--json").json() as? [String: Any]
    #expect((around?["edges"] as? [Any])?.count == 1)
    let ranks = try fine("graph", "importance", store, "--by", "in-degree", "--json").json()
    #expect((ranks as? [Any])?.isEmpty == false)
  }

  @Test("components are listed with their size, and circles as paths, or that there is none")
  func structure() throws {
    let parts = try fine("graph", "components", store)
    #expect(parts.lines.first?.contains("Oat milk") ?? false)
    let json = try fine("graph", "components", store, "--limit", "1", "--json").json() as? [[Any]]
    #expect(json?.count == 1 && (json?.first?.count ?? 0) > 1)
    let none = try Evtool.run("graph", "cycles", store)
    #expect(none.status == 1 && none.errors.contains("there is no circle"))
    #expect(
      try fine("put", store, "links", "back", "source=n2", "target=n1").status == 0)
    let cycle = try fine("graph", "cycles", store)
    #expect(cycle.lines.first?.hasPrefix("notes/n1 “Oat milk” → ") ?? false, "\(cycle.output)")
    #expect(cycle.lines.first?.hasSuffix(" → notes/n1 “Oat milk”") ?? false)
    let found = try fine("graph", "cycles", store, "--json").json() as? [[String: Any]]
    #expect((found?.first?["edges"] as? [Any])?.count == 2)
  }

  @Test("an audit lists each written field as CSV and NDJSON, with all filters")
  func audit() throws {
    #expect(
      try fine("update", store, "notes", "n1", "title=a,\"b\"", "--actor", "eve").status == 0)
    let all = try fine("audit", store)
    #expect(all.lines.first == "time,stamped,actor,kind,collection,id,field,value,label,event")
    let eve = try fine("audit", store, "--by", "eve")
    #expect(eve.lines.count == 2, "\(eve.output)")
    #expect(eve.lines.last?.contains(#",eve,update,notes,n1,title,"a,""b""","#) ?? false)
    let line = try fine(
      "audit", store, "--format", "ndjson", "--newest", "--limit", "1", "--collection", "notes",
      "--id", "n1", "--field", "title", "--since", "2020-01-01", "--until", "2999-01-01")
    let entry = try line.json() as? [String: Any]
    #expect(entry?["value"] as? String == "a,\"b\"" && entry?["actor"] as? String == "eve")
    for wrong in [["--id", "n1"], ["--field", "title"], ["--collection", "nope"]] {
      #expect(try Evtool.run(["audit", store] + wrong).status == 2, "\(wrong)")
    }
  }

  @Test("query prints tables, CSV and JSON, and refuses to write")
  func query() throws {
    let sql = "SELECT id, title, rating FROM notes ORDER BY id"
    let rows = try fine("query", store, sql, "--json").json() as? [[String: Any]]
    #expect(rows?.count == 3)
    #expect(rows?[1]["rating"] as? Double == 4.5)
    #expect(
      try fine("query", store, sql, "--csv").output
        == "id,title,rating\r\nn1,Oat milk,\r\nn2,\"Coffee \"\"dark\"\" 😀\",4.5\r\nn3,Sugar,\r\n")
    #expect(try fine("query", store, sql).lines.count == 4)
    #expect(try Evtool.run("query", store, "DELETE FROM notes").status == 2)
    #expect(try Evtool.run("query", store, "SELEKT").errors.contains("syntax error"))
  }

  @Test("log --json prints one event per line, in the form of interchange")
  func log() throws {
    let result = try fine("log", store, "--json")
    #expect(result.lines.count == 2)
    for line in result.lines {
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      for key in [
        "origin", "sequence", "authored", "stamp", "hub", "actor", "label", "annotations",
        "operations",
      ] { #expect(event?[key] != nil, "\(key)") }
    }
    #expect(try fine("log", store, "--newest", "--limit", "1").lines.count == 1)
    #expect(try fine("log", store, "--collection", "notes", "--id", "n2").lines.count == 1)
  }

  @Test("an export that is imported elsewhere exports as the same bytes")
  func export() throws {
    let exported = try fine("export", store).output
    let other = folder.path("other")
    try Evtool.run("init", other)
    let imported = try Evtool.run(["import", other, "-"], input: exported)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try fine("export", other).output == exported)
    #expect(exported.contains(#""due":"2026-01-31T08:30:00.000Z","data":"AAE=""#))
  }

  @Test("status and history print JSON")
  func json() throws {
    let status = try fine("status", store, "--json").json() as? [String: Any]
    #expect(status?["healthy"] as? Bool == true)
    #expect((status?["collections"] as? [Any])?.count == 2)
    let history = try fine("history", store, "notes", "n1", "--json").json() as? [[String: Any]]
    #expect(history?.first?["kind"] as? String == "insert")
  }
}
