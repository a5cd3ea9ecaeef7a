import EventCore
import Simulation
import Testing

@testable import Projections

/// Graph queries against brute force, on random graphs.
@Suite struct GraphQueriesTests {
  private static let define: [Operation] = [
    .define(Definition(collection: "notes", fields: [.init("title", ["type": "text"])])),
    .define(Definition(collection: "people", fields: [.init("name", ["type": "text"])])),
    relationship("links"), relationship("cites"),
  ]

  private static func relationship(_ name: String) -> Operation {
    .define(
      Definition(
        collection: name, attributes: ["relationship": .boolean(true)],
        fields: [.init("weight", ["type": "real"]), .init("kind", ["type": "text"])]))
  }

  private static func link(
    _ collection: String, _ id: String, _ source: String, _ target: String, _ weight: Value = .null
  ) -> Operation {
    .insert(
      collection: collection, id: id,
      fields: ["source": .text(source), "target": .text(target), "weight": weight])
  }

  /// A graph as a list of edges between those that are there.
  private struct Plain {
    var vertices: [String] = []
    var edges: [(collection: String, id: String, source: String, target: String, weight: Double)] =
      []

    func steps(_ direction: GraphDirection, _ via: [String]?) -> [(String, String, Double)] {
      edges.filter { via?.contains($0.collection) ?? true }.flatMap { edge in
        let forth = (edge.source, edge.target, edge.weight)
        let back = (edge.target, edge.source, edge.weight)
        return switch direction {
        case .outgoing: [forth]
        case .incoming: [back]
        case .both: [forth, back]
        }
      }
    }

    /// Bellman and Ford.
    func costs(_ start: String, _ steps: [(String, String, Double)]) -> [String: Double] {
      var costs = [start: 0.0]
      for _ in vertices {
        for (a, b, weight) in steps {
          if let cost = costs[a], cost + weight < costs[b] ?? .infinity { costs[b] = cost + weight }
        }
      }
      return costs
    }

    func pageRank(_ steps: [(String, String, Double)]) -> [String: Double] {
      let all = Set(steps.flatMap { [$0.0, $0.1] })
      var rank = Dictionary(uniqueKeysWithValues: all.map { ($0, 1 / Double(all.count)) })
      for _ in 0..<200 {
        var next = Dictionary(uniqueKeysWithValues: all.map { ($0, 0.15 / Double(all.count)) })
        for vertex in all {
          let out = steps.filter { $0.0 == vertex && $0.2 > 0 }
          let sum = out.reduce(0) { $0 + $1.2 }
          if sum == 0 {
            for other in all { next[other]! += 0.85 * rank[vertex]! / Double(all.count) }
          }
          for step in out { next[step.1]! += 0.85 * rank[vertex]! * step.2 / sum }
        }
        rank = next
      }
      return rank
    }
  }

  /// Loops, parallel edges, ends that are missing, deleted or NULL, deleted edges.
  private func random(seed: UInt64) throws -> (QueryFixture, Plain) {
    var random = SplitMix64(seed: seed)
    var operations = Self.define
    var plain = Plain()
    let count = random.pick(3...12)
    for number in 0..<count {
      let collection = number % 3 == 0 ? "people" : "notes"
      let id = "v\(number)"
      operations.append(.insert(collection: collection, id: id, fields: [:]))
      if random.chance(15) {
        operations.append(.delete(collection: collection, id: id))
      } else {
        plain.vertices.append(id)
      }
    }
    if plain.vertices.isEmpty {
      operations.append(.insert("v"))
      plain.vertices = ["v"]
    }
    for number in 0..<random.pick(0...30) {
      let collection = random.pick(["links", "cites"])
      let (source, target) = ("v\(random.pick(0...count))", "v\(random.pick(0...count))")
      let weight = random.chance(20) ? Value.null : .real(Double(random.pick(0...40)) / 4)
      operations.append(Self.link(collection, "e\(number)", source, target, weight))
      if random.chance(10) {
        operations.append(.delete(collection: collection, id: "e\(number)"))
        continue
      }
      if random.chance(5) {
        operations.append(
          .update(collection: collection, id: "e\(number)", fields: ["target": .null]))
        continue
      }
      guard plain.vertices.contains(source), plain.vertices.contains(target) else { continue }
      var cost = 1.0
      if case .real(let value) = weight { cost = value }
      plain.edges.append((collection, "e\(number)", source, target, cost))
    }
    return (try QueryFixture(operations), plain)
  }

  @Test(
    "reachability, paths and weights are those of brute force", arguments: 0..<24 as Range<UInt64>)
  func traversals(seed: UInt64) throws {
    let (fixture, plain) = try random(seed: seed)
    for via in [nil, ["links"]] as [[String]?] {
      for direction in GraphDirection.allCases {
        let steps = plain.steps(direction, via)
        let ones = steps.map { ($0.0, $0.1, 1.0) }
        for start in plain.vertices.prefix(4) {
          let hops = plain.costs(start, ones)
          let costs = plain.costs(start, steps)
          try fixture.graph(via: via) { graph in
            let reached = try graph.reachable(from: start, depth: .max, direction: direction)
            var depths = Dictionary(uniqueKeysWithValues: reached.map { ($0.id, Double($0.depth)) })
            depths[start] = 0
            #expect(depths == hops)
            #expect(reached.map(\.depth) == reached.map(\.depth).sorted())
            let near = try graph.reachable(from: start, depth: 2, direction: direction)
            #expect(near == reached.filter { $0.depth <= 2 })
            for goal in plain.vertices {
              let short = try graph.shortestPath(from: start, to: goal, direction: direction)
              #expect(short?.cost == hops[goal])
              check(short, start, goal, direction, plain)
              let light = try graph.lightestPath(
                from: start, to: goal, direction: direction, weight: "weight")
              #expect(light?.cost == costs[goal])
              check(light, start, goal, direction, plain)
            }
          }
        }
      }
    }
  }

