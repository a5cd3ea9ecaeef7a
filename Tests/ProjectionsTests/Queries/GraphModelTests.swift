import DaybookEventCore
import DaybookSimulation
import Testing

@testable import DaybookProjections

/// Graph queries, compared with brute force on random graphs whose collections share ids.
@Suite struct GraphModelTests {
  private static let scopes: [GraphModel.Scope] = [
    .init(), .init(via: ["links"]), .init(via: ["cites", "knows"]), .init(via: ["mixed", "near"]),
    .init(label: .text("x")), .init(via: ["links", "knows"], label: .null),
  ]

  /// Calls `body` with the queries, the model and a scope for each scope, all on one view, as a
  /// store does.
  private func forEach(
    _ seed: UInt64, _ body: (GraphQueries, GraphModel, GraphModel.Scope) throws -> Void
  ) throws {
    let (fixture, model) = try GraphModel.random(seed: seed)
    try fixture.probe.view { view, _ in
      for scope in Self.scopes {
        try body(try view.graph(via: scope.via, where: scope.fields), model, scope)
      }
    }
  }

  @Test(
    "reachability, paths and weights are those of brute force",
    arguments: 0..<12 as Range<UInt64>)
  func traversals(seed: UInt64) throws {
    try forEach(seed) { graph, model, scope in
      for direction in GraphDirection.allCases {
        let arcs = model.arcs(scope, direction)
        for start in model.vertices.sorted().prefix(5) {
          let hops = model.costs(from: start, arcs, hops: true)
          let costs = model.costs(from: start, arcs, hops: false)
          let reached = try graph.reachable(from: start, depth: .max, direction: direction)
          var depths = Dictionary(
            uniqueKeysWithValues: reached.map { ($0.vertex, Double($0.depth)) })
          depths[start] = 0
          #expect(depths == hops)
          #expect(reached.map(\.depth) == reached.map(\.depth).sorted())
          let near = try graph.reachable(from: start, depth: 2, direction: direction)
          #expect(near == reached.filter { $0.depth <= 2 })
          let few = try graph.reachable(from: start, depth: .max, direction: direction, limit: 2)
          #expect(few == Array(reached.prefix(2)))
          for goal in model.vertices {
            let short = try graph.shortestPath(from: start, to: goal, direction: direction)
            #expect(short?.cost == hops[goal])
            check(short, start, goal, arcs)
            let light = try graph.lightestPath(
              from: start, to: goal, direction: direction, weight: "weight")
            #expect(light?.cost == costs[goal])
            check(light, start, goal, arcs)
          }
        }
      }
    }
  }

  private func check(
    _ path: GraphPath?, _ start: GraphVertex, _ goal: GraphVertex, _ arcs: [GraphModel.Arc]
  ) {
    guard let path else { return }
    #expect(path.vertices.first == start && path.vertices.last == goal)
    #expect(path.edges.count == path.vertices.count - 1)
    for (index, edge) in path.edges.enumerated() {
      let (a, b) = (path.vertices[index], path.vertices[index + 1])
      let isArc = arcs.contains { $0.from == a && $0.to == b && $0.edge.isSame(as: edge) }
      #expect(isArc, "\(edge) does not lead from \(a) to \(b)")
    }
  }

