import Foundation
import Testing

/// `evtool mcp`: what an agent sees and does.
@Suite struct AgentTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  private func rows(_ sql: String) throws -> String {
    try Evtool.run("query", store, sql, "--json").output
  }

  @Test("a session and stateless requests offer the same tools, each with schemas and hints")
  func offers() throws {
    let session = try AgentClient(store)
    let stateless = try AgentClient(store, version: .stateless)
    let found = try stateless.result("server/discover")
    #expect(found["supportedVersions"] as? [String] == ["2026-07-28", "2025-11-25"])
    #expect(found["resultType"] as? String == "complete" && found["cacheScope"] != nil)
    let tools = try #require(try session.result("tools/list")["tools"] as? [[String: Any]])
    let others = try #require(try stateless.result("tools/list")["tools"] as? [[String: Any]])
    let names = tools.compactMap { $0["name"] as? String }
    #expect(names == others.compactMap { $0["name"] as? String })
    // The page has each tool, and no other.
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/agents.md"), encoding: .utf8)
    let table = page.components(separatedBy: "| tool | what it does |").last ?? ""
    let rows = table.components(separatedBy: "\n\n").first ?? ""
    let told = rows.split(separator: "\n").flatMap { row in
      (row.split(separator: "|").first ?? "").split(separator: "`").map(String.init)
    }.filter { $0.contains(where: \.isLetter) }
    #expect(Set(told) == Set(names) && told.count == names.count)
    for tool in tools {
      let input = try #require(tool["inputSchema"] as? [String: Any])
      #expect(
        input["type"] as? String == "object" && input["additionalProperties"] as? Bool == false)
      #expect((tool["outputSchema"] as? [String: Any])?["required"] != nil)
      #expect((tool["annotations"] as? [String: Any])?["readOnlyHint"] as? Bool != nil)
    }
    let reading = try AgentClient(store, "--read-only")
    let few = try #require(try reading.result("tools/list")["tools"] as? [[String: Any]])
    #expect(few.count == 12)
    #expect(
      few.allSatisfy { ($0["annotations"] as? [String: Any])?["readOnlyHint"] as? Bool == true })
    let refused = try reading.request(
      "tools/call", ["name": "insert", "arguments": ["collection": "notes", "fields": [:]]])
    #expect(
      ((refused["error"] as? [String: Any])?["message"] as? String)?.contains("reading only")
        == true)
  }

  @Test(
    "every reading tool answers about the same store as the command line",
    arguments: [
      AgentClient.Version.session, .stateless,
    ])
  func reads(version: AgentClient.Version) throws {
    let agent = try AgentClient(store, "--actor", "robot", version: version)
    let lines = try #require(try agent.call("schema")["collections"] as? [String])
    #expect(
      lines.contains { $0.hasPrefix("notes(") } && lines.contains { $0.contains("relationship") })
    let detail = try agent.call("schema", ["collection": "notes"])
    #expect((detail["collections"] as? [[String: Any]])?.first?["fields"] != nil)
    let made = try agent.call(
      "insert",
      ["collection": "notes", "id": "a/1", "fields": ["title": "Oat milk", "body": "buy"]])
    let event = try #require(made["event"] as? String)
    try agent.call("insert", ["collection": "notes", "id": "b", "fields": ["title": "Bread"]])
    try agent.call("link", ["collection": "links", "from": "notes/a/1", "to": "notes/b"])
    let entity = try agent.call("get", ["collection": "notes", "id": "a/1"])["entity"]
    #expect(
      ((entity as? [String: Any])?["fields"] as? [String: Any])?["title"] as? String == "Oat milk")
    let page = try agent.call(
      "query",
      ["sql": "SELECT id, title FROM notes WHERE title = :t", "parameters": ["t": "Bread"]])
    #expect(page["rows"] as? [[String]] == [["b", "Bread"]])
    let linked = try agent.call(
      "gql",
      [
        "query": "MATCH (a:notes)-[]->(b) WHERE a.title = $title RETURN b.id",
        "parameters": ["title": "Oat milk"],
      ])
    #expect((linked["rows"] as? [[String]])?.contains(["b"]) == true)
    #expect(try agent.refusal("gql", ["query": "CREATE (n:notes)"]).contains("calls that write"))
    let hits = try agent.call("search", ["text": "oat"])["hits"] as? [[String: Any]]
    #expect(hits?.contains { $0["id"] as? String == "a/1" } == true)
    let around =
      try agent.call("neighbors", ["entity": "notes/b"])["relationships"] as? [[String: Any]]
    #expect(around?.count == 1)
    let path =
      try agent.call("path", ["from": "notes/a/1", "to": "notes/b"])["path"] as? [String: Any]
    #expect(path?["cost"] as? Double == 1)
    try agent.call("update", ["collection": "notes", "id": "a/1", "fields": ["title": "Oats"]])
    try agent.call(
      "edit_text",
      ["collection": "notes", "id": "a/1", "field": "body", "find": "buy", "replace": "buy two"])
    let writes =
      try agent.call("history", ["collection": "notes", "id": "a/1"])["writes"] as? [[String: Any]]
    #expect(writes?.map { $0["kind"] as? String } == ["insert", "update", "edit"])
    #expect(writes?.allSatisfy { $0["actor"] as? String == "robot" } == true)
    let parts = try agent.call("blame", ["collection": "notes", "id": "a/1", "field": "body"])[
      "parts"]
    #expect((parts as? [[String: Any]])?.compactMap { $0["text"] as? String }.joined() == "buy two")
    let before = try agent.call("at", ["position": event, "collection": "notes", "id": "a/1"])[
      "entity"]
    #expect(
      ((before as? [String: Any])?["fields"] as? [String: Any])?["title"] as? String == "Oat milk")
    let changed = try agent.call("changes", ["from": event, "collection": "notes"])["changes"]
    #expect((changed as? [[String: Any]])?.count == 2)
    #expect((try agent.call("conflicts")["conflicts"] as? [Any])?.isEmpty == true)
    let resource = try agent.result("resources/read", ["uri": "daybook://entity/notes/a%2F1"])
    #expect("\(resource)".contains("Oats"))
    let note = try agent.result("resources/read", ["uri": "daybook://note/a%2F1"])
    let content = (note["contents"] as? [[String: Any]])?.first
    #expect(content?["text"] as? String == "# Oats\n\nbuy two")
    #expect(content?["mimeType"] as? String == "text/markdown")
  }

  @Test("all that an agent did is taken back by one call, and what a person did stays")
  func takenBack() throws {
    try Evtool.run("put", store, "notes", "mine", "title=Mine", "--actor", "ann")
    let sql = "SELECT * FROM notes ORDER BY id"
    let (before, links) = (try rows(sql), try rows("SELECT * FROM links ORDER BY id"))
    let found = try Evtool.run("search", store, "mine OR oat", "--json").output
    let agent = try AgentClient(store, "--actor", "robot")
    for number in 0..<30 {
      try agent.call(
        "insert", ["collection": "notes", "id": "k\(number)", "fields": ["title": "oat \(number)"]])
    }
    for number in 1..<30 {
      try agent.call("link", ["collection": "links", "from": "notes/k0", "to": "notes/k\(number)"])
    }
    try agent.call("update", ["collection": "notes", "id": "mine", "fields": ["title": "Robot's"]])
    try agent.call("delete", ["collection": "notes", "id": "k29"])
    #expect(try rows(sql) != before)
    let undone = try agent.call("undo_all_of_actor")
    #expect(undone["event"] is String)
    #expect(try rows(sql) == before)
    #expect(try rows("SELECT * FROM links ORDER BY id") == links)
    #expect(try Evtool.run("search", store, "mine OR oat", "--json").output == found)
    #expect(try agent.call("undo_all_of_actor")["event"] is NSNull)
    // A person takes the undo back, and then all of it again by the command.
    try agent.call("undo", ["event": try #require(undone["event"])])
    #expect(try rows("SELECT count(*) AS n FROM notes WHERE id LIKE 'k%'").contains("29"))
    agent.endInput()
    agent.process.waitUntilExit()
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("integers beyond 2^53 are texts in both directions, and no digit is lost")
  func exact() throws {
    try folder.write(
      #"{"op":"define","collection":"big","fields":[{"name":"n","type":"integer"}]}"#, "d.ndjson")
    try #require(try Evtool.run("import", store, folder.path("d.ndjson")).status == 0)
    let agent = try AgentClient(store)
    for (id, text) in [("max", "9223372036854775807"), ("min", "-9223372036854775808")] {
      try agent.call("insert", ["collection": "big", "id": id, "fields": ["n": text]])
      let entity =
        try agent.call("get", ["collection": "big", "id": id])["entity"] as? [String: Any]
      #expect((entity?["fields"] as? [String: Any])?["n"] as? String == text)
      let rows = try agent.call("query", ["sql": "SELECT n FROM big WHERE id = '\(id)'"])["rows"]
      #expect(rows as? [[String]] == [[text]])
    }
    let small = try agent.call("query", ["sql": "SELECT 9007199254740992, 9007199254740993"])[
      "rows"]
    let row = try #require((small as? [[Any]])?.first)
    #expect(row[0] as? Int == 9_007_199_254_740_992 && row[1] as? String == "9007199254740993")
  }

  @Test("a long result comes in pages, and a cursor of another call is refused")
  func pages() throws {
    let agent = try AgentClient(store)
    let sql = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
      SELECT i FROM n
      """
    var (seen, cursor): ([Int], String?) = ([], nil)
    for _ in 0..<3 {
      var arguments: [String: Any] = ["sql": sql, "limit": 1000]
      if let cursor { arguments["cursor"] = cursor }
      let page = try agent.call("query", arguments)
      seen += try #require(page["rows"] as? [[Int]]).map { $0[0] }
      #expect(page["truncated"] as? Bool == true)
      cursor = try #require(page["cursor"] as? String)
    }
    #expect(seen == Array(1...3000))
    let other = try agent.refusal("query", ["sql": "SELECT 1", "cursor": try #require(cursor)])
    #expect(other.contains("another call"))
    #expect(try agent.refusal("query", ["sql": sql, "cursor": "zz"]).contains("no cursor"))
    #expect(try agent.refusal("query", ["sql": sql, "limit": 100_000]).contains("1000"))
    // One row that is larger than any page is a page.
    let large = try agent.call("query", ["sql": "SELECT printf('%.*c', 1000000, 'x')"])
    #expect((large["rows"] as? [[String]])?.first?.first?.count == 1_000_000)
  }
}
