import DaybookEventCore
import DaybookSimulation

@testable import DaybookProjections

/// A graph as plain lists, and queries on it by brute force, which give the expected results. It
/// knows nothing of statements, indexes and numbers.
struct GraphModel {
  /// What is said of a relationship collection.
  struct Kind {
    var name: String
    /// The collections that the ends reference; nil where they say nothing.
    var source: String?
    var target: String?
    var directed: Value?
  }

  struct Relationship {
    var collection: String
    var id: String
    var source: String?
    var target: String?
    var weight: Double?
    var label: String?
    var isOneWay: Bool?
  }

  /// One way to follow a relationship.
  struct Arc {
    var edge: GraphEdge
    var from: GraphVertex
    var to: GraphVertex
    var weight: Double
  }

  /// Live entities that are no relationships.
  var vertices: Set<GraphVertex> = []
  var kinds: [Kind] = []
  var relationships: [Relationship] = []

  /// What a query follows.
  struct Scope {
    var via: [String]?
    var label: Value?

    var fields: [String: Value] { label.map { ["label": $0] } ?? [:] }

    func holds(_ relationship: Relationship) -> Bool {
      guard via?.contains(relationship.collection) ?? true else { return false }
      return label.map { relationship.label.map(Value.text) ?? .null == $0 } ?? true
    }
  }

  private func ends(_ id: String?, _ reference: String?) -> [GraphVertex] {
    guard let id else { return [] }
    return vertices.filter { $0 == GraphVertex(reference ?? $0.collection, id) }
  }

  /// The edges that relationships stand for.
  func edges(_ scope: Scope) -> [GraphEdge] {
    relationships.filter(scope.holds).flatMap { relationship -> [GraphEdge] in
      guard let kind = kinds.first(where: { $0.name == relationship.collection }) else { return [] }
      let isDirected =
        switch kind.directed {
        case .boolean(false)?: false
        case .text("one_way")?: relationship.isOneWay ?? true
        default: true
        }
      return ends(relationship.source, kind.source).flatMap { source in
        ends(relationship.target, kind.target).map { target in
          GraphEdge(
            collection: relationship.collection, id: relationship.id, source: source,
            target: target, isDirected: isDirected, weight: relationship.weight ?? 1)
        }
      }
    }
  }

  func arcs(_ scope: Scope, _ direction: GraphDirection) -> [Arc] {
    edges(scope).flatMap { edge -> [Arc] in
      let weight = edge.weight ?? 1
      let forth = Arc(edge: edge, from: edge.source, to: edge.target, weight: weight)
      let back = Arc(edge: edge, from: edge.target, to: edge.source, weight: weight)
      // A loop is its own reverse.
      if edge.source == edge.target { return [forth] }
      if !edge.isDirected { return [forth, back] }
      return switch direction {
      case .outgoing: [forth]
      case .incoming: [back]
      case .both: [forth, back]
      }
    }
  }

  /// Bellman and Ford.
  func costs(from start: GraphVertex, _ arcs: [Arc], hops: Bool) -> [GraphVertex: Double] {
    var costs = [start: 0.0]
    var changed = true
    while changed {
      changed = false
      for arc in arcs {
        guard let cost = costs[arc.from] else { continue }
        let next = cost + (hops ? 1 : arc.weight)
        if next < costs[arc.to] ?? .infinity {
          costs[arc.to] = next
          changed = true
        }
      }
    }
    return costs
  }

  /// All entities of the collections to which relationships may lead.
  func ranked(_ scope: Scope) -> [GraphVertex] {
    let followed = kinds.filter { scope.via?.contains($0.name) ?? true }
    let ends = followed.flatMap { [$0.source, $0.target] }
    return vertices.filter { vertex in
      ends.contains { $0 == nil || $0 == vertex.collection }
    }.sorted()
  }

  func inDegrees(_ scope: Scope, hops: Bool) -> [GraphVertex: Double] {
    var degrees = Dictionary(uniqueKeysWithValues: ranked(scope).map { ($0, 0.0) })
    for arc in arcs(scope, .outgoing) { degrees[arc.to, default: 0] += hops ? 1 : arc.weight }
    return degrees
  }

  func pageRanks(_ scope: Scope) -> [GraphVertex: Double] {
    let all = ranked(scope)
    let arcs = arcs(scope, .outgoing).filter { $0.weight > 0 }
    var rank = Dictionary(uniqueKeysWithValues: all.map { ($0, 1 / Double(all.count)) })
    for _ in 0..<200 {
      var next = Dictionary(uniqueKeysWithValues: all.map { ($0, 0.15 / Double(all.count)) })
      for vertex in all {
        let out = arcs.filter { $0.from == vertex }
        let sum = out.reduce(0) { $0 + $1.weight }
        if sum == 0 {
          for other in all { next[other]! += 0.85 * rank[vertex]! / Double(all.count) }
        }
        for arc in out { next[arc.to]! += 0.85 * rank[vertex]! * arc.weight / sum }
      }
      rank = next
    }
    return rank
  }
}

