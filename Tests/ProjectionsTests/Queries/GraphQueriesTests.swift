import DaybookEventCore
import Testing

@testable import DaybookProjections

@Suite struct GraphQueriesTests {
  private static func vertices(_ names: String...) -> [Operation] {
    names.map { .define(Definition($0, [.text("name")])) }
  }

  private static func relationship(
    _ name: String, from source: Value? = nil, to target: Value? = nil, directed: Value? = nil
  ) -> Operation {
    var definition = Definition(
      collection: name, attributes: ["relationship": .boolean(true)],
      fields: [.real("weight"), .text("kind")])
    definition.attributes["directed"] = directed
    for (end, collection) in [("source", source), ("target", target)] {
      guard let collection else { continue }
      definition.fields.append(.init(end, ["type": "text", "references": collection]))
    }
    return .define(definition)
  }

  private static func insert(_ vertices: String...) -> [Operation] {
    vertices.map { text in
      let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
      return .insert(collection: parts[0], id: parts[1], fields: [:])
    }
  }

  private static func link(
    _ collection: String, _ id: String, _ source: String, _ target: String,
    _ fields: [String: Value] = [:]
  ) -> Operation {
    .insert(
      collection: collection, id: id,
      fields: fields.merging(["source": .text(source), "target": .text(target)]) { $1 })
  }

  /// Albums and tracks have the same numbers, as in an imported database.
  private static let music =
    vertices("albums", "playlists", "tracks")
    + [relationship("entries", from: "playlists", to: "tracks")]
    + insert("playlists/1", "tracks/1", "tracks/10", "albums/1", "albums/10")
    + [link("entries", "e1", "1", "1"), link("entries", "e2", "1", "10")]

  private func code(_ body: () throws -> Void) -> ProjectionError.Code? {
    do { try body() } catch { return (error as? ProjectionError)?.code }
    return nil
  }

  // Found with the database Chinook: `graph neighbors S 1` gave a track of the playlist the title
  // of an album.
  @Test("a relationship never reaches an entity of another collection that has the same id")
  func sameIDs() throws {
    try QueryFixture(Self.music).graph { graph in
      let playlist = GraphVertex("playlists", "1")
      let reached = try graph.reachable(from: playlist, depth: .max, direction: .both)
      #expect(reached.map(\.vertex.description) == ["tracks/1", "tracks/10"])
      #expect(try graph.neighbors(of: GraphVertex("tracks", "1"), direction: .both).count == 1)
      #expect(try graph.neighbors(of: GraphVertex("albums", "1"), direction: .both).isEmpty)
      let path = try graph.shortestPath(
        from: GraphVertex("tracks", "1"), to: GraphVertex("albums", "10"), direction: .both)
      #expect(path == nil)
    }
  }

  @Test("an id in one collection is a vertex, any other an error with the choices")
  func names() throws {
    let operations =
      Self.music + Self.insert("tracks/2", "tracks/albums/7", "albums/7")
      + [.insert(collection: "entries", id: "only", fields: [:])]
    let fixture = try QueryFixture(operations)
    func vertex(_ text: String) throws -> String {
      try fixture.probe.view { view, _ in try view.vertex(named: text).description }
    }
    #expect(try vertex("2") == "tracks/2")
    #expect(try vertex("albums/10") == "albums/10")
    // A name in the form of the choices means that vertex, even if another vertex has such an id.
    #expect(try vertex("albums/7") == "albums/7")
    #expect(try vertex("tracks/albums/7") == "tracks/albums/7")
    let error = #expect(throws: ProjectionError.self) { _ = try vertex("1") }
    #expect(error?.code == .ambiguousID)
    #expect(error?.choices.map(\.description) == ["albums/1", "playlists/1", "tracks/1"])
    #expect(error?.hint == "Say which: albums/1, playlists/1 or tracks/1")
    for nothing in ["", "/", "x", "albums/x", "tracks/", "only", "entries/only", "\0"] {
      #expect(code { _ = try vertex(nothing) } == .unknownName, "\(nothing)")
    }
  }

  @Test("an end without a reference leads to every entity of its id")
  func everywhere() throws {
    let operations =
      Self.vertices("notes", "people") + [Self.relationship("links", from: "notes")]
      + Self.insert("notes/a", "people/a", "people/b", "notes/b")
      + [Self.link("links", "l", "a", "b")]
    try QueryFixture(operations).graph { graph in
      let found = try graph.neighbors(of: GraphVertex("notes", "a"), direction: .both)
      #expect(found.map(\.target.description) == ["notes/b", "people/b"])
      #expect(try graph.neighbors(of: GraphVertex("people", "a"), direction: .both).isEmpty)
      for target in found.map(\.target) {
        let back = try graph.neighbors(of: target, direction: .incoming)
        #expect(back.map(\.source.description) == ["notes/a"])
      }
    }
  }

