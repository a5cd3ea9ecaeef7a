/// Parts of a path that are repeated: `((a)-[r]->(b) WHERE a.x < b.x){1,3}`.
extension MatchPlanner {
  /// A part that is repeated, as the pattern around it sees it: each of its variables is a list.
  struct Group {
    var lists: [(name: String, slot: Int)]
    /// The variables that the part may use beside its own: those before the clause.
    var scope: Scope
  }

  /// Makes a list of each variable of a part.
  mutating func bindGroup(_ pattern: GQLPathPattern, _ outer: Scope) throws(GQLError) -> Group {
    var group = Group(lists: [], scope: outer)
    var own: Set<String> = []
    for (name, position, isNode) in pattern.variables where own.insert(name).inserted {
      guard scope[name] == nil else {
        throw GQLError(
          .syntax, "VariableAlreadyBound",
          "“\(name)” has a value already, and cannot be a variable of what is repeated",
          at: position, hint: "Use another name")
      }
      let slot = newSlot()
      scope.bind(name, BoundVariable(slot: slot, type: isNode ? .list : .relationships))
      group.lists.append((name, slot))
    }
    return group
  }

  /// Adds the step that repeats a part between two nodes.
  mutating func addRepetition(
    _ pattern: GQLRelationshipPattern, _ group: Group, ends: StepEnds, slot: Int, nodesSlot: Int,
    isReversed: Bool
  ) throws(GQLError) {
    guard let path = pattern.group else { return }
    var inner = MatchPlanner(plan, group.scope)
    let parts = try inner.addOnce(path, filter: pattern.filter, isReversed: isReversed)
    let lists = group.lists.compactMap { list in
      inner.scope[list.name].map { (inner: $0.slot, outer: list.slot) }
    }
    pipeline.operators.append(
      RepeatOperator(
        ends: ends, slot: slot, nodesSlot: nodesSlot, once: inner.pipeline, parts: parts,
        lists: lists, length: pattern.length ?? .init(least: 1, most: 1), others: used,
        isReversed: isReversed))
    bound.formUnion([slot, nodesSlot] + lists.map(\.outer))
  }

  /// Adds the steps of one repetition, which begins at a node that is known.
  private mutating func addOnce(
    _ pattern: GQLPathPattern, filter: GQLExpression?, isReversed: Bool
  ) throws(GQLError) -> RepeatOperator.Parts {
    let part = try bind(pattern, scope)
    bound.insert(isReversed ? part.nodes[part.nodes.count - 1] : part.nodes[0])
    try addProperties(of: part)
    if let filter { try addFilter(filter) }
    try addSteps(part)
    addConditions(all: true)
    for element in part.nodes + part.relationships { plan.uses.noteWhole(element) }
    return RepeatOperator.Parts(nodes: part.nodes, relationships: part.relationships)
  }
}

extension GQLPathPattern {
  /// The variables of nodes and relationships, those of repeated parts included.
  var variables: [(name: String, position: GQLPosition, isNode: Bool)] {
    nodes.compactMap { node in node.variable.map { ($0, node.position, true) } }
      + relationships.flatMap { one in
        one.group?.variables ?? one.variable.map { [($0, one.position, false)] } ?? []
      }
  }
}