  private func check(
    _ path: GraphPath?, _ start: String, _ goal: String, _ direction: GraphDirection,
    _ plain: Plain
  ) {
    guard let path else { return }
    #expect(path.vertices.first == start && path.vertices.last == goal)
    #expect(path.edges.count == path.vertices.count - 1)
    for (index, edge) in path.edges.enumerated() {
      let (a, b) = (path.vertices[index], path.vertices[index + 1])
      let forth = edge.source == a && edge.target == b && direction != .incoming
      let back = edge.source == b && edge.target == a && direction != .outgoing
      #expect(forth || back)
      #expect(plain.edges.contains { $0.id == edge.id && $0.collection == edge.collection })
    }
  }

  @Test("neighbours and subgraphs are those of brute force", arguments: 0..<24 as Range<UInt64>)
  func subgraphs(seed: UInt64) throws {
    let (fixture, plain) = try random(seed: seed)
    for start in plain.vertices {
      for direction in GraphDirection.allCases {
        let found = try fixture.graph { try $0.neighbors(of: start, direction: direction) }
        let expected = plain.edges.filter {
          ($0.source == start && direction != .incoming)
            || ($0.target == start && direction != .outgoing)
        }
        #expect(found.map(\.id).sorted() == expected.map(\.id).sorted())
      }
    }
    let starts = Array(plain.vertices.prefix(2))
    let hops = starts.map { plain.costs($0, plain.steps(.both, nil).map { ($0.0, $0.1, 1) }) }
    for depth in 0...3 {
      let (vertices, edges) = try fixture.graph { try $0.subgraph(from: starts, depth: depth) }
      var expected: [String: Int] = [:]
      for (vertex, cost) in hops.flatMap({ $0 }) where Int(cost) <= depth {
        expected[vertex] = min(expected[vertex] ?? .max, Int(cost))
      }
      #expect(Dictionary(uniqueKeysWithValues: vertices.map { ($0.id, $0.depth) }) == expected)
      let among = plain.edges.filter {
        expected[$0.source] != nil && expected[$0.target] != nil
      }
      #expect(edges.map(\.id).sorted() == among.map(\.id).sorted())
    }
  }

  @Test(
    "importance is that of brute force, and page ranks sum to 1", arguments: 0..<24 as Range<UInt64>
  )
  func importance(seed: UInt64) throws {
    let (fixture, plain) = try random(seed: seed)
    let steps = plain.steps(.outgoing, nil)
    let ranks = try fixture.graph {
      try $0.importance(by: .pageRank, weight: "weight", limit: .max)
    }
    let expected = plain.pageRank(steps)
    #expect(Set(ranks.map(\.id)) == Set(expected.keys))
    for rank in ranks { #expect(abs(rank.score - (expected[rank.id] ?? 0)) < 1e-4) }
    if !ranks.isEmpty { #expect(abs(ranks.reduce(0) { $0 + $1.score } - 1) < 1e-9) }
    #expect(ranks.map(\.score) == ranks.map(\.score).sorted(by: >))
    let degrees = try fixture.graph { try $0.importance(by: .inDegree, weight: nil, limit: .max) }
    for degree in degrees {
      #expect(degree.score == Double(steps.count { $0.1 == degree.id }))
    }
  }

  @Test("a negative weight on the way, an unknown vertex, weight or collection are errors")
  func errors() throws {
    let fixture = try QueryFixture(
      Self.define + [
        .insert("a"), .insert("b"), .insert("c"), Self.link("links", "l", "a", "b", .real(-1)),
      ])
    func code(_ body: (GraphQueries) throws -> Void, via: [String]? = nil) -> ProjectionError.Code?
    {
      do { try fixture.graph(via: via, body) } catch { return (error as? ProjectionError)?.code }
      return nil
    }
    func lightest(_ graph: GraphQueries, _ start: String, _ weight: String) throws {
      _ = try graph.lightestPath(from: start, to: "c", direction: .outgoing, weight: weight)
    }
    #expect(code { try lightest($0, "a", "weight") } == .invalidQuery)
    #expect(code { try lightest($0, "b", "weight") } == nil)
    #expect(code { try lightest($0, "b", "kind") } == .unknownName)
    #expect(code { try lightest($0, "b", "nothing") } == .unknownName)
    #expect(code { _ = try $0.neighbors(of: "x", direction: .both) } == .unknownName)
    #expect(code { _ = try $0.neighbors(of: "l", direction: .both) } == .unknownName)
    #expect(code({ _ = $0 }, via: ["notes"]) == .unknownName)
    #expect(code({ _ = $0 }, via: ["nothing"]) == .unknownName)
  }

  @Test("ids that Unicode holds to be equivalent are different vertices")
  func equivalentIDs() throws {
    let (one, two) = ("\u{E9}", "e\u{301}")
    let fixture = try QueryFixture(
      Self.define + [
        .insert(one), .insert(two), .insert("c"), Self.link("links", "l1", one, two, .real(2)),
        Self.link("links", "l2", two, "c", .real(2)),
      ])
    try fixture.graph { graph in
      let there = try graph.shortestPath(from: one, to: two, direction: .outgoing)
      #expect(there?.edges.map(\.id) == ["l1"])
      for (from, to) in [(one, "c"), ("c", one)] {
        let light = try graph.lightestPath(from: from, to: to, direction: .both, weight: "weight")
        #expect(light?.cost == 4)
        #expect(light?.edges.count == 2)
      }
      #expect(try graph.neighbors(of: two, direction: .both).count == 2)
    }
  }
}
