extension PlanRules {
  /// Begins at the ends of a relationship that is known before the pattern.
  ///
  /// Before, of `MATCH (a)-[r]->(b)` with a known `r`: `Nodes a: all`, `Expand … to b`. After,
  /// `Ends of a relationship`, `Expand … to b`.
  static let ends = PlanRules(rawValue: 16)
}

extension MatchPlanner {
  /// Adds the step that begins a pattern at the ends of a relationship that is known, unless a node
  /// of the pattern is known, too.
  /// - Returns: the node of the pattern to go on from; nil if no step was added.
  mutating func addEnds(_ part: Part) -> Int? {
    guard plan.rules.contains(.ends), !part.nodes.contains(where: bound.contains),
      let index = part.relationships.firstIndex(where: part.knownRelationships.contains),
      part.pattern.relationships[index].length == nil
    else { return nil }
    plan.uses.noteIdentity(part.relationships[index])
    pipeline.operators.append(
      EndsOperator(
        slot: part.relationships[index], from: part.nodes[index],
        direction: part.pattern.relationships[index].direction))
    bound.insert(part.nodes[index])
    return index
  }
}

/// Sets the ends of a relationship that is known already.
struct EndsOperator: PlanOperator {
  let slot: Int
  let from: Int
  let direction: GQLRelationshipPattern.Direction

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard case .relationship(let one) = run.slots[slot], !run.isDeleted(one.id) else {
      if case .relationship = run.slots[slot] { return true }
      if run.slots[slot].isNull { return true }
      throw GQLError(
        .type, "InvalidArgumentType",
        "\(run.slots[slot].typeName) is no relationship of a pattern")
    }
    var starts: [GQLElementID] = []
    if direction != .incoming { starts.append(one.source) }
    if direction != .outgoing, one.source != one.target || direction == .incoming {
      starts.append(one.target)
    }
    for start in starts {
      guard let node = try run.graph.node(start) else { continue }
      run.slots[from] = .node(node)
      guard try next() else { return false }
    }
    return true
  }

  func lines(_ view: PlanView) -> [String] { ["Ends of a relationship"] }
}
