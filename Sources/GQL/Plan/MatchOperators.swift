/// What a node of a pattern must be.
struct NodeTest {
  var labels: GQLLabels?

  func allows(_ node: GQLNode) -> Bool { labels?.allows(node.labels) ?? true }
}

/// Sets a slot to each node that may be the beginning of a path.
struct ScanOperator: PlanOperator {
  let slot: Int
  let label: String?
  let equal: [(property: String, value: Compiled)]
  let test: NodeTest
  let name: String
  /// Whether what was found for some values is kept (see ``PlanRules/recall``).
  let recalls: Bool

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    var wanted = NodeSearch(label: label, needs: run.needs[slot])
    for (property, value) in equal {
      // A value that fails is for the condition, which is looked at if there is a node for it.
      guard let value = try? value.evaluate(run) else { continue }
      // Nothing is equal to null.
      if value.isNull { return true }
      wanted.equal.append((property, value))
    }
    guard recalls, !equal.isEmpty, wanted.equal.count == equal.count else {
      return try run.graph.forEachNode(wanted) { try visit($0, run, next) }
    }
    return try recall(wanted, run, next)
  }

  private func recall(_ wanted: NodeSearch, _ run: PlanRun, _ next: () throws -> Bool) throws
    -> Bool
  {
    var key: [UInt8] = []
    for (_, value) in wanted.equal { value.appendKey(to: &key) }
    let changes = run.nodeChanges
    if let known = run.found[slot].nodes(for: key, after: changes) {
      for node in known { guard try visit(node, run, next) else { return false } }
      return true
    }
    var found = FoundNodes.List()
    let goesOn = try run.graph.forEachNode(wanted) { node in
      found.append(node)
      return try visit(node, run, next)
    }
    if goesOn, run.nodeChanges == changes { run.found[slot].keep(found, for: key) }
    return goesOn
  }

  private func visit(_ node: GQLNode, _ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    try run.budget.step()
    guard test.allows(node) else { return true }
    run.slots[slot] = .node(node)
    return try next()
  }

  func lines(_ view: PlanView) -> [String] {
    let properties = equal.map(\.property)
    let way = view.graph.explain(label: label, properties: properties)
    return view.lines(
      "Nodes \(name): \(way)",
      view.graph.statements(label: label, properties: properties, view.needs[slot]))
  }
}

/// Goes on if a variable that has a value is a node of the pattern.
struct CheckNodeOperator: PlanOperator {
  let slot: Int
  let test: NodeTest
  let name: String

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard let node = try run.node(slot, name), test.allows(node) else { return true }
    return try next()
  }

  func lines(_ view: PlanView) -> [String] { ["Check \(name)"] }
}

extension PlanRun {
  /// Returns the node in a slot; nil for null.
  func node(_ slot: Int, _ name: String) throws -> GQLNode? {
    switch slots[slot] {
    case .null: return nil
    case .node(let node): return isDeleted(node.id) ? nil : try current(node)
    case let other:
      throw GQLError(
        .type, "InvalidArgumentType", "“\(name)” is \(other.typeName), and no node of a pattern")
    }
  }

  /// Whether a relationship is one of those that the pattern has used already.
  func uses(_ id: GQLElementID, _ others: [Int]) -> Bool {
    for slot in others {
      switch slots[slot] {
      case .relationship(let one): if one.id == id { return true }
      case .list(let elements):
        for case .relationship(let one) in elements where one.id == id { return true }
      default: break
      }
    }
    return false
  }
}

/// Where a step along a relationship begins and ends.
struct StepEnds {
  var from: Int
  var to: Int
  /// Whether the end is known already, so that it only has to be the same.
  var isToBound: Bool
  var test: NodeTest
  var name: String

  /// Returns whether a node may be the end, and sets the slot.
  func reach(_ node: GQLNode, _ run: PlanRun) throws -> Bool {
    if isToBound {
      guard let known = try run.node(to, name) else { return false }
      return known.id == node.id && test.allows(node)
    }
    guard test.allows(node) else { return false }
    run.slots[to] = .node(node)
    return true
  }
}

/// Follows one relationship.
struct ExpandOperator: PlanOperator {
  let ends: StepEnds
  let slot: Int
  /// Whether the relationship is known already.
  let isBound: Bool
  let direction: GQLRelationshipPattern.Direction
  let types: [String]?
  let condition: GQLLabels?
  let others: [Int]

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard let node = try run.node(ends.from, ends.name) else { return true }
    var known: GQLElementID?
    if isBound {
      switch run.slots[slot] {
      case .relationship(let one): known = one.id
      case .null: return true
      case let other:
        throw GQLError(
          .type, "InvalidArgumentType", "\(other.typeName) is no relationship of a pattern")
      }
    }
    let goal = ends.isToBound ? try run.node(ends.to, ends.name) : nil
    if ends.isToBound, goal == nil { return true }
    var search = search(run.needs)
    search.end = goal?.id
    return try run.graph.forEachRelationship(of: node.id, search) { one, end in
      try run.budget.step()
      if let known, known != one.id { return true }
      if let condition, !condition.allows([one.type]) { return true }
      guard !run.uses(one.id, others), try ends.reach(end, run) else { return true }
      if !isBound { run.slots[slot] = .relationship(one) }
      return try next()
    }
  }

  private func search(_ needs: [ElementNeeds]) -> RelationshipSearch {
    RelationshipSearch(
      direction: direction, types: types, needs: isBound ? .whole : needs[slot],
      endNeeds: ends.isToBound ? .whole : needs[ends.to])
  }

  func lines(_ view: PlanView) -> [String] {
    let list = types.map { " of type \($0.joined(separator: ", "))" } ?? ""
    return view.lines(
      "Expand \(direction)\(list) to \(ends.name)\(ends.isToBound ? ", which is known" : "")",
      view.graph.statements(search(view.needs), isEndKnown: ends.isToBound))
  }
}

/// Sets a path of its parts.
struct PathOperator: PlanOperator {
  let slot: Int
  let nodes: [Int]
  /// For each relationship its slot, and the slot with its nodes if there may be several.
  let relationships: [(slot: Int, nodes: Int?)]

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard case .node(let first) = run.slots[nodes[0]] else { return true }
    var path = GQLPath(nodes: [first], relationships: [])
    for (index, step) in relationships.enumerated() {
      switch run.slots[step.slot] {
      case .relationship(let one):
        path.relationships.append(one)
        if case .node(let node) = run.slots[nodes[index + 1]] { path.nodes.append(node) }
      case .list(let elements):
        for case .relationship(let one) in elements { path.relationships.append(one) }
        guard let slot = step.nodes, case .list(let between) = run.slots[slot] else { continue }
        for case .node(let node) in between.dropFirst() { path.nodes.append(node) }
      default: return true
      }
    }
    run.slots[slot] = .path(path)
    return try next()
  }

  func lines(_ view: PlanView) -> [String] { ["Path"] }
}
