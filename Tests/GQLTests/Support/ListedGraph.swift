@testable import DaybookGQL

/// A graph that is two lists. Every look-up goes over all of them.
final class ListedGraph: GraphWriting {
  private(set) var nodes: [GQLNode] = []
  private(set) var relationships: [GQLRelationship] = []
  private var made = 0

  func isOpen(labels: [String]) -> Bool { true }

  func isOpen(type: String) -> Bool { true }

  private func nextID(_ collection: String) -> GQLElementID {
    made += 1
    let digits = String(made)
    return GQLElementID(
      collection: collection, id: String(repeating: "0", count: 8 - digits.count) + digits)
  }

  func node(_ id: GQLElementID) -> GQLNode? { nodes.first { $0.id == id } }

  func relationship(_ id: GQLElementID) -> GQLRelationship? {
    relationships.first { $0.id == id && isWhole($0) }
  }

  private func isWhole(_ one: GQLRelationship) -> Bool {
    node(one.source) != nil && node(one.target) != nil
  }

  func forEachNode(_ wanted: NodeSearch, _ body: (GQLNode) throws -> Bool) throws -> Bool {
    for node in nodes { guard try body(node) else { return false } }
    return true
  }

  func forEachRelationship(
    of node: GQLElementID, _ wanted: RelationshipSearch,
    _ body: (GQLRelationship, GQLNode) throws -> Bool
  ) throws -> Bool {
    for one in relationships where wanted.types?.contains(one.type) ?? true {
      let isOut = one.source == node && wanted.direction != .incoming
      let isIn = one.target == node && wanted.direction != .outgoing
      guard isOut || isIn, let end = self.node(isOut ? one.target : one.source),
        self.node(node) != nil, wanted.end == nil || end.id == wanted.end
      else { continue }
      guard try body(one, end) else { return false }
    }
    return true
  }

  func forEachRelationship(types: [String]?, _ body: (GQLRelationship) throws -> Bool) throws
    -> Bool
  {
    for one in relationships where types?.contains(one.type) ?? true && isWhole(one) {
      guard try body(one) else { return false }
    }
    return true
  }

  func names(_ kind: NameKind) -> [String] {
    let names =
      switch kind {
      case .labels: nodes.flatMap(\.labels)
      case .types: relationships.map(\.type)
      case .properties:
        nodes.flatMap(\.properties.keys) + relationships.flatMap(\.properties.keys)
      }
    return Set(names).sorted()
  }

  func explain(label: String?, properties: [String]) -> String { "all" }

  // MARK: - Writing

  func createNode(labels: [String], properties: GQLMap, key: [UInt8]?) -> GQLNode {
    let node = GQLNode(id: nextID("nodes"), labels: labels.sorted(), properties: properties)
    nodes.append(node)
    return node
  }

  func createRelationship(
    type: String, from source: GQLNode, to target: GQLNode, properties: GQLMap, key: [UInt8]?
  ) -> GQLRelationship {
    let one = GQLRelationship(
      id: nextID("relationships"), type: type, source: source.id, target: target.id,
      properties: properties)
    relationships.append(one)
    return one
  }

  func update(_ node: GQLNode, properties: GQLMap, adding: [String], removing: [String])
    -> GQLNode
  {
    let labels = (node.labels + adding).filter { !$0.isOne(of: removing) }.sorted()
    let changed = GQLNode(
      id: node.id, labels: labels, properties: node.properties.changed(by: properties))
    if let index = nodes.firstIndex(where: { $0.id == node.id }) { nodes[index] = changed }
    return changed
  }

  func update(_ one: GQLRelationship, properties: GQLMap) -> GQLRelationship {
    let changed = GQLRelationship(
      id: one.id, type: one.type, source: one.source, target: one.target,
      properties: one.properties.changed(by: properties))
    if let index = relationships.firstIndex(where: { $0.id == one.id }) {
      relationships[index] = changed
    }
    return changed
  }

  func delete(_ node: GQLNode) { nodes.removeAll { $0.id == node.id } }

  func delete(_ one: GQLRelationship) { relationships.removeAll { $0.id == one.id } }
}

extension ListedGraph {
  /// Runs a query, and returns its rows.
  @discardableResult
  func run(
    _ text: String, _ parameters: [(key: String, value: GQLValue)] = [], rules: PlanRules = .all
  ) throws -> (columns: [String], rows: [[GQLValue]], counts: GQLCounts) {
    guard case .query(let query) = try QueryParser.statement(text) else {
      throw GQLError(.unsupported, "Test", "a list of nodes has no catalog")
    }
    let prepared = try PreparedQuery(query, rules: rules)
    let clock = StatementClock(seconds: 1_700_000_000, nanosecond: 123_456_789) { 0.25 }
    let saved = (nodes, relationships)
    var rows: [[GQLValue]] = []
    do {
      let counts = try prepared.run(
        self, parameters: GQLMap(parameters), budget: GQLBudget(), clock: clock
      ) { row in
        rows.append(row)
        return true
      }
      return (prepared.columns, rows, counts)
    } catch {
      (nodes, relationships) = saved
      throw error
    }
  }
}
