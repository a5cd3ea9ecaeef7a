#if Macros
  import Daybook
  import Testing

  /// The graph of nodes and edges.
  extension KnowledgeTests {
    /// Makes a store with nodes, named as their ids, and edges.
    private func store(_ nodes: String, _ edges: [Edge]) async throws -> Store {
      let store = try await Knowledge.store()
      try await store.write { tx in
        try tx.insert(nodes.map { Node(id: Node.ID("\($0)"), name: "\($0)") })
        try tx.insert(edges)
      }
      return store
    }

    @Test("K16: connected nodes come by depth and name, with the start at depth 0")
    func connected() async throws {
      let store = try await store(
        "abcdez",
        [
          Edge(from: "a", to: "z"), Edge(from: "a", to: "b"), Edge(from: "z", to: "c"),
          Edge(from: "c", to: "d"), Edge(from: "e", to: "a"), Edge(from: "b", to: "a"),
        ])
      let near = try await store.connectedNodes(from: "a", depth: 2)
      #expect(near.map(\.node.name) == ["a", "b", "z", "c"])
      #expect(near.map(\.depth) == [0, 1, 1, 2])
      #expect(try await store.connectedNodes(from: "d", depth: 3).map(\.node.name) == ["d"])
      try await store.close()
    }

    @Test("K17: an edge that is not directed is followed both ways, and others one way")
    func undirected() async throws {
      let store = try await store(
        "abcd",
        [
          Edge(from: "b", to: "a", isDirected: false), Edge(from: "c", to: "b", isDirected: false),
          Edge(from: "d", to: "a"),
        ])
      let near = try await store.connectedNodes(from: "a", depth: 3)
      #expect(near.map(\.node.name) == ["a", "b", "c"])
      let edge = Edge(from: "c", to: "b")
      try await store.write { _ = try $0.update(edge.id) { $0.isDirected = true } }
      #expect(try await store.connectedNodes(from: "a", depth: 3).map(\.node.name) == ["a", "b"])
      try await store.close()
    }

    @Test("K18: the shortest path has the fewest edges, and there may be none")
    func path() async throws {
      let store = try await store(
        "abcdx",
        [
          Edge(from: "a", to: "b"), Edge(from: "b", to: "c"), Edge(from: "c", to: "d"),
          Edge(from: "d", to: "a", isDirected: false), Edge(from: "x", to: "a"),
        ])
      func path(_ start: Node.ID, _ goal: Node.ID) async throws -> [String]? {
        try await store.graph.path(from: start, to: goal, via: Edge.self)?.vertices.map(\.id)
      }
      #expect(try await path("a", "c") == ["a", "b", "c"])
      #expect(try await path("a", "d") == ["a", "d"])
      #expect(try await path("a", "a") == ["a"])
      #expect(try await path("a", "x") == nil)
      try await store.close()
    }

    @Test("K19: neighbours come heaviest first, with the type and weight of the edge")
    func near() async throws {
      let store = try await store(
        "abcd",
        [
          Edge(from: "a", to: "b", kind: .nest, weight: 0.5),
          Edge(from: "c", to: "a", kind: .affinity, weight: 2, isDirected: false),
          Edge(from: "a", to: "c", kind: .link, weight: 1), Edge(from: "d", to: "a", weight: 9),
        ])
      let near = try await store.neighbors(of: "a")
      #expect(near.map(\.node.name) == ["c", "c", "b"])
      #expect(near.map(\.edge.kind) == [.affinity, .link, .nest])
      #expect(near.map(\.edge.weight) == [2, 1, 0.5])
      try await store.close()
    }

    @Test("K20: importance is the weight that leads to a node, and isolated nodes have 0")
    func importance() async throws {
      let store = try await store(
        String((0..<26).compactMap { UnicodeScalar(97 + $0).map(Character.init) }),
        [
          Edge(from: "a", to: "b", weight: 1), Edge(from: "c", to: "b", weight: 2.5),
          Edge(from: "b", to: "a", weight: 0.5),
        ])
      let ranks = try await store.graph.importance(
        by: .inDegree, via: [Edge.collection], weight: "weight", limit: .max)
      #expect(ranks.prefix(2).map(\.vertex.id) == ["b", "a"])
      #expect(ranks.prefix(2).map(\.score) == [3.5, 0.5])
      #expect(ranks.count == 26 && ranks.dropFirst(2).allSatisfy { $0.score == 0 })
      try await store.close()
    }

    @Test("K21: a subgraph has the nodes within a radius, either way, and the edges among them")
    func subgraph() async throws {
      let store = try await store(
        "abcdex",
        [
          Edge(from: "a", to: "b"), Edge(from: "c", to: "a"), Edge(from: "b", to: "c"),
          Edge(from: "b", to: "d"), Edge(from: "d", to: "e"),
        ])
      let graph = try await store.graph.subgraph(from: Node.ID("a"), depth: 1, via: Edge.self)
      #expect(graph.vertices.map(\.vertex.id) == ["a", "b", "c"])
      #expect(graph.vertices.map(\.depth) == [0, 1, 1])
      let edges = Set(graph.edges.map { "\($0.source.id)\($0.target.id)" })
      #expect(edges == ["ab", "ca", "bc"])
      try await store.close()
    }

    @Test("K41: reads, searches and the graph have the figures that the app's own tests have")
    func figures() async throws {
      let store = try await store(
        "cnmd", [Edge(from: "c", to: "n"), Edge(from: "c", to: "m"), Edge(from: "n", to: "d")])
      #expect(try await store.connectedNodes(from: "c", depth: 1).count == 3)
      #expect(try await store.connectedNodes(from: "c", depth: 2).count == 4)
      try await store.write { tx in
        try tx.insert([
          Node(name: "Apple iPhone", content: "A smartphone made by Apple"),
          Node(name: "Android Phone", content: "A smartphone that runs Android"),
          Node(name: "Banana", content: "A yellow fruit"), Node(name: "Programming"),
        ])
        try tx.insert(["p", "q", "r", "s"].map { Node(id: Node.ID($0)) })
        try tx.insert([
          Edge(from: "p", to: "q", weight: 1, isDirected: false),
          Edge(from: "q", to: "s", weight: 1, isDirected: false),
          Edge(from: "p", to: "r", weight: 2, isDirected: false),
          Edge(from: "r", to: "s", weight: 3, isDirected: false),
          Edge(from: "p", to: "s", kind: .sequence, weight: 2),
        ])
        try tx.delete(Edge(from: "p", to: "s", kind: .sequence).id)
      }
      let phones = try await store.search(Node.self, for: "smartphone").map(\.entity.name)
      #expect(Set(phones) == ["Apple iPhone", "Android Phone"])
      let prefix = try await store.search(Node.self, for: "prog", matching: .beginnings)
      #expect(prefix.map(\.entity.name) == ["Programming"])
      let path = try await store.graph.path(from: "s" as Node.ID, to: "p", via: Edge.self)
      #expect(path?.vertices.count == 3)
      #expect(path?.vertices.first?.id == "s" && path?.vertices.last?.id == "p")
      try await store.write { tx in
        try tx.insert(Node(id: "hub"))
        for (id, weight) in [(Node.ID("p"), 1.0), ("q", 2), ("r", 3)] {
          try tx.insert(Edge(from: id, to: "hub", weight: weight))
        }
      }
      let ranks = try await store.graph.importance(
        by: .inDegree, via: [Edge.collection], weight: "weight", limit: 1)
      #expect(ranks.map(\.vertex.id) == ["hub"] && ranks.map(\.score) == [6])
      try await store.close()
    }
  }
#endif
