/// Makes the steps that find all matches of patterns: where to begin, which way to go, and when a
/// condition can be looked at.
struct MatchPlanner {
  let plan: PlanCompiler
  /// The variables before the pattern and of it.
  var scope: Scope
  var pipeline = Pipeline()
  /// The slots that the pattern sets.
  private(set) var newSlots: [Int] = []
  /// The same as a set.
  private(set) var ours: Set<Int> = []
  /// The slots that have values after the steps so far.
  var bound: Set<Int>
  private(set) var conditions: [Condition] = []
  private var parts: [Part] = []
  /// The relationships that the steps so far have used.
  var used: [Int] = []

  struct Condition {
    var compiled: Compiled
    var text: String
    /// The node's slot, property and value, if the condition is that they are equal.
    var equality: (slot: Int, property: String, value: Compiled)?
  }

  /// A pattern, and the slots of what is in it.
  struct Part {
    var pattern: GQLPathPattern
    var nodes: [Int]
    var relationships: [Int]
    /// The lists of nodes of paths of variable length.
    var between: [Int?]
    /// The parts that are repeated, by their place among the relationships.
    var groups: [Int: Group] = [:]
    var knownRelationships: Set<Int>
    var path: Int?
  }

  init(_ plan: PlanCompiler, _ scope: Scope) {
    self.plan = plan
    self.scope = scope
    bound = Set(scope.slots)
  }

  /// Adds the steps for the patterns of a clause.
  mutating func add(_ patterns: [GQLPathPattern], filter: GQLExpression?) throws(GQLError) {
    plan.noteLook(forRelationships: patterns.contains { !$0.relationships.isEmpty })
    let outer = scope
    for pattern in patterns { parts.append(try bind(pattern, outer)) }
    for part in parts { try addProperties(of: part) }
    if let filter { try addFilter(filter) }
    var left = parts
    while let index = next(left) { try addSteps(left.remove(at: index)) }
    addConditions(all: true)
  }

  /// The slots of a pattern, by the order in which they were added.
  func slots(of index: Int) -> (nodes: [Int], relationships: [Int], path: Int?) {
    (parts[index].nodes, parts[index].relationships, parts[index].path)
  }

  // MARK: - Variables

  mutating func bind(_ pattern: GQLPathPattern, _ outer: Scope) throws(GQLError) -> Part {
    var part = Part(
      pattern: pattern, nodes: [], relationships: [], between: [], knownRelationships: [])
    for node in pattern.nodes { part.nodes.append(try bind(node)) }
    for (index, one) in pattern.relationships.enumerated() {
      if let path = one.group { part.groups[index] = try bindGroup(path, outer) }
      let slot = try bind(one, outer)
      if let name = one.variable, outer[name] != nil { part.knownRelationships.insert(slot) }
      part.relationships.append(slot)
      part.between.append(one.length == nil && pattern.search == .all ? nil : newSlot())
    }
    if let name = pattern.variable {
      guard scope[name] == nil else {
        throw GQLError(
          .syntax, "VariableAlreadyBound", "“\(name)” has a value already, and cannot be a path",
          at: pattern.position)
      }
      part.path = newSlot()
      scope.bind(name, BoundVariable(slot: part.path ?? 0, type: .path))
    }
    return part
  }

  mutating func newSlot() -> Int {
    let slot = plan.slot()
    newSlots.append(slot)
    ours.insert(slot)
    return slot
  }

  private mutating func bind(_ node: GQLNodePattern) throws(GQLError) -> Int {
    guard let name = node.variable else { return newSlot() }
    if let known = scope[name] {
      guard known.type.mayBe(.node) else { throw conflict(name, known.type, node.position) }
      return known.slot
    }
    let slot = newSlot()
    scope.bind(name, BoundVariable(slot: slot, type: .node))
    return slot
  }

  private mutating func bind(_ one: GQLRelationshipPattern, _ outer: Scope) throws(GQLError)
    -> Int
  {
    guard let name = one.variable else { return newSlot() }
    if let known = scope[name] {
      let wanted: StaticType = one.length == nil ? .relationship : .relationships
      guard known.type.mayBe(wanted) || wanted == .relationships && known.type == .list else {
        throw conflict(name, known.type, one.position)
      }
      guard outer[name] != nil else {
        throw GQLError(
          .syntax, "RelationshipUniquenessViolation",
          "“\(name)” stands for two relationships of one pattern, which are never the same",
          at: one.position)
      }
      return known.slot
    }
    let slot = newSlot()
    scope.bind(
      name, BoundVariable(slot: slot, type: one.length == nil ? .relationship : .relationships))
    return slot
  }

