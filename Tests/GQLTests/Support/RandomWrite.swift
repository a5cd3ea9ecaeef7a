import DaybookSimulation
import Foundation

@testable import DaybookGQL

/// A random statement that writes: as text, and as changes to a list of nodes that follow from the
/// matches one by one. No change depends on the order of the matches.
struct RandomWrite {
  enum Change {
    case setProperty(Int, String, Int64?)
    case addLabel(Int, String)
    case removeLabel(Int, String)
    case detachDelete(Int)
    case createRelationship(Int, String, Int)
    case createNode(Int, String, Int64)
    case mergeRelationship(Int, String, Int)
    case mergeNode(String, Int64)
  }

  let query: RandomQuery
  let change: Change

  init(_ random: inout SplitMix64) {
    let query = RandomQuery(&random)
    self.query = query
    func variable() -> Int { Int.random(in: 0..<query.variables, using: &random) }
    func label() -> String { RandomScope.labels.randomElement(using: &random) ?? "A" }
    func type() -> String { RandomScope.types.randomElement(using: &random) ?? "R" }
    func number() -> Int64 { Int64.random(in: 0...2, using: &random) }
    switch Int.random(in: 0...8, using: &random) {
    case 0: change = .setProperty(variable(), "x", number())
    case 1: change = .setProperty(variable(), "y", nil)
    case 2: change = .addLabel(variable(), label())
    case 3: change = .removeLabel(variable(), label())
    case 4: change = .detachDelete(variable())
    case 5: change = .createRelationship(variable(), type(), variable())
    case 6: change = .createNode(variable(), label(), number())
    case 7: change = .mergeRelationship(variable(), type(), variable())
    default: change = .mergeNode(label(), number())
    }
  }

  var text: String {
    let match = query.match
    let clause =
      switch change {
      case .setProperty(let v, let name, let value?): "SET v\(v).\(name) = \(value)"
      case .setProperty(let v, let name, nil): "REMOVE v\(v).\(name)"
      case .addLabel(let v, let label): "SET v\(v):`\(label)`"
      case .removeLabel(let v, let label): "REMOVE v\(v):`\(label)`"
      case .detachDelete(let v): "DETACH DELETE v\(v)"
      case .createRelationship(let a, let type, let b): "CREATE (v\(a))-[:\(type)]->(v\(b))"
      case .createNode(let v, let label, let x) where x == 1:
        "CREATE (v\(v))-[:R]->(m:`\(label)` {x: 7}) SET m = {n: 99, y: null}, m.n = 100, m.x = \(x)"
      case .createNode(let v, let label, let x):
        "CREATE (v\(v))-[:R]->(:`\(label)` {n: 100, x: \(x)})"
      case .mergeRelationship(let a, let type, let b): "MERGE (v\(a))-[:\(type)]->(v\(b))"
      case .mergeNode(let label, let x): "MERGE (:`\(label)` {x: \(x)})"
      }
    return "\(match) \(clause)"
  }

  /// Whether the graph is so large, or the statement has so many matches in it, that trying
  /// everything would have no end.
  func isTooMuch(for graph: ListedGraph) -> Bool {
    graph.nodes.count > 12 || graph.relationships.count > 16 || query.matches(in: graph).count > 100
  }

  /// Does to a graph what the statement means, for each match by itself.
  func apply(to graph: ListedGraph) {
    for match in query.matches(in: graph) { apply(match, graph) }
  }

  private func apply(_ match: [GQLNode], _ graph: ListedGraph) {
    func node(_ variable: Int) -> GQLNode? { graph.node(match[variable].id) }
    switch change {
    case .setProperty(let v, let name, let value):
      guard let node = node(v) else { return }
      let values = GQLMap([(name, value.map { .integer($0) } ?? .null)])
      _ = graph.update(node, properties: values, adding: [], removing: [])
    case .addLabel(let v, let label):
      guard let node = node(v), !node.labels.contains(label) else { return }
      _ = graph.update(node, properties: GQLMap(), adding: [label], removing: [])
    case .removeLabel(let v, let label):
      guard let node = node(v) else { return }
      _ = graph.update(node, properties: GQLMap(), adding: [], removing: [label])
    case .detachDelete(let v):
      guard let node = node(v) else { return }
      for one in graph.relationships where one.source == node.id || one.target == node.id {
        graph.delete(one)
      }
      graph.delete(node)
    case .createRelationship(let a, let type, let b): connect(match[a], type, match[b], graph)
    case .createNode(let v, let label, let x):
      let made = graph.createNode(
        labels: [label], properties: GQLMap([("n", 100), ("x", .integer(x))]), key: nil)
      connect(match[v], "R", made, graph)
    case .mergeRelationship(let a, let type, let b):
      let isThere = graph.relationships.contains {
        $0.type == type && $0.source == match[a].id && $0.target == match[b].id
      }
      if !isThere { connect(match[a], type, match[b], graph) }
    case .mergeNode(let label, let x):
      let isThere = graph.nodes.contains { node in
        guard case .integer(let value)? = node.properties[key: "x"] else { return false }
        return value == x && node.labels.contains(label)
      }
      guard !isThere else { return }
      _ = graph.createNode(labels: [label], properties: GQLMap([("x", .integer(x))]), key: nil)
    }
  }

  private func connect(_ a: GQLNode, _ type: String, _ b: GQLNode, _ graph: ListedGraph) {
    _ = graph.createRelationship(type: type, from: a, to: b, properties: GQLMap(), key: nil)
  }

  // MARK: - Whole graphs

  /// A statement that returns all nodes, and one that returns all relationships.
  static let everything = ["MATCH (n) RETURN n", "MATCH (a)-[r]->(b) RETURN a, type(r), b"]

  /// Returns a graph as the same text whichever ids its elements have.
  static func shown(_ results: [[[GQLValue]]]) -> [String] {
    results.flatMap { rows in
      rows.map { row in
        row.map { FeatureValue.text($0, sorted: false) }.joined(separator: " ")
      }.sorted()
    }
  }
}
