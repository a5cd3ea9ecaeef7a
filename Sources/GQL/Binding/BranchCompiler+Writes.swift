/// `CREATE`, `MERGE`, `SET`, `REMOVE` and `DELETE`.
extension BranchCompiler {
  /// Adds a step that changes the graph. What stands before it runs to its end first, and what
  /// follows sees all of its changes.
  mutating func addWrite(_ step: any PlanOperator, before: [Int]) {
    plan.writes = true
    let last = EagerOperator.Stage(steps: Pipeline(operators: [step]), slots: liveSlots)
    var stages: [EagerOperator.Stage] = []
    if pipeline.operators.count == 1, let eager = pipeline.operators[0] as? EagerOperator {
      stages = eager.stages
    } else if !pipeline.operators.isEmpty {
      stages = [.init(steps: pipeline, slots: before)]
    }
    pipeline = Pipeline(operators: [EagerOperator(stages: stages + [last])])
  }

  /// Forgets the rows behind the last change, if nothing is returned of them.
  mutating func endWrites() {
    guard columns.isEmpty, pipeline.operators.count == 1,
      let eager = pipeline.operators[0] as? EagerOperator, var last = eager.stages.last
    else { return }
    last.isEnd = true
    pipeline = Pipeline(operators: [EagerOperator(stages: eager.stages.dropLast() + [last])])
  }

  mutating func addChange(_ changes: [GraphChange]) throws(GQLError) {
    addWrite(ChangeOperator(changes: changes), before: liveSlots)
  }

  // MARK: - CREATE

  mutating func addCreate(_ patterns: [GQLPathPattern]) throws(GQLError) {
    let before = liveSlots
    var step = CreateOperator()
    for pattern in patterns {
      guard pattern.search == .all else {
        throw GQLError(
          .syntax, "UnexpectedSyntax", "a path that is searched for cannot be created",
          at: pattern.position)
      }
      var slots: [Int] = []
      for node in pattern.nodes {
        slots.append(try create(node, pattern.relationships.isEmpty, &step))
      }
      var steps: [(slot: Int, nodes: Int?)] = []
      for (index, one) in pattern.relationships.enumerated() {
        let slot = try create(one, slots[index], slots[index + 1], &step)
        steps.append((slot, nil))
      }
      if let name = pattern.variable {
        let slot = try newVariable(name, .path, pattern.position)
        for node in slots { plan.uses.noteWhole(node) }
        step.paths.append(PathOperator(slot: slot, nodes: slots, relationships: steps))
      }
    }
    let maps = patterns.flatMap { pattern in
      pattern.nodes.compactMap(\.properties) + pattern.relationships.compactMap(\.properties)
    }
    for map in maps {
      step.looks.atGraph = step.looks.atGraph || map.looksAtGraph
      step.looks.slots.formUnion(map.names.compactMap { scope[$0]?.slot })
    }
    if isUnseen(step) {
      plan.writes = true
      pipeline.operators.append(step)
      pipeline = eager(pipeline)
    } else {
      addWrite(step, before: before)
    }
  }

  private mutating func newVariable(_ name: String, _ type: StaticType, _ position: GQLPosition)
    throws(GQLError) -> Int
  {
    try requireNew(name, position)
    let slot = plan.slot()
    scope.bind(name, BoundVariable(slot: slot, type: type))
    return slot
  }

  private func requireNew(_ name: String, _ position: GQLPosition) throws(GQLError) {
    guard scope[name] != nil else { return }
    throw GQLError(
      .syntax, "VariableAlreadyBound", "“\(name)” has a value already, and cannot be created",
      at: position)
  }

  private mutating func create(
    _ node: GQLNodePattern, _ isAlone: Bool, _ step: inout CreateOperator
  ) throws(GQLError) -> Int {
    try requirePlain(node.filter)
    if let name = node.variable, let known = scope[name] {
      guard !isAlone, node.labels == nil, node.properties == nil else {
        throw GQLError(
          .syntax, "VariableAlreadyBound", "“\(name)” has a value already, and cannot be created",
          at: node.position)
      }
      guard known.type.mayBe(.node) else {
        throw GQLError(
          .syntax, "VariableTypeConflict", "“\(name)” is a \(known.type.rawValue) already",
          at: node.position)
      }
      plan.uses.noteIdentity(known.slot)
      return known.slot
    }
    var properties: Compiled?
    if let map = node.properties { properties = try expressions.compile(map) }
    let labels = try labels(node.labels, node.position)
    let slot =
      try node.variable.map { name throws(GQLError) in
        try newVariable(name, .node, node.position)
      } ?? plan.slot()
    step.parts.append(
      .init(
        slot: slot, kind: .node(labels), properties: properties, position: node.position))
    return slot
  }

