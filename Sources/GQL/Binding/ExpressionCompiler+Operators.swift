/// Numbers, texts and access to parts of values.
extension ExpressionCompiler {
  func arithmetic(_ first: GQLExpression, _ others: [GQLExpression.Operation])
    throws(GQLError) -> Compiled
  {
    // One loop, and not a value within a value: a chain may be long.
    var parts = [try compile(first)]
    var type = parts[0].type
    for other in others {
      let part = try compile(other.value)
      type = try Self.type(other.by, type, part.type, at: other.place.position)
      parts.append(part)
    }
    let (operands, operators) = (parts, others.map { ($0.by, $0.place.position) })
    var result = combined(type, parts) { run in
      var value = try operands[0].evaluate(run)
      for (index, (by, position)) in operators.enumerated() {
        let other = try operands[index + 1].evaluate(run)
        value = try GQLError.located(position) {
          let result = try Operators.arithmetic(by, value, other)
          if by == .add || by == .concatenate { try run.budget.check(result, of: value, other) }
          return result
        }
      }
      return value
    }
    result.mayFail = true
    return result
  }

  /// Returns the type of a result, as far as it is known.
  private static func type(
    _ by: GQLExpression.Operation.Operator, _ a: StaticType, _ b: StaticType,
    at position: GQLPosition
  ) throws(GQLError) -> StaticType {
    let known: Set<StaticType> = [
      .boolean, .string, .list, .map, .node, .relationship, .relationships, .path,
    ]
    if by != .add, by != .concatenate, let bad = [a, b].first(where: { known.contains($0) }) {
      throw GQLError.wrongType("“\(by.rawValue)” does not take \(bad.rawValue)", at: position)
    }
    if by == .add, a == .list || b == .list || a == .relationships || b == .relationships {
      return .list
    }
    if by == .power, a.isNumber, b.isNumber { return .float }
    if a == .integer, b == .integer { return .integer }
    if a.isNumber, b.isNumber { return .float }
    if a == .string, b == .string { return .string }
    return .any
  }

  func signed(_ operand: GQLExpression, isNegative: Bool) throws(GQLError) -> Compiled {
    let part = try compile(operand)
    let position = operand.position
    guard part.type.mayBe(.integer, .float, .temporal) else {
      throw GQLError.wrongType("a sign does not take \(part.type.rawValue)", at: position)
    }
    var result = combined(part.type, [part]) { run in
      let value = try part.evaluate(run)
      return try GQLError.located(position) {
        let negative = try Operators.negative(value)
        return isNegative ? negative : value
      }
    }
    result.mayFail = true
    return result
  }

  /// One thing that is done with a value, such as taking a property of it.
  private struct Step {
    var type: StaticType
    /// The expressions that it evaluates.
    var parts: [Compiled] = []
    var mayFail: Bool
    var apply: (GQLValue, PlanRun) throws -> GQLValue
  }

  /// Puts steps behind a value, in one loop.
  private func chained(_ value: Compiled, _ steps: [Step]) -> Compiled {
    guard let last = steps.last else { return value }
    let (evaluate, apply) = (value.evaluate, steps.map(\.apply))
    var result = combined(last.type, [value] + steps.flatMap(\.parts)) { run in
      var current = try evaluate(run)
      for index in apply.indices { current = try apply[index](current, run) }
      return current
    }
    result.mayFail = result.mayFail || steps.contains(where: \.mayFail)
    return result
  }

  func predicates(_ value: GQLExpression, _ predicates: [GQLExpression.Predicate])
    throws(GQLError) -> Compiled
  {
    let steps = try predicates.map { predicate throws(GQLError) in try step(predicate) }
    return chained(try compile(value), steps)
  }

  private func step(_ predicate: GQLExpression.Predicate) throws(GQLError) -> Step {
    switch predicate {
    case .isNull: return Step(type: .boolean, mayFail: false) { value, _ in .boolean(value.isNull) }
    case .isNotNull:
      return Step(type: .boolean, mayFail: false) { value, _ in .boolean(!value.isNull) }
    case .within(let list):
      let other = try compile(list)
      guard other.type.mayBe(.list, .relationships) else {
        throw GQLError.wrongType(
          "IN takes a list, and not \(other.type.rawValue)", at: list.position)
      }
      return Step(type: .boolean, parts: [other], mayFail: other.type == .any) { value, run in
        let elements = try other.evaluate(run)
        return try GQLError.located(list.position) {
          Operators.value(try Operators.isWithin(value, elements))
        }
      }
    case .startsWith(let part): return try text(part, Scalars.starts)
    case .endsWith(let part): return try text(part, Scalars.ends)
    case .contains(let part): return try text(part, Scalars.contains)
    case .matches(let part):
      throw GQLError(
        .unsupported, "UnsupportedFeature",
        "a regular expression (=~) is a feature that this version does not have",
        at: part.position, hint: "STARTS WITH, ENDS WITH and CONTAINS look for parts of texts")
    }
  }

