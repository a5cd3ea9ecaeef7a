/// Follows relationships in a row, each at most once, depth first.
///
/// It keeps its own stack: a path may be as long as the graph.
struct VariableLengthOperator: PlanOperator {
  let ends: StepEnds
  /// The list of the relationships.
  let slot: Int
  /// The list of the nodes, from the first to the last.
  let nodesSlot: Int
  /// Whether the list of relationships is known already.
  let isBound: Bool
  let direction: GQLRelationshipPattern.Direction
  let types: [String]?
  let condition: GQLLabels?
  let length: GQLRelationshipPattern.Length
  /// The properties that each relationship must have.
  let properties: [(name: String, value: Compiled)]
  let others: [Int]
  /// Whether the pattern is followed from its end, so that the lists have to be turned around.
  let isReversed: Bool

  private typealias Step = (one: GQLRelationship, node: GQLNode)

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard let start = try run.node(ends.from, ends.name) else { return true }
    let known: GQLValue? = isBound ? run.slots[slot] : nil
    if let known, known.isNull { return true }
    let wanted = try properties.map { ($0.name, try $0.value.evaluate(run)) }
    var path: [Step] = []
    func arrive(_ node: GQLNode) throws -> Bool {
      guard try ends.reach(node, run) else { return true }
      let steps = isReversed ? path.reversed() : path
      let list = GQLValue.list(steps.map { .relationship($0.one) })
      if let known, GQLValue.equals(known, list) != true { return true }
      var nodes = [start] + path.map(\.node)
      if isReversed { nodes.reverse() }
      run.slots[slot] = list
      run.slots[nodesSlot] = .list(nodes.map { .node($0) })
      return try next()
    }
    if length.least == 0 { guard try arrive(start) else { return false } }
    let most = length.most ?? .max
    guard most > 0, most >= length.least else { return true }
    var stack = [try steps(from: start, path, wanted, run)]
    while let last = stack.indices.last {
      guard let step = stack[last].popLast() else {
        stack.removeLast()
        _ = path.popLast()
        continue
      }
      try run.budget.step()
      path.append(step)
      if path.count >= length.least { guard try arrive(step.node) else { return false } }
      if path.count < most {
        stack.append(try steps(from: step.node, path, wanted, run))
      } else {
        path.removeLast()
      }
    }
    if let known { run.slots[slot] = known }
    return true
  }

  /// The relationships that go on from a node, the last one first.
  private func steps(
    from node: GQLNode, _ path: [Step], _ wanted: [(String, GQLValue)], _ run: PlanRun
  ) throws -> [Step] {
    var found: [Step] = []
    let search = RelationshipSearch(direction: direction, types: types)
    _ = try run.graph.forEachRelationship(of: node.id, search) { one, end in
      try run.budget.step()
      if let condition, !condition.allows([one.type]) { return true }
      guard !path.contains(where: { $0.one.id == one.id }), !run.uses(one.id, others) else {
        return true
      }
      for (name, value) in wanted
      where GQLValue.equals(one.properties[key: name] ?? .null, value) != true { return true }
      found.append((one, end))
      return true
    }
    try run.budget.keep(bytes: 0)
    return found.reversed()
  }

  func lines(_ view: PlanView) -> [String] {
    let most = length.most.map { "\($0)" } ?? "any number"
    return view.lines(
      "Expand \(direction) \(length.least) to \(most) times to \(ends.name)",
      view.graph.statements(
        RelationshipSearch(direction: direction, types: types), isEndKnown: false))
  }
}