  private func requirePlain(_ filter: GQLExpression?) throws(GQLError) {
    guard let filter else { return }
    throw GQLError(
      .syntax, "UnexpectedSyntax", "what is created has no condition", at: filter.position)
  }

  func labels(_ labels: GQLLabels?, _ position: GQLPosition) throws(GQLError) -> [String] {
    guard let labels else { return [] }
    guard let names = labels.names else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "what is created has labels, and no condition on them",
        at: position)
    }
    return names
  }

  private mutating func create(
    _ one: GQLRelationshipPattern, _ left: Int, _ right: Int, _ step: inout CreateOperator
  ) throws(GQLError) -> Int {
    try requirePlain(one.filter)
    if let name = one.variable { try requireNew(name, one.position) }
    let type = try singleType(one)
    guard one.direction != .either else {
      throw GQLError(
        .syntax, "RequiresDirectedRelationship", "a relationship is created in one direction",
        at: one.position, hint: "Write -[…]-> or <-[…]-")
    }
    var properties: Compiled?
    if let map = one.properties { properties = try expressions.compile(map) }
    let slot =
      try one.variable.map { name throws(GQLError) in
        try newVariable(name, .relationship, one.position)
      } ?? plan.slot()
    let ends = one.direction == .outgoing ? (left, right) : (right, left)
    step.parts.append(
      .init(
        slot: slot, kind: .relationship(type, from: ends.0, to: ends.1), properties: properties,
        position: one.position))
    return slot
  }

  private func singleType(_ one: GQLRelationshipPattern) throws(GQLError) -> String {
    guard one.length == nil else {
      throw GQLError(
        .syntax, "CreatingVarLength", "a path of variable length cannot be created",
        at: one.position)
    }
    guard case .name(let type)? = one.types else {
      throw GQLError(
        .syntax, "NoSingleRelationshipType", "a relationship is created with one type",
        at: one.position)
    }
    return type
  }

  // MARK: - MERGE

  mutating func addMerge(
    _ pattern: GQLPathPattern, _ onCreate: [GQLClause.SetItem], _ onMatch: [GQLClause.SetItem]
  ) throws(GQLError) {
    let (before, outer) = (liveSlots, scope)
    guard pattern.search == .all else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "a path that is searched for cannot be merged",
        at: pattern.position)
    }
    for node in pattern.nodes {
      try requirePlain(node.filter)
      guard let name = node.variable, outer[name] != nil else { continue }
      guard !pattern.relationships.isEmpty, node.labels == nil, node.properties == nil else {
        throw GQLError(
          .syntax, "VariableAlreadyBound", "“\(name)” has a value already, and cannot be merged",
          at: node.position)
      }
    }
    for one in pattern.relationships {
      try requirePlain(one.filter)
      if let name = one.variable, outer[name] != nil {
        throw GQLError(
          .syntax, "VariableAlreadyBound", "“\(name)” has a value already, and cannot be merged",
          at: one.position)
      }
      _ = try singleType(one)
    }
    var planner = MatchPlanner(plan, scope)
    try planner.add([pattern], filter: nil)
    scope = planner.scope
    let parts = try mergeParts(pattern, planner, outer)
    let step = MergeOperator(
      match: planner.pipeline, newSlots: planner.newSlots, create: parts,
      onCreate: try setChanges(onCreate), onMatch: try setChanges(onMatch))
    addWrite(step, before: before)
  }

  /// What is created if there is no match: the parts that are new.
  private func mergeParts(_ pattern: GQLPathPattern, _ planner: MatchPlanner, _ outer: Scope)
    throws(GQLError) -> MergeParts
  {
    let compiler = ExpressionCompiler(plan, outer)
    let slots = planner.slots(of: 0)
    var parts = MergeParts(
      path: slots.path.map { path in
        PathOperator(
          slot: path, nodes: slots.nodes, relationships: slots.relationships.map { ($0, nil) })
      })
    for (index, node) in pattern.nodes.enumerated() {
      var properties: Compiled?
      if let map = node.properties { properties = try compiler.compile(map) }
      plan.uses.noteIdentity(slots.nodes[index])
      let isFirst = !slots.nodes[..<index].contains(slots.nodes[index])
      parts.nodes.append(
        .init(
          slot: slots.nodes[index],
          isNew: isFirst && planner.newSlots.contains(slots.nodes[index]),
          labels: try labels(node.labels, node.position), properties: properties,
          position: node.position))
    }
    for (index, one) in pattern.relationships.enumerated() {
      var properties: Compiled?
      if let map = one.properties { properties = try compiler.compile(map) }
      let isIncoming = one.direction == .incoming
      parts.relationships.append(
        .init(
          slot: slots.relationships[index], type: try singleType(one),
          from: slots.nodes[isIncoming ? index + 1 : index],
          to: slots.nodes[isIncoming ? index : index + 1],
          isEither: one.direction == .either, properties: properties, position: one.position))
    }
    return parts
  }

  // MARK: - SET and REMOVE

  mutating func addSet(_ items: [GQLClause.SetItem]) throws(GQLError) {
    let changes = try setChanges(items)
    if !addToCreate(changes, of: items) { try addChange(changes) }
  }

  func setChanges(_ items: [GQLClause.SetItem]) throws(GQLError) -> [GraphChange] {
    try items.map { item throws(GQLError) in
      switch item {
      case .property(let owner, let name, let value, let place):
        return GraphChange(
          kind: .property(
            try expressions.compile(owner), name, try expressions.compile(value)),
          position: place.position)
      case .replace(let name, let value, let place):
        return GraphChange(
          kind: .properties(
            try variable(name, place), try expressions.compile(value), replaces: true),
          position: place.position)
      case .merge(let name, let value, let place):
        return GraphChange(
          kind: .properties(
            try variable(name, place), try expressions.compile(value), replaces: false),
          position: place.position)
      case .labels(let name, let labels, let place):
        return GraphChange(
          kind: .labels(try variable(name, place), adding: labels, removing: []),
          position: place.position)
      }
    }
  }

  func removeChanges(_ items: [GQLClause.RemoveItem]) throws(GQLError) -> [GraphChange] {
    try items.map { item throws(GQLError) in
      switch item {
      case .property(let owner, let name, let place):
        let null = GQLExpression(.literal(.null), place.position)
        return GraphChange(
          kind: .property(
            try expressions.compile(owner), name, try expressions.compile(null)),
          position: place.position)
      case .labels(let name, let labels, let place):
        return GraphChange(
          kind: .labels(try variable(name, place), adding: [], removing: labels),
          position: place.position)
      }
    }
  }

  private func variable(_ name: String, _ place: Place) throws(GQLError) -> Compiled {
    guard let variable = scope[name] else {
      throw .undefined(name, scope, at: place.position)
    }
    guard variable.type.mayBe(.node, .relationship) else {
      throw GQLError.wrongType(
        "“\(name)” is a \(variable.type.rawValue), and no node or relationship",
        at: place.position)
    }
    return expressions.read(variable)
  }

  // MARK: - FOREACH

  mutating func addForEach(
    _ name: String, _ list: GQLExpression, _ changes: [GQLClause], _ position: GQLPosition
  ) throws(GQLError) {
    let value = try expressions.compile(list)
    guard value.type.mayBe(.list, .relationships) else {
      throw GQLError.wrongType(
        "FOREACH does not take \(value.type.rawValue)", at: list.position)
    }
    guard scope[name] == nil else {
      throw GQLError(
        .syntax, "VariableAlreadyBound", "“\(name)” has a value already", at: position)
    }
    let slot = plan.slot()
    // What the changes name is not seen behind them.
    var inner = BranchCompiler(plan, scope)
    inner.scope.bind(
      name,
      BoundVariable(slot: slot, type: value.type == .relationships ? .relationship : .any))
    for change in changes { try inner.add(change) }
    addWrite(
      ForEachOperator(list: value, slot: slot, name: name, inner: inner.pipeline),
      before: liveSlots)
  }

  // MARK: - DELETE

  mutating func addDelete(_ isDetaching: Bool, _ targets: [GQLExpression]) throws(GQLError) {
    let values = try targets.map { target throws(GQLError) in
      if case .access(_, let accessors) = target.kind, case .labels? = accessors.last {
        throw GQLError(
          .syntax, "InvalidDelete", "DELETE takes nodes and relationships, and no labels",
          at: target.position, hint: "REMOVE takes a label away")
      }
      let value = try expressions.compile(target)
      guard value.type.mayBe(.node, .relationship, .path) else {
        throw GQLError.wrongType(
          "DELETE does not take \(value.type.rawValue)", at: target.position)
      }
      return (value: value, position: target.position)
    }
    addWrite(DeleteOperator(targets: values, isDetaching: isDetaching), before: liveSlots)
  }
}
