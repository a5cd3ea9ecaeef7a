import Daybook
import Foundation
import Testing

@testable import DaybookGQL

/// Results that follow the store, and results of its past.
@Suite struct LiveQueryTests {
  private struct Person: Decodable, Equatable, Sendable {
    var name: String
    var age: Int?
  }

  @Test("rows are delivered now and after every change, and equal ones once")
  func rows() async throws {
    let store = try await Store.inMemory()
    try await store.gql("CREATE (:Person {name: 'Ann'})")
    let people = store.observe(
      gql: "MATCH (p:Person) WHERE p.age > $age OR p.age IS NULL RETURN p ORDER BY p.name",
      ["age": 20], as: Person.self)
    var values = people.makeAsyncIterator()
    #expect(try await values.next() == [Person(name: "Ann")])
    try await store.gql("MATCH (p:Person) SET p.age = 30")
    #expect(try await values.next() == [Person(name: "Ann", age: 30)])
    // Neither changes the rows: the next value is that of the last statement.
    try await store.gql("CREATE (:Place {name: 'Oslo'})")
    try await store.gql("CREATE (:Person {name: 'Bob', age: 3})")
    try await store.gql("CREATE (:Person {name: 'Cid', age: 40})")
    let last = try await values.next()
    #expect(last == [Person(name: "Ann", age: 30), Person(name: "Cid", age: 40)])
    try await store.close()
    #expect(try await values.next() == nil)
  }

  @Test("a node whose property changes is another row, also without a type")
  func whole() async throws {
    let store = try await Store.inMemory()
    try await store.gql("CREATE (:A {x: 1})-[:R {y: 1}]->(:B)")
    var results = GQLSession(store).observe("MATCH p = ()-[]->() RETURN p").makeAsyncIterator()
    #expect(try await results.next()?.rows.count == 1)
    try await store.gql("MATCH ()-[r]->() SET r.y = 2")
    guard case .path(let path)? = try await results.next()?.rows[0][0] else {
      Issue.record("the row is no path")
      return
    }
    #expect(path.relationships[0].properties[key: "y"] == 2)
    try await store.close()
  }

  @Test("a query that is wrong, or writes, ends with its error")
  func wrong() async throws {
    let store = try await Store.inMemory()
    for (text, detail) in [
      ("MATCH (n RETURN n", "UnexpectedSyntax"), ("CREATE (n) RETURN n", "ReadOnly"),
      ("CREATE GRAPH g", "InvalidArgumentValue"), ("RETURN $x AS x", "MissingParameter"),
    ] {
      var values = store.observe(gql: text, as: Person.self).makeAsyncIterator()
      let error = await #expect(throws: GQLError.self, "\(text)") { try await values.next() }
      #expect(error?.detail == detail, "\(text)")
    }
    try await store.close()
  }

  @MainActor @Test("a view has the rows, whether they are loading, the error, and refresh")
  func view() async throws {
    let store = try await Store.inMemory()
    let people = LiveQuery(
      store.observe(gql: "MATCH (p:Person) RETURN p", as: Person.self), initially: [])
    #expect(people.isLoading && people.value.isEmpty && people.error == nil)
    try await store.gql("CREATE (:Person {name: 'Ann'})")
    while people.value.isEmpty { await Task.yield() }
    #expect(people.value == [Person(name: "Ann")] && !people.isLoading)
    // A row that is no person is an error, and the rows before stay.
    try await store.gql("CREATE (:Person {name: 7})")
    while people.error == nil { await Task.yield() }
    #expect(people.error is DecodingError && people.value.count == 1)
    try await store.gql("MATCH (p:Person {name: 7}) DELETE p")
    people.refresh()
    while people.isLoading { await Task.yield() }
    #expect(people.value == [Person(name: "Ann")])
    try await store.close()
  }

  // MARK: - The past