  private func conflict(_ name: String, _ type: StaticType, _ position: GQLPosition) -> GQLError {
    GQLError(
      .syntax, "VariableTypeConflict", "“\(name)” is a \(type.rawValue) already", at: position,
      hint: "Use another name")
  }

  // MARK: - Conditions

  mutating func addProperties(of part: Part) throws(GQLError) {
    let compiler = ExpressionCompiler(plan, scope)
    for (index, node) in part.pattern.nodes.enumerated() {
      for (key, value) in try entries(node.properties) {
        add(equality: part.nodes[index], key, try compiler.compile(value), isNode: true)
      }
      if let filter = node.filter { try addFilter(filter) }
    }
    for (index, one) in part.pattern.relationships.enumerated() {
      if let filter = one.filter, one.group == nil { try addFilter(filter) }
      guard one.length == nil, part.pattern.search == .all else { continue }
      for (key, value) in try entries(one.properties) {
        add(equality: part.relationships[index], key, try compiler.compile(value), isNode: false)
      }
    }
  }

  private func entries(_ map: GQLExpression?) throws(GQLError) -> [(String, GQLExpression)] {
    guard let map else { return [] }
    guard case .map(let entries) = map.kind else {
      throw GQLError(
        .syntax, "InvalidParameterUse", "a parameter is no map of a pattern that is looked for",
        at: map.position, hint: "Name the properties: {name: $map.name}")
    }
    return entries.map { ($0.key, $0.value) }
  }

  private mutating func add(equality slot: Int, _ key: String, _ value: Compiled, isNode: Bool) {
    plan.uses.noteProperty(key, of: slot)
    var compiled = Compiled(.boolean) { run in
      let owner = run.slots[slot]
      let have = try Operators.property(key, of: owner, run)
      return Operators.value(GQLValue.equals(have, try value.evaluate(run)))
    }
    compiled.slots = value.slots.union([slot])
    compiled.mayFail = value.mayFail
    conditions.append(
      Condition(
        compiled: compiled, text: "{\(Conversion.name(key))}",
        equality: isNode ? (slot, key, value) : nil))
  }

  mutating func addFilter(_ filter: GQLExpression) throws(GQLError) {
    if case .all(let parts) = filter.kind {
      for part in parts { try addFilter(part) }
      return
    }
    let compiler = ExpressionCompiler(plan, scope)
    var condition = Condition(
      compiled: try compiler.condition(filter),
      text: "WHERE at \(filter.position.line):"
        + "\(filter.position.column)")
    if case .comparison(let first, let others) = filter.kind, others.count == 1,
      others[0].by == .equal
    {
      for (side, other) in [(first, others[0].value), (others[0].value, first)] {
        guard let (owner, property) = side.splitProperty, case .variable(let name) = owner.kind,
          let variable = scope[name], variable.type == .node
        else { continue }
        let value = try compiler.compile(other)
        if !value.slots.contains(variable.slot) {
          condition.equality = (variable.slot, property, value)
        }
      }
    }
    conditions.append(condition)
  }

  /// Adds the conditions that can be looked at by now, or all that are left.
  mutating func addConditions(all: Bool = false) {
    var later: [Condition] = []
    for condition in conditions {
      if all || isReady(condition) {
        pipeline.operators.append(
          FilterOperator(condition: condition.compiled, text: condition.text))
      } else {
        later.append(condition)
      }
    }
    conditions = later
  }

  // MARK: - Steps

  mutating func addSteps(_ part: Part) throws(GQLError) {
    let pattern = part.pattern
    if pattern.search != .all { return try addSearch(part) }
    let start = addEnds(part) ?? score(part).index
    addStart(part, at: start)
    for index in start..<pattern.relationships.count {
      try addStep(part, index, from: index, to: index + 1)
    }
    for index in stride(from: start - 1, through: 0, by: -1) {
      try addStep(part, index, from: index + 1, to: index)
    }
    addPath(part)
  }