  @Test("a shared relationship does not lead into a local collection that hides a shared one")
  func localCollections() throws {
    let folder = try ProjectionFolder()
    var schema = StoreSchema()
    func collection(_ name: String, isLocal: Bool, isRelationship: Bool = false) {
      var collection = CollectionSchema(
        name: name, isRelationship: isRelationship,
        fields: isRelationship
          ? ["source", "target"].map {
            FieldSchema(
              identity: $0, name: $0, type: .text, isIndexed: false,
              isTree: false, references: "places")
          } : [])
      collection.isLocal = isLocal
      schema.set(collection)
    }
    _ = folder
    collection("places", isLocal: true)
    collection("shared_links", isLocal: false, isRelationship: true)
    collection("local_links", isLocal: true, isRelationship: true)
    let graph = GraphSchema(schema)
    let ends = Dictionary(
      uniqueKeysWithValues: graph.relationships.map { ($0.schema.name, $0.source) })
    #expect(ends == ["shared_links": .nothing, "local_links": .one(0)])
  }

  @Test("undirected relationships are followed both ways, also if a field decides per edge")
  func undirected() throws {
    let operations =
      Self.vertices("notes") + [
        Self.relationship("near", directed: .boolean(false)),
        .define(
          Definition(
            collection: "roads",
            attributes: ["relationship": .boolean(true), "directed": "one_way"],
            fields: [.boolean("one_way")])),
      ] + Self.insert("notes/a", "notes/b", "notes/c", "notes/d")
      + [
        Self.link("near", "n", "a", "b"),
        Self.link("roads", "r1", "c", "b", ["one_way": .boolean(false)]),
        Self.link("roads", "r2", "d", "c", ["one_way": .boolean(true)]),
        Self.link("roads", "r3", "d", "d", ["one_way": .boolean(false)]),
      ]
    try QueryFixture(operations).graph { graph in
      for direction in [GraphDirection.outgoing, .incoming] {
        let found = try graph.reachable(
          from: GraphVertex("notes", "b"), depth: 1, direction: direction)
        #expect(found.map(\.vertex.id).sorted() == ["a", "c"])
      }
      let from = try graph.reachable(
        from: GraphVertex("notes", "a"), depth: .max, direction: .outgoing)
      #expect(from.map(\.vertex.id) == ["b", "c"])
      let edges = try graph.neighbors(of: GraphVertex("notes", "d"), direction: .outgoing)
      #expect(edges.map(\.id) == ["r2", "r3"])
      #expect(edges.map(\.isDirected) == [true, false])
    }
  }

  @Test("conditions on fields are typed, bound, and all apply")
  func conditions() throws {
    let hostile = "x' OR 1=1 --"
    let fixture = try QueryFixture(
      Self.vertices("notes") + [Self.relationship("links"), Self.relationship("other")]
        + [.define(Definition("other", [.integer("since")]))]
        + Self.insert("notes/a", "notes/b", "notes/c", "notes/d") + [
          Self.link("links", "l1", "a", "b", ["kind": "cites", "weight": .real(2)]),
          Self.link("links", "l2", "a", "c", ["kind": .text(hostile), "weight": .real(2)]),
          Self.link("links", "l3", "a", "d"),
          Self.link("other", "o1", "a", "d", ["kind": "cites", "since": .integer(3)]),
        ])
    func found(_ fields: [String: Value], via: [String]? = nil) throws -> [String] {
      try fixture.graph(via: via, where: fields) {
        try $0.neighbors(of: GraphVertex("notes", "a"), direction: .outgoing).map(\.id)
      }
    }
    #expect(try found(["kind": "cites"]) == ["l1", "o1"])
    #expect(try found(["kind": "cites"], via: ["links"]) == ["l1"])
    #expect(try found(["kind": .text(hostile)]) == ["l2"])
    #expect(try found(["kind": .null]) == ["l3"])
    #expect(try found(["kind": "cites", "weight": .integer(2)]) == ["l1"])
    #expect(try found(["kind": "cites", "weight": .null]) == ["o1"])
    // A collection without the field holds no value in it.
    #expect(try found(["since": .integer(3)]) == ["o1"])
    #expect(try found(["since": .null]) == ["l1", "l2", "l3"])
    #expect(try found(["target": "c"]) == ["l2"])
    #expect(code { _ = try found(["nothing": "x"]) } == .unknownName)
    #expect(code { _ = try found(["since": .integer(3)], via: ["links"]) } == .unknownName)
    #expect(code { _ = try found(["kind\" OR 1=1 --": "x"]) } == .unknownName)
    #expect(code { _ = try found(["kind": .integer(1)]) } == .invalidQuery)
    #expect(code { _ = try found(["weight": .real(.nan)]) } == .invalidQuery)
    try fixture.graph(where: ["kind": "cites"]) { graph in
      let (a, d) = (GraphVertex("notes", "a"), GraphVertex("notes", "d"))
      #expect(try graph.shortestPath(from: a, to: d, direction: .both)?.edges.map(\.id) == ["o1"])
      #expect(try graph.subgraph(from: [a], depth: 3).edges.map(\.id) == ["l1", "o1"])
      let degrees = try graph.importance(by: .inDegree, weight: nil, limit: 10)
      #expect(degrees.map(\.score) == [1, 1, 0, 0])
    }
  }

