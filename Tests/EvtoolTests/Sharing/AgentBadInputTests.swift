import Foundation
import Testing

/// `evtool mcp` with messages, SQL and stores that are not as they should be.
@Suite struct AgentBadInputTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  private static func code(_ answer: [String: Any]?) -> Int? {
    (answer?["error"] as? [String: Any])?["code"] as? Int
  }

  @Test("a line that is no call is answered with the error that the protocol has for it")
  func noCalls() throws {
    let agent = try AgentClient(store)
    let cases: [(String, Int)] = [
      ("{", -32700), ("[1]", -32600), ("7", -32600), ("{}", -32600),
      (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, -32601),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fly"}}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
      (
        #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}"#,
        -32602
      ),
      (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, -32602),
      (
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":"#
          + #"{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}"#,
        -32022
      ),
      (String(repeating: "[", count: 100_000), -32700),
      (#"{"jsonrpc":"2.0","id":1,"method":"# + String(repeating: " ", count: 9 << 20), -32600),
    ]
    for (line, code) in cases {
      agent.send(line: Data(line.utf8))
      #expect(Self.code(try agent.next()) == code, "\(line.prefix(100))")
    }
    agent.send(line: Data([0xFF, 0xFE, 0x00]))
    #expect(Self.code(try agent.next()) == -32700)
    // What asks for nothing has no answer, and the server goes on.
    agent.send(line: Data("  ".utf8))
    agent.send(["jsonrpc": "2.0", "method": "notifications/odd"])
    agent.send(["jsonrpc": "2.0", "id": 9, "result": [:]])
    #expect(try agent.result("ping").isEmpty)
  }

  @Test("a request before its session is refused, and one that stands alone is not")
  func sessions() throws {
    let agent = try AgentClient(store, version: .stateless)
    agent.send(["jsonrpc": "2.0", "id": 1, "method": "tools/list"])
    #expect(Self.code(try agent.next()) == -32600)
    #expect(try agent.result("tools/list")["tools"] != nil)
  }

  @Test("10,000 random messages are each answered, and the server goes on")
  func random() throws {
    var random = SplitMix(seed: 42)
    let agent = try AgentClient(store)
    let tools = [
      "schema", "get", "query", "gql", "search", "neighbors", "path", "history", "blame", "at",
      "changes", "conflicts", "insert", "update", "edit_text", "delete", "link", "settle", "undo",
      "undo_all_of_actor", "nothing",
    ]
    let names = [
      "collection", "id", "sql", "query", "text", "entity", "from", "to", "field", "fields",
      "find", "replace", "position", "event", "limit", "cursor", "parameters", "via", "value",
    ]
    func value(_ depth: Int) -> Any {
      switch random.next() % (depth > 2 ? 7 : 9) {
      case 0: return NSNull()
      case 1: return Int(truncatingIfNeeded: random.next()) >> Int(random.next() % 60)
      case 2: return Double(Int(truncatingIfNeeded: random.next())) * 1e250
      case 3: return random.next() % 2 == 0
      case 4:
        return [
          "notes", "links", "n1", "notes/n1", "title", "", "\u{0}", "e\u{301}", "2026-01-01",
        ][
          Int(random.next() % 9)]
      case 5:
        return [
          "SELECT 1", "SELECT * FROM notes", "DROP TABLE notes", "' OR 1=1 --",
          "MATCH (n) RETURN n", "MATCH (n) DELETE n",
        ][Int(random.next() % 6)]
      case 6: return String(repeating: "x", count: Int(random.next() % 300))
      case 7: return (0..<random.next() % 4).map { _ in value(depth + 1) }
      default:
        return Dictionary(
          (0..<random.next() % 4).map { _ in
            (names[Int(random.next() % UInt64(names.count))], value(depth + 1))
          },
          uniquingKeysWith: { first, _ in first })
      }
    }
    for number in 1...10_000 {
      var arguments: [String: Any] = [:]
      for _ in 0..<random.next() % 5 {
        arguments[names[Int(random.next() % UInt64(names.count))]] = value(0)
      }
      let message: [String: Any] = [
        "jsonrpc": "2.0", "id": 100_000 + number, "method": "tools/call",
        "params": [
          "name": tools[Int(random.next() % UInt64(tools.count))], "arguments": arguments,
        ],
      ]
      var line = try JSONSerialization.data(withJSONObject: message)
      let isCut = random.next() % 10 == 0
      if isCut { line = line.prefix(Int(random.next() % UInt64(line.count))) }
      if line.isEmpty { continue }
      agent.send(line: line)
      let answer = try #require(try agent.next(), "after \(number) messages")
      #expect(answer["result"] != nil || answer["error"] != nil)
      if !isCut { #expect(answer["id"] as? Int == 100_000 + number) }
    }
    agent.endInput()
    agent.process.waitUntilExit()
    #expect(agent.process.terminationStatus == 0)
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("SQL can only read, whatever it says, and ends")
  func sql() throws {
    let agent = try AgentClient(store)
    let other = folder.path("other.sqlite")
    for sql in [
      "DELETE FROM notes", "UPDATE notes SET title = 'x'", "DROP TABLE notes", "CREATE TABLE t(x)",
      "ATTACH '\(other)' AS o", "VACUUM INTO '\(other)'", "PRAGMA journal_mode = DELETE", "BEGIN",
      "SELECT 1; DELETE FROM notes", "WITH x AS (SELECT 1) DELETE FROM notes", "", "nonsense",
      "SELECT load_extension('x')", "SELECT * FROM nots", "SELECT \u{0}1",
      "INSERT INTO notes(id) VALUES ('x') RETURNING id", "PRAGMA query_only = 0",
      "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA writable_schema = 1",
      "SELECT length(zeroblob(70000000))", "SELECT * FROM pragma_journal_mode",
    ] {
      let words = try agent.refusal("query", ["sql": sql])
      #expect(!words.isEmpty, "\(sql)")
    }
    #expect(try agent.call("query", ["sql": "PRAGMA table_info(notes)"])["rows"] != nil)
    #expect(!FileManager.default.fileExists(atPath: other))
    #expect(try agent.refusal("query", ["sql": "SELECT * FROM nots"]).contains("“notes”"))
    let endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    let words = try agent.refusal("query", ["sql": endless, "seconds": 1])
    #expect(words.contains("longer than 1 second"))
    // A cancelled call has no answer, and the connection serves the next one.
    let id = agent.begin(
      "tools/call", ["name": "query", "arguments": ["sql": endless, "seconds": 60]])
    agent.send(["jsonrpc": "2.0", "method": "notifications/cancelled", "params": ["requestId": id]])
    #expect(try agent.call("query", ["sql": "SELECT count(*) FROM notes"])["rows"] != nil)
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("names that mean several entities, wrong types and old versions are refused with the cure")
  func refusals() throws {
    try folder.write(
      #"{"op":"define","collection":"people","fields":[{"name":"name","type":"text"}]}"#, "p.ndjson"
    )
    try #require(try Evtool.run("import", store, folder.path("p.ndjson")).status == 0)
    let agent = try AgentClient(store)
    for collection in ["notes", "people"] {
      try agent.call(
        "insert", ["collection": collection, "id": "same", "fields": [:] as [String: Any]])
    }
    let words = try agent.refusal("neighbors", ["entity": "same"])
    #expect(words.contains("Choices") && words.contains("people"))
    #expect(try agent.refusal("get", ["collection": "nots", "id": "x"]).contains("“notes”"))
    #expect(try agent.refusal("get", ["collection": "notes"]).contains("needs id"))
    #expect(
      try agent.refusal("get", ["collection": "notes", "id": "x", "ide": 1]).contains(
        "no parameter"))
    #expect(
      try agent.refusal("insert", ["collection": "notes", "id": "w", "fields": ["title": 7]])
        .contains("of type text"))
    #expect(
      try agent.refusal("insert", ["collection": "notes", "id": "w", "fields": ["titel": "x"]])
        .contains("“title”"))
    let entity =
      try agent.call("get", ["collection": "notes", "id": "same"])["entity"] as? [String: Any]
    let version = try #require(entity?["version"] as? String)
    let fields = ["title": "one"]
    try agent.call(
      "update", ["collection": "notes", "id": "same", "fields": fields, "version": version])
    let late = try agent.refusal(
      "update",
      ["collection": "notes", "id": "same", "fields": ["title": "two"], "version": version])
    #expect(late.contains("changed since"))
    #expect(
      try agent.refusal(
        "edit_text",
        ["collection": "notes", "id": "same", "field": "title", "find": "two", "replace": "x"]
      ).contains("does not hold"))
    #expect(try agent.refusal("undo", ["event": "2026-01-01"]).contains("no event"))
  }

  @Test("two agents and a person write at once, and each sees all of it")
  func together() throws {
    let (one, two) = (
      try AgentClient(store, "--actor", "one"), try AgentClient(store, "--actor", "two")
    )
    for number in 0..<20 {
      for (name, agent) in [("one", one), ("two", two)] {
        try agent.call(
          "insert", ["collection": "notes", "id": "\(name)\(number)", "fields": ["title": name]])
      }
      try Evtool.run("put", store, "notes", "ann\(number)", "title=ann", "--actor", "ann")
    }
    let sql =
      "SELECT title, count(*) FROM notes WHERE title IN ('one', 'two', 'ann') GROUP BY 1 ORDER BY 1"
    for agent in [one, two] {
      let rows = try agent.call("query", ["sql": sql])["rows"] as? [[Any]]
      #expect(rows?.map { $0[1] as? Int } == [20, 20, 20])
    }
    try two.call("undo_all_of_actor", ["actor": "one"])
    let left = try one.call("query", ["sql": sql])["rows"] as? [[Any]]
    #expect(left?.map { $0[0] as? String } == ["ann", "two"])
  }

  @Test("a call sees what the calls before it wrote, also if no answer was waited for")
  func order() throws {
    let agent = try AgentClient(store)
    var counts: [Int: Int] = [:]
    for number in 1...20 {
      _ = agent.begin(
        "tools/call",
        [
          "name": "insert",
          "arguments": ["collection": "notes", "id": "o\(number)", "fields": ["title": "ordered"]],
        ])
      let sql = "SELECT count(*) FROM notes WHERE title = 'ordered'"
      counts[agent.begin("tools/call", ["name": "query", "arguments": ["sql": sql]])] = number
    }
    for _ in 1...40 {
      let answer = try #require(try agent.next())
      guard let id = answer["id"] as? Int, let number = counts[id] else { continue }
      let result = answer["result"] as? [String: Any]
      let rows = (result?["structuredContent"] as? [String: Any])?["rows"] as? [[Any]]
      // Later ones may have been written by then, too.
      #expect(rows?.first?.first as? Int ?? 0 >= number, "\(answer)")
    }
  }

  @Test("SQL sees what another process wrote and what a rebuild made, also without writing itself")
  func rebuilt() throws {
    let agent = try AgentClient(store, "--read-only")
    let sql = "SELECT count(*) FROM notes WHERE title = 'late'"
    for number in 1...3 {
      let put = try Evtool.run("put", store, "notes", "late\(number)", "title=late")
      #expect(put.status == 0, "\(put)")
      #expect(try Evtool.run("rebuild", store).status == 0)
      let rows = try agent.call("query", ["sql": sql])["rows"] as? [[Any]]
      #expect(rows?.first?.first as? Int == number)
    }
  }

  @Test("a store that is removed or damaged while it is served is an error of the call")
  func lostStore() throws {
    let agent = try AgentClient(store)
    try agent.call("schema")
    try FileManager.default.moveItem(atPath: store, toPath: folder.path("elsewhere"))
    let words = try agent.refusal(
      "insert", ["collection": "notes", "id": "x", "fields": ["title": "x"]])
    #expect(!words.contains("Error("), "\(words)")
    #expect(try agent.result("ping").isEmpty)
    let gone = try Evtool.run("mcp", folder.path("missing"))
    #expect(gone.isRefusal(2, "no store") && gone.output.isEmpty, "\(gone)")
  }

  @Test("the server ends within a second of its input, a hang-up, or an output that nobody reads")
  func ends() throws {
    let endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    for way in 0..<3 {
      let agent = try AgentClient(store)
      _ = agent.begin(
        "tools/call", ["name": "query", "arguments": ["sql": endless, "seconds": 60]])
      #expect(try agent.call("schema")["collections"] != nil)
      let began = ContinuousClock.now
      switch way {
      case 0: agent.endInput()
      case 1: kill(agent.process.processIdentifier, SIGHUP)
      default:
        agent.closeOutput()
        agent.send(["jsonrpc": "2.0", "id": 1, "method": "ping"])
      }
      agent.process.waitUntilExit()
      // Far above a second, because other tests run beside.
      #expect(ContinuousClock.now - began < .seconds(10), "way \(way)")
    }
  }
}

/// A small generator of random numbers that a seed repeats.
private struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