  @Test("neighbours are those of brute force", arguments: 0..<12 as Range<UInt64>)
  func neighbors(seed: UInt64) throws {
    try forEach(seed) { graph, model, scope in
      for direction in GraphDirection.allCases {
        let arcs = model.arcs(scope, direction)
        for vertex in model.vertices {
          let expected = arcs.filter { $0.from == vertex }
          let found = try graph.neighbors(of: vertex, direction: direction)
          #expect(Set(found.map(\.name)) == Set(expected.map(\.edge.name)))
          #expect(found.count == expected.count)
          #expect(found.allSatisfy { edge in expected.contains { $0.edge.isSame(as: edge) } })
          #expect(
            try graph.neighbors(of: vertex, direction: direction, limit: 2)
              == Array(found.prefix(2)))
          let heaviest = try graph.neighbors(of: vertex, direction: direction, weight: "weight")
          #expect(heaviest.compactMap(\.weight) == expected.map(\.weight).sorted(by: >))
          #expect(Set(heaviest.map(\.name)) == Set(found.map(\.name)))
          let three = try graph.neighbors(
            of: vertex, direction: direction, weight: "weight", limit: 3)
          #expect(three == Array(heaviest.prefix(3)))
        }
      }
    }
  }

  @Test("subgraphs are those of brute force", arguments: 0..<12 as Range<UInt64>)
  func subgraphs(seed: UInt64) throws {
    try forEach(seed) { graph, model, scope in
      let starts = Array(model.vertices.sorted().prefix(2))
      let hops = starts.map { model.costs(from: $0, model.arcs(scope, .both), hops: true) }
      for depth in 0...3 {
        let found = try graph.subgraph(from: starts, depth: depth)
        var expected: [GraphVertex: Int] = [:]
        for (vertex, cost) in hops.flatMap({ $0 }) where Int(cost) <= depth {
          expected[vertex] = min(expected[vertex] ?? .max, Int(cost))
        }
        let depths = Dictionary(uniqueKeysWithValues: found.vertices.map { ($0.vertex, $0.depth) })
        #expect(depths == expected)
        let among = model.edges(scope).filter {
          expected[$0.source] != nil && expected[$0.target] != nil
        }
        #expect(found.edges.map(\.name).sorted() == among.map(\.name).sorted())
      }
    }
  }

  @Test(
    "importance is that of brute force, for all vertices, and page ranks sum to 1",
    arguments: 0..<12 as Range<UInt64>)
  func importance(seed: UInt64) throws {
    try forEach(seed) { graph, model, scope in
      let expected = model.pageRanks(scope)
      let ranks = try graph.importance(by: .pageRank, weight: "weight", limit: .max)
      #expect(Set(ranks.map(\.vertex)) == Set(expected.keys))
      #expect(ranks.count == expected.count)
      for rank in ranks { #expect(abs(rank.score - (expected[rank.vertex] ?? 0)) < 1e-4) }
      if !ranks.isEmpty { #expect(abs(ranks.reduce(0) { $0 + $1.score } - 1) < 1e-9) }
      for (weight, hops) in [("weight", false), (nil, true)] as [(String?, Bool)] {
        let degrees = try graph.importance(by: .inDegree, weight: weight, limit: .max)
        let sorted = model.inDegrees(scope, hops: hops).map { GraphRank(vertex: $0, score: $1) }
          .sorted { $0.score != $1.score ? $0.score > $1.score : $0.vertex < $1.vertex }
        #expect(degrees == sorted)
        let few = try graph.importance(by: .inDegree, weight: weight, limit: 3)
        #expect(few == Array(sorted.prefix(3)))
      }
    }
  }

  @Test(
    "components are those of brute force, isolated vertices last",
    arguments: 0..<12 as Range<UInt64>)
  func components(seed: UInt64) throws {
    try forEach(seed) { graph, model, scope in
      let arcs = model.arcs(scope, .both)
      let sets = Set(model.ranked(scope).map { Set(model.costs(from: $0, arcs, hops: true).keys) })
      let expected = sets.map { $0.sorted() }
        .sorted { $0.count != $1.count ? $0.count > $1.count : $0[0] < $1[0] }
      let found = try graph.components(limit: nil)
      #expect(found == expected)
      for limit in 0...3 {
        let few = try graph.components(limit: limit)
        #expect(few == Array(expected.prefix(limit)))
      }
    }
  }

  @Test("each knot gives one of its shortest cycles", arguments: 0..<12 as Range<UInt64>)
  func cycles(seed: UInt64) throws {
    try forEach(seed) { graph, model, scope in
      let arcs = model.arcs(scope, .outgoing).filter { $0.edge.isDirected }
      let costs = Dictionary(
        uniqueKeysWithValues: model.vertices.map { ($0, model.costs(from: $0, arcs, hops: true)) })
      /// The length of a shortest cycle through a vertex; nil if there is none.
      func length(_ vertex: GraphVertex) -> Double? {
        arcs.filter { $0.to == vertex }.compactMap { costs[vertex]?[$0.from].map { $0 + 1 } }.min()
      }
      let cyclic = model.vertices.filter { length($0) != nil }
      let firsts = cyclic.filter { vertex in
        !cyclic.contains {
          $0 < vertex && costs[$0]?[vertex] != nil && costs[vertex]?[$0] != nil
        }
      }
      let found = try graph.cycles(limit: nil)
      #expect(found.map(\.vertices.first) == firsts.sorted())
      for cycle in found {
        let first = try #require(cycle.vertices.first)
        #expect(cycle.cost == length(first))
        check(cycle, first, first, arcs)
      }
      let one = try graph.cycles(limit: 1)
      #expect(one == Array(found.prefix(1)))
    }
  }

  @Test("a circle of 30,000 relationships is searched without recursion")
  func longCircle() throws {
    let count = 30_000
    let definitions: [Operation] = [
      .define(Definition("n")),
      .define(
        Definition(
          "r", [.text("source").references("n"), .text("target").references("n")]
        ).relationship()),
    ]
    let vertices = (0..<count).map { Operation.insert(collection: "n", id: "\($0)", fields: [:]) }
    let edges = (0..<count).map {
      Operation.insert(
        collection: "r", id: "\($0)",
        fields: ["source": .text("\($0)"), "target": .text("\(($0 + 1) % count)")])
    }
    let fixture = try QueryFixture(definitions, thenTogether: vertices + edges)
    let cycles = try fixture.graph { try $0.cycles(limit: nil) }
    #expect(cycles.map(\.cost) == [Double(count)])
    let components = try fixture.graph { try $0.components(limit: nil) }
    #expect(components.map(\.count) == [count])
  }
}

extension GraphEdge {
  /// The name that tells the edge from others: one relationship may stand for several edges.
  fileprivate var name: String { "\(collection)/\(id) \(source) \(target)" }

  fileprivate func isSame(as other: GraphEdge) -> Bool {
    name.utf8.elementsEqual(other.name.utf8) && isDirected == other.isDirected
  }
}