  // A negative weight was refused only if the search met it. One behind the goal made the search
  // miss the lightest path.
  @Test("a negative weight anywhere in the scope of a query is refused")
  func negativeWeights() throws {
    let fixture = try QueryFixture(
      Self.vertices("notes") + [Self.relationship("links"), Self.relationship("other")]
        + Self.insert("notes/a", "notes/b", "notes/c") + [
          Self.link("links", "l1", "a", "b", ["weight": .real(1)]),
          Self.link("links", "l2", "a", "c", ["weight": .real(5)]),
          Self.link("links", "l3", "c", "b", ["weight": .real(-10), "kind": "refund"]),
          Self.link("other", "o", "a", "b", ["weight": .real(3)]),
        ])
    func lightest(via: [String]? = nil, _ fields: [String: Value] = [:]) throws -> Double? {
      try fixture.graph(via: via, where: fields) {
        try $0.lightestPath(
          from: GraphVertex("notes", "a"), to: GraphVertex("notes", "b"), direction: .outgoing,
          weight: "weight")?.cost
      }
    }
    let error = #expect(throws: ProjectionError.self) { _ = try lightest() }
    #expect(error?.code == .invalidQuery)
    #expect(error?.message.contains("“l3” of links") == true)
    #expect(try lightest(via: ["other"]) == 3)
    #expect(try lightest(["kind": .null]) == 1)
    #expect(code { _ = try lightest(["kind": "refund"]) } == .invalidQuery)
    for measure in ImportanceMeasure.allCases {
      let refused = code {
        try fixture.graph { _ = try $0.importance(by: measure, weight: "weight", limit: 5) }
      }
      #expect(refused == .invalidQuery)
    }
  }

  @Test("a change of negative weights counts from then on in a view that is kept")
  func negativeWeightsChange() throws {
    let (a, b) = (GraphVertex("notes", "a"), GraphVertex("notes", "b"))
    var history = TestHistory()
    let operations =
      Self.vertices("notes") + [Self.relationship("links")] + Self.insert("notes/a", "notes/b")
      + [
        Self.link("links", "l", "a", "b", ["weight": .real(1)]),
        .update(collection: "links", id: "l", fields: ["weight": .real(-1)]),
        .update(collection: "links", id: "l", fields: ["weight": .real(2)]),
      ]
    for (index, operation) in operations.enumerated() {
      history.write("ann", at: Int64(index + 1), operation)
    }
    let folder = try ProjectionFolder()
    let source = ArrayEventSource(history)
    let origin = try #require(history.authors["ann"]?.origin)
    let probe = try ReadModelProbe(source, folder: folder.url)
    var kept: ReadModelView?
    // The first event of the author is its identity.
    for (count, cost) in [(6, 1.0), (7, nil), (8, 2)] as [(UInt64, Double?)] {
      source.deliver(origin, 1...count)
      try probe.catchUp()
      let found: Double? = try probe.reading { db in
        let view = try kept ?? ReadModelView(db, source: source)
        if kept != nil { try view.reload() }
        kept = view
        do {
          return try view.graph().lightestPath(
            from: a, to: b, direction: .both, weight: "weight")?.cost
        } catch let error as ProjectionError where error.code == .invalidQuery { return nil }
      }
      #expect(found == cost)
    }
    kept?.close()
  }