  private func text(_ part: GQLExpression, _ test: @escaping (String, String) -> Bool)
    throws(GQLError) -> Step
  {
    let other = try compile(part)
    return Step(type: .boolean, parts: [other], mayFail: false) { value, run in
      guard case .string(let text) = value, case .string(let part) = try other.evaluate(run) else {
        return .null
      }
      return .boolean(test(text, part))
    }
  }

  // MARK: - Access

  func access(_ value: GQLExpression, _ accessors: [GQLExpression.Accessor])
    throws(GQLError) -> Compiled
  {
    var base: Compiled?
    var rest = accessors[...]
    // A property that was projected before it was aggregated is known by itself.
    if !known.isEmpty {
      for count in stride(from: min(accessors.count, 16), to: 0, by: -1) {
        let read = GQLExpression(.access(value, Array(accessors.prefix(count))), value.position)
        guard let variable = known.first(where: { $0.expression == read })?.variable else {
          continue
        }
        base = self.read(variable)
        rest = accessors[count...]
        break
      }
    }
    let start: Compiled
    if let base {
      start = base
    } else if let owner = element(value), let first = rest.first, note(first, of: owner.slot) {
      start = peek(owner)
    } else {
      start = try compile(value)
    }
    var type = start.type
    let steps = try rest.map { accessor throws(GQLError) in
      let step = try step(accessor, of: type, value.position)
      type = step.type
      return step
    }
    return chained(start, steps)
  }

  /// Notes what an access reads of an element; returns false if it may be anything.
  private func note(_ accessor: GQLExpression.Accessor, of slot: Int) -> Bool {
    switch accessor {
    case .property(let name, _): plan.uses.noteProperty(name, of: slot)
    case .labels: plan.uses.noteIdentity(slot)
    case .element, .slice: return false
    }
    return true
  }

  private func step(
    _ accessor: GQLExpression.Accessor, of type: StaticType, _ position: GQLPosition
  ) throws(GQLError) -> Step {
    switch accessor {
    case .property(let name, let place):
      guard type.mayBe(.node, .relationship, .map, .temporal) else {
        throw GQLError.wrongType("\(type.rawValue) has no property “\(name)”", at: place.position)
      }
      if type == .node || type == .relationship {
        plan.note(ReadName(kind: .properties, name: name, position: place.position))
      }
      let isSafe = [.node, .relationship, .map].contains(type)
      return Step(type: .any, mayFail: !isSafe) { owner, run in
        if case .node(let node) = owner, run.changedNodes.isEmpty {
          return node.properties[key: name] ?? .null
        }
        return try GQLError.located(place.position) {
          try Operators.property(name, of: owner, run)
        }
      }
    case .element(let index):
      let part = try compile(index)
      return Step(type: .any, parts: [part], mayFail: true) { owner, run in
        let index = try part.evaluate(run)
        return try GQLError.located(position) { try Operators.element(index, of: owner, run) }
      }
    case .slice(let from, let to):
      var (start, end): (Compiled?, Compiled?)
      if let from { start = try compile(from) }
      if let to { end = try compile(to) }
      let (first, last) = (start, end)
      let parts = [first, last].compactMap(\.self)
      return Step(type: .list, parts: parts, mayFail: true) { owner, run in
        let (from, to) = (try first?.evaluate(run), try last?.evaluate(run))
        return try GQLError.located(position) {
          try Operators.slice(owner, from: from, to: to)
        }
      }
    case .labels(let labels):
      guard type.mayBe(.node, .relationship) else {
        throw GQLError.wrongType("\(type.rawValue) has no labels", at: position)
      }
      if type == .node { plan.note(labels, .labels, position) }
      return Step(type: .boolean, mayFail: type == .any) { owner, run in
        try GQLError.located(position) { try Operators.hasLabels(labels, owner, run) }
      }
    }
  }

  // MARK: - CASE

  func choice(
    _ subject: GQLExpression?, _ alternatives: [GQLExpression.Alternative],
    _ otherwise: GQLExpression?
  ) throws(GQLError) -> Compiled {
    var matched: Compiled?
    if let subject { matched = try compile(subject) }
    let cases = try alternatives.map { one throws(GQLError) in
      let condition =
        subject == nil ? try self.condition(one.condition) : try compile(one.condition)
      return (condition: condition, value: try compile(one.value))
    }
    var last: Compiled?
    if let otherwise { last = try compile(otherwise) }
    let (known, other) = (matched, last)
    let values = cases.map(\.value) + [other].compactMap(\.self)
    let types = Set(values.map(\.type)).subtracting([.null])
    let type = types.count == 1 ? types.first ?? .any : .any
    let parts = [known].compactMap(\.self) + cases.map(\.condition) + values
    var result = combined(type, parts) { run in
      if let known {
        let value = try known.evaluate(run)
        for one in cases
        where GQLValue.equals(value, try one.condition.evaluate(run)) == true {
          return try one.value.evaluate(run)
        }
      } else {
        for one in cases where try one.condition.holds(run) { return try one.value.evaluate(run) }
      }
      return try other?.evaluate(run) ?? .null
    }
    result.mayFail = result.mayFail || known == nil
    return result
  }
}
