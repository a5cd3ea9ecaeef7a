import Foundation
import Testing

/// The calls of the inspector, as other programs make them.
@Suite struct InspectAPITests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("the description names every call with its parameters, and each answers as described")
  func description() throws {
    let (ann, _) = try folder.makeConflict()
    let inspect = try InspectProcess(ann)
    let described = try inspect.get("openapi.json", token: "")
    #expect(described.status == 200)
    let paths = try #require(described.json["paths"] as? [String: [String: [String: Any]]])
    #expect(paths.count > 28)
    let event = try #require(
      (try inspect.get("moment").json["last"] as? [String: Any])?["event"] as? String)
    let given: [String: String] = [
      "collection": "notes", "id": "n1", "field": "title", "event": event, "text": "milk",
      "at": event, "from": event, "vertex": "notes/n1",
    ]
    for (path, methods) in paths.sorted(by: { $0.key < $1.key }) {
      guard let call = methods["get"], path != "/api/changes" else { continue }
      var query: [String: String] = [:]
      for parameter in call["parameters"] as? [[String: Any]] ?? []
      where parameter["required"] as? Bool == true {
        let name = try #require(parameter["name"] as? String)
        query[name] = try #require(given[name], "\(path) \(name)")
      }
      let answer = try inspect.get(String(path.dropFirst(5)), query)
      #expect(answer.status == 200, "\(path): \(answer.text)")
      let content =
        ((call["responses"] as? [String: Any])?["200"] as? [String: Any])?["content"]
        as? [String: [String: Any]]
      guard let schema = content?["application/json"]?["schema"] as? [String: Any] else { continue }
      let required = Set(schema["required"] as? [String] ?? [])
      #expect(required == Set(answer.json.keys), "\(path)")
      for (name, member) in schema["properties"] as? [String: [String: Any]] ?? [:] {
        #expect(Self.fits(answer.json[name], member["type"]), "\(path) \(name)")
      }
    }
  }

  /// Returns whether a value of an answer is of a type in JSON, or of one of several.
  private static func fits(_ value: Any?, _ type: Any?) -> Bool {
    if let types = type as? [String] { return types.contains { fits(value, $0) } }
    switch type as? String {
    case "string": return value is String
    case "integer":
      return (value as? NSNumber).map { $0.doubleValue.rounded() == $0.doubleValue } ?? false
    case "number", "boolean": return value is NSNumber
    case "array": return value is [Any]
    case "object": return value is [String: Any]
    case "null": return value is NSNull
    default: return false
    }
  }

  @Test("the document names every call, and no other")
  func document() throws {
    let inspect = try InspectProcess(try folder.makeStore())
    let paths = try #require(
      try inspect.get("openapi.json").json["paths"] as? [String: [String: Any]])
    let described = Set(
      paths.flatMap { path, methods in
        methods.keys.map { "\($0.uppercased()) \(path.dropFirst(5))" }
      })
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/http-api.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let named = Set(
      rows.flatMap { $0.matches(of: /`((?:GET|POST) [\w\/]+)`/).map { String($0.1) } })
    #expect(named == described)
  }

  // MARK: - Access

  @Test("nobody reads or writes without the token")
  func token() throws {
    let inspect = try InspectProcess(try folder.makeStore())
    for wrong in ["", "00", String(repeating: "0", count: 64), inspect.token + "0"] {
      #expect(try inspect.get("store", token: wrong).status == 401)
      let write: [String: Any] = [
        "operations": [["op": "delete", "collection": "notes", "id": "n1"]]
      ]
      #expect(try inspect.post("write", write, token: wrong).status == 401)
      #expect(try inspect.post("undo", ["event": "aaaa:1"], token: wrong).status == 401)
    }
    #expect(try folder.fields(folder.path("store"), "n1")["title"] as? String == "Oat milk")
  }

  @Test("a page of another origin, or one whose host name leads here, is refused")
  func origins() throws {
    let inspect = try InspectProcess(try folder.makeStore())
    func status(_ headers: [String: String]) throws -> Int {
      try inspect.get("store", headers: headers).status
    }
    let own = "127.0.0.1:\(inspect.port)"
    #expect(try status(["Origin": "http://\(own)"]) == 200)
    #expect(try status(["Sec-Fetch-Site": "same-origin"]) == 200)
    #expect(try status(["Host": "localhost:\(inspect.port)"]) == 200)
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"] {
      #expect(try status(["Origin": origin]) == 403, "\(origin)")
    }
    #expect(try status(["Sec-Fetch-Site": "cross-site"]) == 403)
    #expect(try status(["Sec-Fetch-Site": "same-site"]) == 403)
    for host in [
      "evil.example", "127.0.0.1.evil.example", "evil.example:\(inspect.port)", "0.0.0.0",
    ] {
      #expect(try status(["Host": host]) == 421, "\(host)")
      #expect(try inspect.request("GET", "/", headers: ["Host": host]).status == 421, "\(host)")
    }
    let page = try inspect.request("GET", "/", token: "")
    #expect(page.status == 200)
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
    #expect(!policy.contains("unsafe") && !policy.contains("http"))
    #expect(page.headers["access-control-allow-origin"] == nil)
    #expect(try inspect.request("OPTIONS", "/api/write", token: "").status == 405)
  }

  @Test("a page for reading only writes nothing, and an address that others reach is refused")
  func readOnly() throws {
    let store = try folder.makeStore()
    let inspect = try InspectProcess(store, "--read-only")
    #expect(try inspect.get("store").json["readOnly"] as? Bool == true)
    #expect(try inspect.get("rows", ["collection": "notes"]).status == 200)
    for path in ["write", "undo", "redo", "conflicts/settle", "backup", "peers/sync"] {
      let answer = try inspect.post(path)
      #expect(answer.status == 403 && answer.code == "readOnly", "\(path)")
    }
    let refused = try Evtool.run("inspect", store, "--no-open", "--listen", "0.0.0.0:0")
    #expect(refused.isRefusal(2, "this machine only"))
    #expect(try Evtool.run("inspect", store, "--listen", "nowhere").isRefusal(2, "no address"))
  }

  // MARK: - Bad input

  @Test("malformed requests are refused with a cure, and the inspector goes on")
  func malformed() throws {
    let inspect = try InspectProcess(try folder.makeStore())
    func post(_ path: String, _ body: String, type: String = "application/json") throws -> Int {
      let answer = try inspect.request(
        "POST", "/api/\(path)", headers: ["Content-Type": type], body: Data(body.utf8))
      #expect(answer.json["message"] is String, "\(answer.text)")
      return answer.status
    }
    for body in [
      "{", "[]", "nul", "{\"sql\":1}", "{\"sql\":\"\",\"sql\":\"\"}", "\u{0}", "{\"x\":1}",
    ] {
      #expect(try post("sql", body) == 400, "\(body)")
    }
    #expect(try post("sql", "{\"sql\":\"SELECT 1\"}", type: "text/plain") == 415)
    #expect(try post("nothing", "{}") == 404)
    #expect(try post("store", "{}") == 405)
    for query in [
      "limit=x", "limit=0", "limit=1&limit=2", "x=1", "collection=%ff", "collection=%4",
    ] {
      #expect(try inspect.request("GET", "/api/rows?\(query)").status == 400, "\(query)")
    }
    #expect(try inspect.get("rows", ["collection": "noets"]).text.contains("notes"))
    #expect(try inspect.get("event", ["event": "zz"]).status == 400)
    #expect(
      try inspect.get("event", ["event": "\(String(repeating: "0", count: 32)):7"]).status != 200)
    #expect(try inspect.get("moment", ["at": "{\"a\":"]).status == 400)
    #expect(try inspect.get("moment", ["at": "\(Int64.max)"]).status == 400)
    #expect(try inspect.post("write", ["operations": []]).status == 400)
    #expect(
      try inspect.post("write", ["operations": [["op": "update", "collection": "notes"]]]).status
        == 400)
    #expect(try inspect.get("store").status == 200)
  }

  @Test("SQL that writes, attaches or does not end is refused, and changes nothing")
  func sql() throws {
    let store = try folder.makeStore()
    let inspect = try InspectProcess(store)
    for sql in [
      "DELETE FROM notes", "UPDATE notes SET title = 'x'", "DROP TABLE notes",
      "ATTACH '\(folder.path("x"))' AS x", "PRAGMA writable_schema = 1", "VACUUM INTO 'x'",
      "WITH a AS (SELECT 1) DELETE FROM notes", "SELECT 1; SELECT 2", "SELECT load_extension('x')",
      "BEGIN", "",
    ] {
      let answer = try inspect.post("sql", ["sql": sql])
      #expect(answer.status == 400, "\(sql): \(answer.text)")
    }
    let endless =
      "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT max(n) FROM a"
    let began = ContinuousClock.now
    let stopped = try inspect.post("sql", ["sql": endless, "seconds": 1])
    #expect(stopped.status == 400 && stopped.text.contains("longer than 1 seconds"))
    #expect(ContinuousClock.now - began < .seconds(20))
    let good = try inspect.post(
      "sql", ["sql": "SELECT title FROM notes WHERE id = ?", "parameters": ["n1"], "plan": true])
    #expect(good.json["rows"] as? [[String]] == [["Oat milk"]])
    #expect((good.json["plan"] as? [Any])?.isEmpty == false)
    #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("a query in GQL reads now and the past, with its plan, and cannot write")
  func gql() throws {
    let store = try folder.makeStore()
    let inspect = try InspectProcess(store)
    let good = try inspect.post(
      "gql",
      [
        "query": "MATCH (a:notes {id: $id})-[:links]->(b) RETURN b.title AS title",
        "parameters": ["id": "n1"], "plan": true,
      ])
    #expect((good.json["rows"] as? [[String]])?.isEmpty == false, "\(good.text)")
    #expect((good.json["plan"] as? [String])?.isEmpty == false)
    #expect(good.json["columns"] as? [String] == ["title"])
    let node = try inspect.post("gql", ["query": "MATCH (n:notes {id: 'n1'}) RETURN n"])
    let cell = (node.json["rows"] as? [[[String: Any]]])?.first?.first
    #expect(cell?["id"] as? String == "n1" && cell?["labels"] as? [String] == ["notes"])
    for (query, words) in [
      ("CREATE (n)", "no query that only reads"), ("MATCH (n RETURN n", "line 1, column 10"),
      ("RETURN $x", "$x"), ("", "clause"), ("CREATE GRAPH g", "no query that only reads"),
    ] {
      let answer = try inspect.post("gql", ["query": query])
      #expect(answer.status == 400 && answer.text.contains(words), "\(query): \(answer.text)")
    }
    let odd = try inspect.post("gql", ["query": "MATCH (n:note) RETURN n"])
    #expect((odd.json["notes"] as? [String])?.first?.contains("“notes”") == true, "\(odd.text)")
    let plan = try inspect.post("gql", ["query": "EXPLAIN MATCH (n:notes) RETURN n"])
    #expect(plan.json["columns"] as? [String] == ["plan"], "\(plan.text)")
    let endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)"
    let stopped = try inspect.post("gql", ["query": endless, "seconds": 1])
    #expect(stopped.status == 400 && stopped.text.contains("time"), "\(stopped.text)")
    let numbers = try inspect.post("gql", ["query": "UNWIND range(1, 500) AS n RETURN n"])
    #expect(numbers.json["truncated"] as? Bool == true)
    let next = try inspect.post(
      "gql",
      [
        "query": "UNWIND range(1, 500) AS n RETURN n",
        "cursor": try #require(numbers.json["cursor"] as? String),
      ])
    let count = (numbers.json["rows"] as? [Any])?.count ?? 0
    #expect((next.json["rows"] as? [[Int]])?.first == [count + 1])
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("a page reads on by its cursor, and the cursor of another query is refused")
  func cursors() throws {
    let store = folder.path("many")
    try Evtool.run("init", store)
    try Evtool.run("import", store, try folder.writeInserts(2500, prefix: "t", name: "many.ndjson"))
    let inspect = try InspectProcess(store)
    var (ids, cursor): (Set<String>, String?) = ([], nil)
    repeat {
      var query = ["collection": "things", "limit": "1000", "sort": "title"]
      query["cursor"] = cursor
      let page = try inspect.get("rows", query)
      ids.formUnion(page.list("rows").compactMap { $0["id"] as? String })
      cursor = page.json["cursor"] as? String
    } while cursor != nil
    #expect(ids.count == 2499)
    let first = try inspect.get("rows", ["collection": "things", "limit": "10"])
    let other = try #require(first.json["cursor"] as? String)
    let refused = try inspect.get(
      "rows", ["collection": "things", "sort": "title", "cursor": other])
    #expect(refused.status == 400 && refused.text.contains("another call"))
    #expect(try inspect.get("rows", ["collection": "things", "limit": "1000000"]).status == 400)
    let far = try inspect.get(
      "rows", ["collection": "things", "offset": "2490", "count": "true"])
    #expect(far.list("rows").count == 9 && far.json["count"] as? Int == 2499)
  }

  @Test("ids and texts with NUL are found, filtered and exported like others")
  func zeros() throws {
    let inspect = try InspectProcess(try folder.makeStore())
    let count = 1_100
    for start in stride(from: 0, to: count, by: 100) {
      let operations = (start..<start + 100).map { number -> [String: Any] in
        [
          "op": "insert", "collection": "notes", "id": "a\u{0}\(10_000 + number)",
          "fields": ["title": "t\u{0}\(number)"],
        ]
      }
      #expect(try inspect.post("write", ["operations": operations]).status == 200)
    }
    let whole = try inspect.request("GET", "/api/export?collection=notes&format=ndjson").text
    #expect(whole.components(separatedBy: "a\\u0000").count == count + 1)
    for (sql, parameters) in [
      ("SELECT title FROM notes WHERE id = ?", ["a\u{0}10007"] as Any),
      ("SELECT title FROM notes WHERE id = :id", ["id": "a\u{0}10007"] as Any),
    ] {
      let answer = try inspect.post("sql", ["sql": sql, "parameters": parameters])
      #expect(answer.json["rows"] as? [[String]] == [["t\u{0}7"]], "\(answer.text)")
    }
    let filter = #"[{"field":"title","is":"equal","value":"t\u00007"}]"#
    let rows = try inspect.get("rows", ["collection": "notes", "filter": filter])
    let cells = rows.list("rows").first?["cells"] as? [Any]
    #expect(rows.list("rows").count == 1 && cells?.first as? String == "t\u{0}7", "\(rows.text)")
  }

  @Test("a store that is removed, damaged or locked meanwhile is said to be so")
  func storeInTrouble() throws {
    let store = try folder.makeStore()
    let inspect = try InspectProcess(store)
    #expect(try inspect.get("store").status == 200)
    try FileManager.default.moveItem(atPath: store, toPath: store + ".moved")
    let write = try inspect.post(
      "write",
      [
        "operations": [
          ["op": "update", "collection": "notes", "id": "n1", "fields": ["title": "x"]]
        ]
      ])
    #expect(write.status != 200)
    #expect(write.json["cure"] is String, "\(write.text)")
    try FileManager.default.moveItem(atPath: store + ".moved", toPath: store)
    #expect(try inspect.terminate().status == 0)
    let log = store + "/log"
    let segment = try #require(
      try FileManager.default.contentsOfDirectory(atPath: log).first { $0.hasSuffix(".segment") })
    let path = URL(fileURLWithPath: log + "/" + segment)
    var bytes = try Data(contentsOf: path)
    bytes[600] ^= 0xFF
    try bytes.write(to: path)
    let damaged = try InspectProcess(store)
    #expect(try damaged.get("store").json["damaged"] as? Bool == true)
    let status = try damaged.get("status")
    #expect(status.json["healthy"] as? Bool == false && !status.list("problems").isEmpty)
    #expect(try damaged.get("rows", ["collection": "notes"]).list("rows").count == 3)
  }
}
