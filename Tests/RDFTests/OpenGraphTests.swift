import Daybook
import DaybookEventCore
import DaybookGQL
import DaybookRDF
import Foundation
import Testing

/// Statements in open graphs by name, and their way out again.
@Suite struct OpenGraphTests {
  private static let text = """
    @prefix : <http://x/> .
    :a a :C ; :p "v" , "v"@en , 1 , "a\\n\\"\\u0000/é"^^:d ; :q :b .
    :b :q [ :p "v" ] , _:n , () . _:n :p :a .
    GRAPH :g { :a :q :b } GRAPH _:h { :a :q :b }
    """

  private static func load(_ store: Store, _ text: String = text, into graph: String? = nil)
    async throws -> (new: Int, all: Int)
  {
    try await store.load(RDFReader(text, .trig), into: graph, scope: "1", actor: "ann", batch: 4)
  }

  private static func all(_ matches: RDFMatches) async throws -> [RDFStatement] {
    var statements: [RDFStatement] = []
    for try await statement in matches { statements.append(statement) }
    return statements
  }

  private static func events(_ store: Store) async throws -> [String] {
    var labels: [String] = []
    for try await event in store.events(EventQuery()) { labels.append(event.label) }
    return labels
  }

  private static func export(_ matches: RDFMatches, _ format: RDFFormat) async throws -> String {
    let file = WrittenFile()
    let count = try await matches.export(as: format) { file.write($0) }
    #expect(try Reading.statements(file.text, format).count == count)
    return file.text
  }

