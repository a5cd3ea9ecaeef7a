import Foundation
import Testing

@Suite struct GraphTests {
  private let folder: TemporaryFolder
  private let store: String

  /// People and places with the same ids.
  private static let town = """
    {"op":"define","collection":"people","fields":[{"name":"name","type":"text","search":true}]}
    {"op":"define","collection":"places","fields":[{"name":"name","type":"text"}]}
    {"op":"define","collection":"lives","relationship":true,"fields":[{"name":"source",\
    "type":"text","references":"people"},{"name":"target","type":"text","references":"places"},\
    {"name":"since","type":"integer"},{"name":"kind","type":"text"}]}
    {"op":"define","collection":"knows","relationship":true,"directed":false,"fields":[\
    {"name":"source","type":"text","references":"people"},{"name":"target","type":"text",\
    "references":"people"},{"name":"since","type":"real"},{"name":"strength","type":"real"}]}
    {"op":"insert","collection":"people","id":"1","fields":{"name":"Ann"}}
    {"op":"insert","collection":"people","id":"2","fields":{"name":"Bob"}}
    {"op":"insert","collection":"people","id":"3","fields":{"name":"Cem"}}
    {"op":"insert","collection":"places","id":"1","fields":{"name":"Harbour"}}
    {"op":"insert","collection":"places","id":"2","fields":{"name":"Hill"}}
    {"op":"insert","collection":"lives","id":"l1","source":"1","target":"2","fields":{"since":2020,\
    "kind":"rents"}}
    {"op":"insert","collection":"lives","id":"l2","source":"2","target":"2","fields":{"since":2021,\
    "kind":"owns"}}
    {"op":"insert","collection":"knows","id":"k1","source":"2","target":"1",\
    "fields":{"strength":0.5}}
    {"op":"insert","collection":"knows","id":"k2","source":"2","target":"3","fields":{"strength":2}}

    """

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("town")
    try Evtool.run("init", store)
    let result = try Evtool.run("import", store, try folder.write(Self.town, "town.ndjson"))
    #expect(result.status == 0, "\(result.errors)")
  }

  private func graph(_ arguments: String...) throws -> Evtool.Result {
    try Evtool.run(["graph", arguments[0], store] + arguments.dropFirst())
  }

  @Test("vertices are shown by collection and id, with their own titles")
  func names() throws {
    let neighbors = try graph("neighbors", "people/1")
    #expect(
      neighbors.output == """
        ─ knows ─  people/2 “Bob”
        ─ rents →  places/2 “Hill”

        """)
    let reach = try graph("reach", "3")
    #expect(
      reach.lines.map { $0.trimmingCharacters(in: .whitespaces) } == [
        "1  people/2 “Bob”", "2  people/1 “Ann”", "2  places/2 “Hill”",
      ])
    let path = try graph("path", "3", "places/2")
    #expect(path.output.hasPrefix("Cem → Bob → Hill\n"), "\(path.output)\(path.errors)")
    let around = try graph("subgraph", "places/2")
    #expect(around.output.contains("people/1 ─ rents → places/2"), "\(around.output)")
    #expect(around.output.contains("people/2 ─ knows ─ people/1"), "\(around.output)")
    let ranks = try graph("importance", "--by", "in-degree")
    #expect(ranks.lines.count == 5)
    #expect(ranks.lines.last?.contains("places/1 “Harbour”") == true, "\(ranks.output)")
  }

  @Test("a vertex in JSON is an object with collection and id")
  func json() throws {
    #expect(
      try graph("neighbors", "people/2", "--weight", "strength", "--via", "knows", "--json").output
        == """
        [{"collection":"knows","id":"k2","source":{"collection":"people","id":"2"},\
        "target":{"collection":"people","id":"3"},"directed":false,"weight":2.0},\
        {"collection":"knows","id":"k1","source":{"collection":"people","id":"2"},\
        "target":{"collection":"people","id":"1"},"directed":false,"weight":0.5}]

        """)
    #expect(
      try graph("reach", "3", "--depth", "1", "--json").output
        == #"[{"collection":"people","id":"2","depth":1}]"# + "\n")
    let path = try #require(try graph("path", "3", "places/2", "--json").json() as? [String: Any])
    let vertices = try #require(path["vertices"] as? [[String: String]])
    #expect(vertices.last == ["collection": "places", "id": "2"])
    let around = try #require(try graph("subgraph", "3", "--json").json() as? [String: Any])
    let first = (around["vertices"] as? [[String: Any]])?.first
    #expect(first?["collection"] as? String == "people" && first?["depth"] as? Int == 0)
    let ranks = try graph("importance", "--limit", "1", "--json").json() as? [[String: Any]]
    #expect(ranks?.first?.keys.sorted() == ["collection", "id", "score"])
  }

  @Test("an id in several collections is refused with the choices")
  func ambiguous() throws {
    for arguments in [
      ["neighbors", store, "1"], ["reach", store, "1"], ["path", store, "1", "3"],
      ["path", store, "3", "1"], ["subgraph", store, "3", "1"],
    ] {
      let result = try Evtool.run(["graph"] + arguments)
      #expect(result.isRefusal(2, "“1”", "people/1 or places/1"), "\(result.errors)")
    }
    #expect(try graph("neighbors", "people/9").isRefusal(2, "people/9"))
    #expect(try graph("neighbors", "lives/l1").isRefusal(2, "lives/l1"))
  }

  @Test("--where follows only relationships with the given values")
  func conditions() throws {
    #expect(try graph("reach", "people/2", "--where", "since=2021").isRefusal(2, "--via"))
    let since = try graph("reach", "people/2", "--via", "lives", "--where", "since=2021")
    #expect(since.lines.count == 1 && since.output.contains("places/2"), "\(since.errors)")
    let none = try graph(
      "reach", "people/2", "--via", "lives", "--where", "since=2021", "--where", "kind=rents")
    #expect(none.status == 1)
    let missing = try graph("neighbors", "people/2", "--where", "strength:null", "--json")
    #expect((try missing.json() as? [Any])?.count == 1)
    for command in [["path", "3", "people/1"], ["subgraph", "3"], ["importance"]] {
      let words = ["graph", command[0], store] + command.dropFirst() + ["--where", "strength=2"]
      #expect(try Evtool.run(words).status == (command[0] == "path" ? 1 : 0))
    }
    #expect(try graph("reach", "3", "--where", "nothing=1").isRefusal(2, "nothing"))
    #expect(try graph("reach", "3", "--where", "strength=much").isRefusal(2, "real"))
    let twice = try graph("reach", "3", "--where", "kind=a", "--where", "kind=b")
    #expect(twice.isRefusal(2, "given twice"))
    #expect(try graph("reach", "3", "--where", "kind").status == 2)
    let hostile = try graph("reach", "3", "--where", "kind=' OR 1=1 --")
    #expect(hostile.status == 1)
  }

  @Test("impossible numbers and negative weights are refused")
  func numbers() throws {
    for number in ["-1", "0", "-9223372036854775808", "9223372036854775808", "x", ""] {
      for option in ["--limit=\(number)", "--depth=\(number)"] {
        let result = try graph("reach", "3", option)
        #expect(result.status == 2 && result.errors.hasPrefix("evtool: "), "\(result.errors)")
        #expect(result.errors.contains(option.prefix(7)), "\(result.errors)")
      }
      #expect(try graph("neighbors", "3", "--limit=\(number)").status == 2)
      #expect(try graph("importance", "--limit=\(number)").status == 2)
    }
    #expect(try graph("reach", "3", "--depth=9223372036854775807").status == 0)
    #expect(try Evtool.run("update", store, "knows", "k1", "strength=-1").status == 0)
    #expect(
      try graph("path", "3", "people/2", "--weight", "strength").isRefusal(2, "k1", "negative"))
  }

  @Test("the attribute directed is exported and imported, and refused if it makes no sense")
  func definitions() throws {
    let file = try folder.write(try Evtool.run("export", store).output, "again.ndjson")
    let again = folder.path("again")
    try Evtool.run("init", again)
    #expect(try Evtool.run("import", again, file).status == 0)
    #expect(
      try Evtool.run("graph", "reach", again, "3").output == (try graph("reach", "3").output))
    for (line, words) in [
      (
        #"{"op":"define","collection":"x","relationship":true,"directed":"no","fields":[]}"#,
        "boolean field"
      ),
      (
        #"{"op":"define","collection":"x","relationship":true,"directed":1,"fields":[]}"#,
        "boolean field"
      ),
      (#"{"op":"define","collection":"people","directed":false,"fields":[]}"#, "no relationship"),
      (
        #"{"op":"define","collection":"lives","relationship":true,"directed":"since","fields":[]}"#,
        "no boolean field"
      ),
    ] {
      let result = try Evtool.run("import", store, try folder.write(line, "bad.ndjson"), "--again")
      #expect(result.status == 2)
      #expect(result.errors.contains(words), "\(result.errors)")
    }
  }
}