  mutating func addStart(_ part: Part, at index: Int) {
    let node = part.pattern.nodes[index]
    let slot = part.nodes[index]
    let (test, name) = (NodeTest(labels: node.labels), node.variable ?? "()")
    if bound.contains(slot) {
      plan.uses.noteIdentity(slot)
      pipeline.operators.append(CheckNodeOperator(slot: slot, test: test, name: name))
    } else {
      pipeline.operators.append(
        ScanOperator(
          slot: slot, label: wantedLabel(node), equal: equalities(slot), test: test, name: name,
          recalls: plan.rules.contains(.recall)))
      bound.insert(slot)
    }
    addConditions()
  }

  /// Returns the ends of a step that may be repeated.
  /// - Parameter mayStay: whether the node at the beginning may become a value of another variable,
  ///   by no repetition at all.
  func ends(_ part: Part, from: Int, to: Int, mayStay: Bool) -> StepEnds {
    let ends = plainEnds(part, from: from, to: to)
    noteUses(of: ends)
    if mayStay { plan.uses.noteWhole(ends.from) }
    return ends
  }

  func noteUses(of ends: StepEnds) {
    plan.uses.noteIdentity(ends.from)
    if ends.isToBound { plan.uses.noteIdentity(ends.to) }
    for slot in used { plan.uses.noteIdentity(slot) }
  }

  private func plainEnds(_ part: Part, from: Int, to: Int) -> StepEnds {
    let node = part.pattern.nodes[to]
    return StepEnds(
      from: part.nodes[from], to: part.nodes[to], isToBound: bound.contains(part.nodes[to]),
      test: NodeTest(labels: node.labels), name: node.variable ?? "()")
  }

  private mutating func addStep(_ part: Part, _ index: Int, from: Int, to: Int) throws(GQLError) {
    let pattern = part.pattern.relationships[index]
    let slot = part.relationships[index]
    let direction = from < to ? pattern.direction : pattern.direction.reversed
    let types = pattern.types?.alternatives
    let condition = types == nil ? pattern.types : nil
    if let group = part.groups[index] {
      try addRepetition(
        pattern, group, ends: ends(part, from: from, to: to, mayStay: true), slot: slot,
        nodesSlot: part.between[index] ?? slot, isReversed: from > to)
    } else if let length = pattern.length {
      pipeline.operators.append(
        VariableLengthOperator(
          ends: ends(part, from: from, to: to, mayStay: length.least == 0), slot: slot,
          nodesSlot: part.between[index] ?? slot,
          isBound: part.knownRelationships.contains(slot), direction: direction, types: types,
          condition: condition, length: length, properties: try each(pattern.properties),
          others: used, isReversed: from > to))
      if let between = part.between[index] { bound.insert(between) }
    } else {
      let step = ExpandOperator(
        ends: plainEnds(part, from: from, to: to), slot: slot,
        isBound: part.knownRelationships.contains(slot), direction: direction, types: types,
        condition: condition, others: used)
      if !addToChain(step) { addAlone(step) }
    }
    used.append(slot)
    bound.formUnion([slot, part.nodes[to]])
    addConditions()
  }

  private mutating func addAlone(_ step: ExpandOperator) {
    noteUses(of: step.ends)
    if step.isBound { plan.uses.noteIdentity(step.slot) }
    pipeline.operators.append(step)
  }

  /// The properties of each relationship of a row, whose values do not depend on the pattern.
  func each(_ map: GQLExpression?) throws(GQLError) -> [(name: String, value: Compiled)] {
    let compiler = ExpressionCompiler(plan, scope)
    return try entries(map).map { entry throws(GQLError) in
      let value = try compiler.compile(entry.1)
      guard value.slots.intersection(ours).isSubset(of: bound) else {
        throw GQLError(
          .unsupported, "UnsupportedFeature",
          "a property of a path of variable length that depends on a later part of the pattern is "
            + "a feature that this version does not have", at: entry.1.position)
      }
      return (entry.0, value)
    }
  }

  mutating func addPath(_ part: Part) {
    guard let slot = part.path else { return }
    for element in part.nodes + part.relationships { plan.uses.noteWhole(element) }
    pipeline.operators.append(
      PathOperator(
        slot: slot, nodes: part.nodes,
        relationships: zip(part.relationships, part.between).map { ($0, $1) }))
    bound.insert(slot)
    addConditions()
  }
}

extension GQLRelationshipPattern.Direction {
  /// The direction as it is seen from the other end.
  var reversed: Self {
    switch self {
    case .outgoing: .incoming
    case .incoming: .outgoing
    case .either: .either
    }
  }
}