  @Test("an unknown vertex, weight or collection, and a negative count, are errors")
  func errors() throws {
    let fixture = try QueryFixture(
      Self.vertices("notes") + [Self.relationship("links")]
        + Self.insert("notes/a", "notes/b") + [Self.link("links", "l", "a", "b")])
    let (a, b) = (GraphVertex("notes", "a"), GraphVertex("notes", "b"))
    func code(_ via: [String]? = nil, _ body: (GraphQueries) throws -> Void)
      -> ProjectionError.Code?
    {
      self.code { try fixture.graph(via: via, body) }
    }
    for weight in ["kind", "nothing", "source", "", "weight\""] {
      let lightest = code {
        _ = try $0.lightestPath(from: a, to: b, direction: .both, weight: weight)
      }
      #expect(lightest == .unknownName)
      #expect(
        code { _ = try $0.neighbors(of: a, direction: .both, weight: weight) } == .unknownName)
    }
    for vertex in [("notes", "x"), ("links", "l"), ("nothing", "a"), ("notes", ""), ("", "a")] {
      let vertex = GraphVertex(vertex.0, vertex.1)
      #expect(code { _ = try $0.neighbors(of: vertex, direction: .both) } == .unknownName)
      #expect(
        code { _ = try $0.shortestPath(from: a, to: vertex, direction: .both) } == .unknownName)
      #expect(code { _ = try $0.subgraph(from: [a, vertex], depth: 1) } == .unknownName)
    }
    for via in [["notes"], ["nothing"], ["links", "x"], [""]] {
      #expect(code(via) { _ = $0 } == .unknownName)
    }
    for count in [-1, Int.min] {
      #expect(code { _ = try $0.neighbors(of: a, direction: .both, limit: count) } == .invalidQuery)
      #expect(
        code { _ = try $0.reachable(from: a, depth: count, direction: .both) } == .invalidQuery)
      #expect(code { _ = try $0.subgraph(from: [a], depth: count) } == .invalidQuery)
      let ranks = code { _ = try $0.importance(by: .pageRank, weight: nil, limit: count) }
      #expect(ranks == .invalidQuery)
    }
    #expect(try fixture.graph { try $0.subgraph(from: [], depth: 2).vertices.isEmpty })
    #expect(try fixture.graph { try $0.neighbors(of: a, direction: .both, limit: 0).isEmpty })
    #expect(try fixture.graph(via: []) { try $0.neighbors(of: a, direction: .both).isEmpty })
  }

  @Test("weights whose sum overflows are an error, and never a missing path")
  func hugeWeights() throws {
    let huge: [String: Value] = ["weight": .real(.greatestFiniteMagnitude)]
    let fixture = try QueryFixture(
      Self.vertices("notes") + [Self.relationship("links")]
        + Self.insert("notes/a", "notes/b", "notes/c") + [
          Self.link("links", "1", "a", "b", huge), Self.link("links", "2", "b", "c", huge),
          Self.link("links", "3", "a", "c", huge), Self.link("links", "4", "b", "b", huge),
        ])
    let (a, b, c) = (
      GraphVertex("notes", "a"), GraphVertex("notes", "b"), GraphVertex("notes", "c")
    )
    try fixture.graph { graph in
      let there = try graph.lightestPath(from: a, to: c, direction: .outgoing, weight: "weight")
      #expect(there?.cost == .greatestFiniteMagnitude)
      let back = try graph.lightestPath(from: c, to: a, direction: .outgoing, weight: "weight")
      #expect(back == nil)
      for measure in ImportanceMeasure.allCases {
        #expect(
          code { _ = try graph.importance(by: measure, weight: "weight", limit: 1) }
            == .invalidQuery)
      }
    }
    try fixture.graph(where: ["target": .text("b")]) { graph in
      let cost = try graph.lightestPath(from: a, to: b, direction: .both, weight: "weight")?.cost
      #expect(cost == .greatestFiniteMagnitude)
    }
    try QueryFixture(
      Self.vertices("notes") + [Self.relationship("links")]
        + Self.insert("notes/a", "notes/b", "notes/c") + [
          Self.link("links", "1", "a", "b", huge), Self.link("links", "2", "b", "c", huge),
        ]
    ).graph { graph in
      let refused = code {
        _ = try graph.lightestPath(from: a, to: c, direction: .both, weight: "weight")
      }
      #expect(refused == .invalidQuery)
    }
  }

  @Test("ids that are equivalent in Unicode are different vertices")
  func equivalentIDs() throws {
    let (one, two) = (GraphVertex("notes", "\u{E9}"), GraphVertex("notes", "e\u{301}"))
    #expect(one != two && Set([one, two]).count == 2)
    let fixture = try QueryFixture(
      Self.vertices("notes") + [Self.relationship("links")] + [
        .insert(collection: "notes", id: one.id, fields: [:]),
        .insert(collection: "notes", id: two.id, fields: [:]),
        .insert(collection: "notes", id: "c", fields: [:]),
        Self.link("links", "l1", one.id, two.id, ["weight": .real(2)]),
        Self.link("links", "l2", two.id, "c", ["weight": .real(2)]),
      ])
    let c = GraphVertex("notes", "c")
    try fixture.graph { graph in
      let there = try graph.shortestPath(from: one, to: two, direction: .outgoing)
      #expect(there?.edges.map(\.id) == ["l1"])
      for (from, to) in [(one, c), (c, one)] {
        let light = try graph.lightestPath(from: from, to: to, direction: .both, weight: "weight")
        #expect(light?.cost == 4)
        #expect(light?.edges.count == 2)
      }
      #expect(try graph.neighbors(of: two, direction: .both).count == 2)
    }
  }
}