// MARK: - Random graphs

extension GraphModel {
  /// Returns collections that share ids, and relationships of every kind between them. Some ends
  /// are missing, deleted or NULL; there are loops, parallel edges, cycles, and deleted
  /// relationships.
  static func random(seed: UInt64) throws -> (QueryFixture, GraphModel) {
    var random = SplitMix64(seed: seed)
    var model = GraphModel()
    model.kinds = kinds(&random)
    // One graph in eight has a single collection: there, nothing has to be chosen.
    let collections =
      random.chance(12) ? ["notes"] : ["notes", "people", "tags", "Zones", "a_1"]
    var operations = collections.map {
      Operation.define(Definition($0, [.text("name")]))
    }
    operations += model.kinds.map { .define(definition($0)) }
    let ids = (0..<random.pick(2...7)).map { "\($0)" } + ["é", "e\u{301}"]
    for collection in collections {
      for id in ids where random.chance(60) {
        operations.append(.insert(collection: collection, id: id, fields: [:]))
        if random.chance(15) {
          operations.append(.delete(collection: collection, id: id))
        } else {
          model.vertices.insert(GraphVertex(collection, id))
        }
      }
    }
    for number in 0..<random.pick(0...40) {
      let kind = random.pick(model.kinds)
      let ends = ids + ["nowhere"]
      var relationship = Relationship(
        collection: kind.name, id: "r\(number)", source: random.pick(ends),
        target: random.chance(5) ? nil : random.pick(ends),
        weight: random.chance(25) ? nil : Double(random.pick(0...40)) / 4,
        label: random.chance(30) ? nil : random.pick(["x", "y"]),
        isOneWay: random.chance(20) ? nil : random.chance(50))
      operations.append(insert(relationship, isWhole: kind.name == whole))
      // A value that is not of the field's type is none.
      if kind.name == whole, relationship.weight?.rounded() != relationship.weight {
        relationship.weight = nil
      }
      if random.chance(10) {
        operations.append(.delete(collection: kind.name, id: relationship.id))
      } else {
        model.relationships.append(relationship)
      }
    }
    if random.chance(15), let dropped = collections.dropFirst().first {
      operations.append(.drop(collection: dropped, field: nil))
      model.vertices = model.vertices.filter { $0.collection != dropped }
    }
    return (try QueryFixture(operations), model)
  }

  /// The collection whose weights are integers.
  private static let whole = "near"

  private static func kinds(_ random: inout SplitMix64) -> [Kind] {
    [
      Kind(name: "links"),
      Kind(name: "cites", source: "notes", target: "notes"),
      Kind(name: "knows", source: "people", target: "people", directed: .boolean(false)),
      Kind(name: "tagged", source: "notes", target: "tags", directed: .boolean(true)),
      Kind(name: "mixed", source: "Zones", directed: .text("one_way")),
      Kind(name: whole, directed: random.chance(50) ? .text("one_way") : .boolean(false)),
      // Of what cannot be understood all are directed.
      Kind(name: "odd", target: "a_1", directed: random.pick([.text("label"), .integer(0)])),
      // Neither leads anywhere: one end is of no collection, the other of a relationship.
      Kind(name: "lost", source: "notes", target: "nothing"),
      Kind(name: "about", source: "links", target: "notes"),
    ]
  }

  private static func definition(_ kind: Kind) -> Definition {
    var definition = Definition(
      collection: kind.name, attributes: ["relationship": .boolean(true)],
      fields: [
        .init("weight", ["type": kind.name == whole ? "integer" : "real"]),
        .text("label"), .boolean("one_way"),
      ])
    definition.attributes["directed"] = kind.directed
    for (end, collection) in [("source", kind.source), ("target", kind.target)] {
      guard let collection else { continue }
      definition.fields.append(.init(end, ["type": "text", "references": .text(collection)]))
    }
    return definition
  }

  private static func insert(_ relationship: Relationship, isWhole: Bool) -> Operation {
    var fields: [String: Value] = [:]
    fields["source"] = relationship.source.map { .text($0) }
    fields["target"] = relationship.target.map { .text($0) }
    fields["label"] = relationship.label.map { .text($0) }
    fields["one_way"] = relationship.isOneWay.map { .boolean($0) }
    fields["weight"] = relationship.weight.map { weight in
      isWhole ? Int64(exactly: weight).map { .integer($0) } ?? .real(weight) : .real(weight)
    }
    return .insert(collection: relationship.collection, id: relationship.id, fields: fields)
  }
}