  @Test("AT TIME reads the graph as it was, by date, position or parameter, and writes nothing")
  func past() async throws {
    let store = try await Store.inMemory()
    let first = try #require(try await store.gql("CREATE (:A {x: 1})").event)
    let second = try #require(try await store.gql("MATCH (n:A) SET n.x = 2").event)
    func value(_ time: String, _ parameters: [String: GQLValue] = [:]) async throws -> [GQLValue] {
      try await store.gql("AT TIME \(time) MATCH (n) RETURN n.x AS x", parameters).column("x")
    }
    #expect(try await value("'\(first.origin):\(first.sequence)'") == [1])
    let event: GQLValue = .string("\(second.origin):\(second.sequence)")
    #expect(try await value("$event", ["event": event]) == [2])
    #expect(try await value("datetime() + duration('P1D')") == [2])
    #expect(try await value("date('2001-01-01')").isEmpty)
    #expect(try await value("0").isEmpty)
    let error = await #expect(throws: GQLError.self) {
      try await store.gql("AT TIME date() MATCH (n) SET n.x = 3")
    }
    #expect(error?.code == .readOnly)
    await #expect(throws: StoreError.self) { try await value("'nonsense'") }
    // The far ends of time are times.
    for end in ["date({year: 999999999})", "date({year: -999999999})", "\(Int64.max)"] {
      _ = try await value(end)
    }
    // A session stands at a position, too.
    var options = GQLSession.Options()
    options.position = .event(first)
    let session = GQLSession(store, options: options)
    #expect(try await session.run("MATCH (n) RETURN n.x AS x").column("x") == [1])
    await #expect(throws: GQLError.self) { try await session.run("CREATE (:A)") }
    await #expect(throws: GQLError.self) { try await session.run("CREATE GRAPH g") }
    try await store.close()
  }

  // MARK: - Procedures

  @Test("the store's procedures search, rank and tell what has happened, now and in the past")
  func storeProcedures() async throws {
    let store = try await Store.inMemory()
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("title").searchable()]))
      try tx.insert("notes", "n1", ["title": "oat milk"])
      try tx.insert("notes", "n2", ["title": "tea"])
    }
    let session = GQLSession(store, actor: "ann")
    let found = try await session.run(
      "CALL store.search('oat', 5) YIELD node, score, snippet WHERE score > 0 "
        + "RETURN node.id, snippet"
    )
    #expect(found.rows == [["n1", "[oat] milk"]])
    // What was written just now is found, and the past has what it had.
    try await session.run("MATCH (n:notes {id: 'n2'}) SET n.title = 'oat tea'")
    #expect(try await session.run("CALL store.search('oat', 5)").rows.count == 2)
    try await session.run(
      "CREATE (a:P {name: 'a'}), (b:P {name: 'b'}), (c:P {name: 'c'}), (a)-[:R]->(c), (b)-[:R]->(c)"
    )
    let ranks = try await session.run(
      "CALL store.importance(['R'], 1) YIELD node, score RETURN node.name")
    #expect(ranks.rows == [["c"]])
    #expect(try await session.run("CALL store.importance(['Nothing'], 1)").rows.isEmpty)
    try await session.run("MATCH (p:P {name: 'a'}) SET p.age = 30, p:Q")
    let history = try await session.run(
      """
      MATCH (p:P {name: 'a'}) CALL store.history(p) YIELD actor, kind, name, before, after
      WHERE kind = 'update' RETURN actor, name, before, after ORDER BY name
      """)
    #expect(
      history.rows == [["ann", ":Q", false, true], ["ann", "age", .null, 30]], "\(history.rows)")
    for text in [
      "CALL store.search('\"', 5)", "CALL store.search('a', -1)", "CALL store.history(1)",
    ] {
      await #expect(throws: GQLError.self, "\(text)") { try await session.run(text) }
    }
    let writing = await #expect(throws: GQLError.self) {
      try await session.run("CALL store.search('oat', 5) YIELD node SET node.title = 'x'")
    }
    #expect(writing?.code == .unsupported)
    try await store.close()
  }

  @Test("what was written after a moment is told by element, the latest first")
  func changes() async throws {
    let store = try await Store.inMemory()
    let (ann, bob) = (GQLSession(store, actor: "ann"), GQLSession(store, actor: "bob"))
    try await ann.run("CREATE (:P {name: 'a', age: 1}), (:P {name: 'b'}), (:P {name: 'c'})")
    let begin = try #require(try await ann.run("MATCH (p {name: 'c'}) SET p.age = 9").event)
    try await bob.run("MATCH (p {name: 'a'}) SET p.age = 2")
    try await ann.run("MATCH (a {name: 'a'}), (b {name: 'b'}) CREATE (a)-[:R {since: 2020}]->(b)")
    try await bob.run("MATCH (p {name: 'c'}) DELETE p")
    let query = """
      CALL store.changes($since, 10) YIELD element, actor, kind, name, before, after
      RETURN element.name, element IS NULL AS isGone, actor, kind, name, before, after
      """
    let rows = try await ann.run(query, ["since": .string("\(begin)")]).rows
    // A write has a row for each property, and all of one write are together.
    var writes: [[GQLValue]] = []
    for row in rows where writes.last != Array(row[1...3]) { writes.append(Array(row[1...3])) }
    #expect(
      writes == [[true, "bob", "delete"], [false, "ann", "insert"], [false, "bob", "update"]],
      "\(rows)")
    #expect(rows.last == ["a", false, "bob", "update", "age", 1, 2])
    let short = try await ann.run("CALL store.changes($since, 1)", ["since": .string("\(begin)")])
    #expect(short.rows.count == 1)
    #expect(try await ann.run("CALL store.changes(date('9999-01-01'), 10)").rows.isEmpty)
    let all = try await ann.run("CALL store.changes(0, 100) YIELD id RETURN DISTINCT id")
    #expect(all.rows.count == 4)
    #expect(try await ann.run("CALL store.changes(null, 10)").rows.isEmpty)
    for text in ["'x'", "'x:1'", "':1'", "'0:99999999999999999999'", "'zz:1:2'", "true", "[1]"] {
      await #expect(throws: GQLError.self, "\(text)") {
        try await ann.run("CALL store.changes(\(text), 10)")
      }
    }
    try await store.close()
  }

  @Test("a name that nothing has had is noted, with the one that may be meant")
  func notes() async throws {
    let store = try await Store.inMemory()
    try await store.gql("CREATE (:Person {name: 'Ann'})-[:KNOWS {since: 1}]->(:Person)")
    for (text, words) in [
      (
        "MATCH (p:Persn) RETURN p",
        ["1:7: no node has had the label “Persn”. Did you mean “Person”?"]
      ),
      (
        "MATCH (p)-[:KNOW]->() RETURN p",
        [
          "1:10: no relationship has had the type “KNOW”. Did you mean “KNOWS”?"
        ]
      ),
      (
        "MATCH (p:Person)\nWHERE p.nam = 1 RETURN p.name",
        [
          "2:9: nothing has had the property “nam”. Did you mean “name”?"
        ]
      ),
      ("MATCH (p:Person {xyzzy: 1}) RETURN p", ["1:7: nothing has had the property “xyzzy”"]),
      (
        "MATCH (p) WHERE EXISTS { (p)-[:KNOWS]->(:Persn) } RETURN p:Prson",
        [
          "1:40: no node has had the label “Persn”. Did you mean “Person”?",
          "1:58: no node has had the label “Prson”. Did you mean “Person”?",
        ]
      ),
      (
        "MATCH (p:Persn) SET p.x = 1",
        [
          "1:7: no node has had the label “Persn”. Did you mean “Person”?"
        ]
      ),
      ("MATCH (p:!Nothing)-[k:KNOWS|KNOWS {since: 1}]->() RETURN p.name, k.since", []),
      ("CREATE (a:New {made: 1}) RETURN a.made", []),
      ("RETURN {a: 1}.b, date('2020-01-01').year", []),
    ] {
      let result = try await store.gql(text)
      #expect(result.notes.map(\.description) == words, "\(text)")
    }
    try await store.close()
  }

  @Test("an app's own procedure takes typed arguments and yields rows")
  func ownProcedure() async throws {
    let store = try await Store.inMemory()
    var options = GQLSession.Options()
    options.procedures = [
      GQLProcedure(
        "app.times", arguments: [.init("text", .string), .init("count", .integer)],
        fields: ["text", "number"]
      ) { values in
        guard case .integer(let count) = values[1] else { return [] }
        return (0..<count).map { [values[0], .integer($0)] }
      },
      GQLProcedure("app.wrong", arguments: [], fields: ["a"]) { _ in [[]] },
    ]
    let session = GQLSession(store, options: options)
    let rows = try await session.run(
      "UNWIND ['a', 'b'] AS t CALL app.times(t, 2) YIELD text AS u, number WHERE number > 0 "
        + "RETURN u, number"
    ).rows
    #expect(rows == [["a", 1], ["b", 1]])
    // Alone, it takes its arguments from the parameters.
    let alone = try await session.run("CALL app.times", ["text": "c", "count": 1])
    #expect(alone.columns == ["text", "number"] && alone.rows == [["c", 0]])
    for (text, detail) in [
      ("CALL app.times('a', 'b')", "InvalidArgumentType"),
      ("UNWIND ['a'] AS x CALL app.times('a', x) YIELD text RETURN text", "InvalidArgumentType"),
      ("CALL app.times('a')", "InvalidNumberOfArguments"),
      ("CALL app.time('a')", "ProcedureNotFound"), ("CALL app.wrong()", "InvalidArgumentValue"),
    ] {
      let error = await #expect(throws: GQLError.self) { try await session.run(text) }
      #expect(error?.detail == detail, "\(text)")
    }
    try await store.close()
  }
}