  @Test(
    "a file goes into the graph that is named, and again changes nothing",
    arguments: ["people", "/people", "/science/people"])
  func named(graph: String) async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      let session = GQLSession(store)
      try await session.run("CREATE SCHEMA /science")
      let all = try Reading.statements(Self.text, .trig).count
      #expect(try await Self.load(store, into: graph) == (all, all))
      let events = try await Self.events(store)
      #expect(events.count { $0.hasPrefix("create graph /") } == 1)
      #expect(try await Self.load(store, into: graph) == (0, all))
      #expect(try await Self.events(store) == events)
      #expect(try await Self.all(store.match()).isEmpty)
      #expect(try await Self.all(store.match(in: "/")).isEmpty)
      let found = try await Self.all(store.match(in: graph))
      #expect(found.count == all)
      #expect(
        try await Self.all(store.match(subject: found[0].subject, in: graph)).contains(found[0]))

      let path = graph.hasPrefix("/") ? graph : "/\(graph)"
      try await session.run("SESSION SET GRAPH \(path)")
      let rows = try await session.run(
        "MATCH (:Resource {iri: 'http://x/a'})-[t:TRIPLE]->(:Literal) RETURN count(t) AS n")
      #expect(try rows.decode([String: Int].self) == [["n": 4]])
    }
  }

  @Test("graphs hold statements apart, and one that was dropped is another when it is back")
  func dropped() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      let all = try Reading.statements(Self.text, .trig).count
      for graph in ["one", "two", nil] {
        #expect(try await Self.load(store, into: graph).new == all)
      }
      try await store.gql("DROP GRAPH /one")
      await #expect { try await Self.all(store.match(in: "one")) } throws: {
        ($0 as? StoreError)?.code == .unknownName
      }
      for graph in ["/two", "/"] {
        #expect(try await Self.all(store.match(in: graph)).count == all)
      }
      try await store.gql("CREATE GRAPH /one")
      #expect(try await Self.all(store.match(in: "one")).isEmpty)
      #expect(try await Self.load(store, into: "one").new == all)
    }
  }

  @Test("a graph that goes while a file is loaded ends the load")
  func gone() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      let made = try await store.gql("CREATE GRAPH /people").event
      let undone = try #require(made)
      var lines = (0..<100).map { "<a:\($0)> <a:p> \"\($0)\" .\n" }[...]
      let reader = RDFReader(.ntriples) { _ in
        if lines.count == 50 { _ = try store.blocking.undo(undone) }
        return Array((lines.popFirst() ?? "").utf8)
      }
      await #expect {
        try await store.load(reader, into: "people", scope: "", batch: 10)
      } throws: { ($0 as? StoreError)?.code == .unknownName }
      #expect(lines.count > 30)
      #expect(try await store.gql("CREATE GRAPH /people").event != nil)
    }
  }

  @Test(
    "a name that is no graph's is an error, and nothing is written",
    arguments: [
      ("", StoreError.Code.invalidName), ("a/b/c", .invalidName), ("//x", .invalidName),
      ("x/", .invalidName), ("/nowhere/people", .unknownName), ("/nowhere/\u{301}x", .unknownName),
    ])
  func wrong(path: String, code: StoreError.Code) async throws {
    try await TestStores.with { stores in
      await #expect { try await Self.load(stores[0], into: path) } throws: {
        ($0 as? StoreError)?.code == code
      }
      await #expect { try await Self.all(stores[0].match(in: path)) } throws: {
        ($0 as? StoreError)?.code == code
      }
      let events = try await Self.events(stores[0])
      #expect(events.isEmpty)
    }
  }

  @Test("G25: what was loaded is exported: equal bytes on replicas, and the same when loaded again")
  func exports() async throws {
    try await TestStores.with(3) { stores in
      for graph in [nil, "people"] {
        for store in stores[..<2] { _ = try await Self.load(store, into: graph) }
      }
      try await stores[0].syncOnce(with: StorePeer(stores[1]))
      for format in [RDFFormat.trig, .nquads] {
        for graph in ["/", "people"] {
          let text = try await Self.export(stores[0].match(in: graph), format)
          #expect(try await Self.export(stores[1].match(in: graph), format) == text)
          let matched = try await Self.all(stores[0].match(in: graph))
          #expect(try Set(Reading.statements(text, format)) == Set(matched))
          // Under other labels of blank nodes it is the same graph.
          let name = "\(format)\(graph == "/" ? "main" : graph)"
          _ = try await stores[2].load(RDFReader(text, format), into: name, scope: "2")
          let again = try await Self.export(stores[2].match(in: name), format)
          #expect(Self.unlabeled(again, format) == Self.unlabeled(text, format))
        }
      }
      let part = try await Self.export(
        stores[0].match(predicate: IRI("http://x/p"), object: .literal(RDFLiteral("v"))), .turtle)
      #expect(try Reading.statements(part, .turtle).count == 2)
      await #expect { try await Self.export(stores[0].match(), .turtle) } throws: {
        ($0 as? RDFError)?.code == .noGraphs
      }
    }
  }

  /// The statements of a file without the labels of blank nodes, in order.
  private static func unlabeled(_ text: String, _ format: RDFFormat) -> [String]? {
    try? Reading.statements(text, format)
      .map { $0.description.replacing(/_:\w+/, with: "_:") }.sorted()
  }

  @Test("an export of tables has what was loaded as it is, and the rest of a graph as rows")
  func tables() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      let all = try Reading.statements(Self.text, .trig)
      _ = try await Self.load(store)
      _ = try await Self.load(store, into: "people")
      func export() async throws -> [RDFStatement] {
        let file = WrittenFile()
        try await store.exportRDF(as: .nquads) { file.write($0) }
        return try Reading.statements(file.text, .nquads)
      }
      func own(_ statements: [RDFStatement]) -> [RDFStatement] {
        statements.filter {
          let subject = $0.subject.description
          return subject.contains("urn:daybook:g") && !subject.contains("gql_catalog")
        }
      }
      let plain = try await export()
      #expect(own(plain).isEmpty)
      let loaded = plain.filter { !$0.subject.description.contains("urn:daybook") }
      #expect(loaded.count == 2 * all.count)

      // Properties and relationships that queries have given to terms name the terms.
      try await store.gql("MATCH (n:Resource {iri: 'http://x/a'}) SET n.note = 'seen'")
      try await store.gql("MATCH (n {iri: 'http://x/b'}) CREATE (n)-[:SEEN {by: 'ann'}]->(:Person)")
      try await store.gql("MATCH (n:Literal {value: '1'}) SET n.note = 'one'")
      try await store.gql(
        "MATCH (n {iri: 'http://x/b'}), (v:Literal {language: 'en'}) CREATE (n)-[:SAID]->(v)")
      let more = try await export()
      let lines = Set(more.map { String($0.description.dropLast(2)) })
      let base = "urn:daybook:graph_"
      let json = "^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>"
      #expect(lines.contains("<http://x/a> <\(base)nodes-p_note> \"\\\"seen\\\"\"\(json)"))
      #expect(lines.contains("<http://x/b> <\(base)r__1said> \"v\"@en"))
      let seen = more.filter { $0.predicate.string == "\(base)r__1seen" }
      let b = RDFSubject.iri(try IRI("http://x/b"))
      #expect(seen.map(\.subject) == [b])
      #expect(seen.first?.object.description.contains("\(base)nodes/") == true)
      #expect(more.contains { $0.predicate.string == "\(base)r__1seen-source" })
      // Of rows there are the person, the literal with a note, and two relationships.
      #expect(own(more).count { $0.predicate == .rdfType } == 4)

      // A statement that is none any more is a row, and so is one that has more than a statement.
      try await store.gql("MATCH (n:Resource {iri: 'http://x/C'}) REMOVE n.iri")
      try await store.gql("MATCH (:Literal {language: 'en'})<-[t:TRIPLE]-() SET t.by = 'ann'")
      try await store.gql("MATCH (:Literal {value: '1'})<-[t:TRIPLE]-() SET t.graph = 5")
      let changed = try await export()
      let triples = RDFTerm.iri(try IRI("\(base)r__1triple"))
      #expect(own(changed).count { $0.predicate == .rdfType && $0.object == triples } == 3)
    }
  }

  @Test("a format without graphs has statements in graphs as rows, or refuses them")
  func flat() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      let all = try Reading.statements(Self.text, .trig)
      _ = try await Self.load(store)
      let file = WrittenFile()
      try await store.exportRDF(as: .ntriples) { file.write($0) }
      let statements = try Reading.statements(file.text, .ntriples)
      let triples = RDFTerm.iri(try IRI("urn:daybook:graph_r__1triple"))
      #expect(statements.count { $0.predicate == .rdfType && $0.object == triples } == 2)
      #expect(
        statements.count { !$0.subject.description.contains("urn:daybook") }
          == all.count { $0.graph == nil } + 2)
      let refused = WrittenFile()
      await #expect {
        try await store.match().export(as: .turtle, prefixes: ["x": IRI("http://x/")]) {
          refused.write($0)
        }
      } throws: { ($0 as? RDFError)?.code == .noGraphs }
      #expect(refused.text.isEmpty)
    }
  }

  @Test("what was loaded is undone and redone, with the graph that it was loaded into")
  func undo() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      for graph in [nil, "people"] {
        _ = try await store.load(
          RDFReader(Self.text, .trig), into: graph, scope: "1", label: "load", batch: 100)
      }
      let count = try await Self.all(store.match()).count
      var events: [(id: EventID, label: String)] = []
      for try await event in store.events(EventQuery()) { events.append((event.id, event.label)) }
      for event in events where event.label == "load" { try await store.undo(event.id) }
      for graph in ["/", "people"] {
        #expect(try await Self.all(store.match(in: graph)).isEmpty)
      }
      for event in events where event.label == "load" { try await store.redo(event.id) }
      for graph in ["/", "people"] {
        #expect(try await Self.all(store.match(in: graph)).count == count)
      }
      let made = try #require(events.first { $0.label == "create graph /people" })
      try await store.undo(made.id)
      await #expect { try await Self.all(store.match(in: "people")) } throws: {
        ($0 as? StoreError)?.code == .unknownName
      }
      try await store.redo(made.id)
      #expect(try await Self.all(store.match(in: "people")).count == count)
    }
  }

  @Test("a loop over a graph that becomes another one ends with an error")
  func replaced() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      let lines = (0..<1_500).map { "<a:\($0)> <a:p> \"\($0)\" .\n" }.joined()
      func load() async throws {
        _ = try await store.load(RDFReader(lines, .ntriples), into: "people", scope: "")
      }
      try await load()
      var count = 0
      await #expect {
        for try await _ in store.match(in: "people") {
          count += 1
          guard count == 1 else { continue }
          try await store.gql("DROP GRAPH /people")
          try await load()
        }
      } throws: { ($0 as? StoreError)?.code == .unknownName }
      #expect(count == 1_000)
    }
  }
}
