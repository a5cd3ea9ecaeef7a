/// Makes expressions ready to run: resolves names, and checks what can be checked before.
struct ExpressionCompiler {
  let plan: PlanCompiler
  var scope: Scope
  /// Takes the calls of aggregating functions; nil where there must be none.
  var aggregates: AggregateCollector?
  /// Whether the calls that are known are all that may go over variables.
  var hasAllAggregates = false
  /// Expressions that have been evaluated already, and where their values are.
  var known: [(expression: GQLExpression, variable: BoundVariable)] = []
  /// Why aggregating functions are not allowed, for the message.
  var place = "here"

  init(_ plan: PlanCompiler, _ scope: Scope) {
    self.plan = plan
    self.scope = scope
  }

  func compile(_ expression: GQLExpression) throws(GQLError) -> Compiled {
    try compile(expression, takesPattern: false)
  }

  /// Compiles a condition, in which a pattern stands for whether there is one.
  func condition(_ expression: GQLExpression) throws(GQLError) -> Compiled {
    let condition = try compile(expression, takesPattern: true)
    guard condition.type.mayBe(.boolean) else {
      throw GQLError.wrongType(
        "a condition is \(condition.type.rawValue), and not boolean", at: expression.position)
    }
    return condition
  }

  /// Puts together what parts of an expression need.
  func combined(_ type: StaticType, _ parts: [Compiled], _ evaluate: @escaping Compiled.Evaluator)
    -> Compiled
  {
    var result = Compiled(type, evaluate)
    for part in parts { result.slots.formUnion(part.slots) }
    result.mayFail = parts.contains(where: \.mayFail)
    result.isConstant = parts.allSatisfy(\.isConstant)
    return result
  }

  func compile(_ expression: GQLExpression, takesPattern: Bool) throws(GQLError) -> Compiled {
    if let variable = known.first(where: { $0.expression == expression })?.variable {
      return read(variable)
    }
    switch expression.kind {
    case .literal(let literal): return self.literal(literal)
    case .parameter(let name): return parameter(name)
    case .variable(let name): return try variable(name, expression.position)
    case .list(let elements): return try list(elements)
    case .map(let entries): return try map(entries)
    case .any(let parts), .oneOf(let parts), .all(let parts):
      return try logical(expression, parts, takesPattern)
    case .not(let part): return try not(part, takesPattern)
    case .comparison(let first, let others): return try comparison(first, others)
    case .arithmetic(let first, let others): return try arithmetic(first, others)
    case .negative(let part), .positive(let part):
      return try signed(part, isNegative: expression.isNegative)
    case .predicates(let value, let predicates): return try self.predicates(value, predicates)
    case .access(let value, let accessors): return try access(value, accessors)
    case .call(let call): return try self.call(call, expression)
    case .countRows: return try aggregate(.count, nil, isDistinct: false, [], expression)
    case .choice(let subject, let alternatives, let otherwise):
      return try choice(subject, alternatives, otherwise)
    case .listComprehension(let iteration, let projection):
      return try listComprehension(iteration, projection)
    case .quantifier(let kind, let iteration): return try quantifier(kind, iteration)
    case .reduce(let name, let start, let iteration, let step):
      return try reduce(name, start, iteration, step)
    case .patternComprehension(let pattern, let filter, let projection):
      return try patternComprehension(pattern, filter, projection)
    case .pattern(let pattern):
      guard takesPattern else {
        throw GQLError(
          .syntax, "UnexpectedSyntax", "a pattern is a condition, and no value",
          at: pattern.position, hint: "Write EXISTS { … }, COUNT { … } or a pattern comprehension")
      }
      return try patternCondition(pattern)
    case .exists(let query), .count(let query), .collect(let query):
      return try subquery(query, expression)
    }
  }

  // MARK: - Values

  private func literal(_ literal: GQLExpression.Literal) -> Compiled {
    let (value, type): (GQLValue, StaticType) =
      switch literal {
      case .null: (.null, .null)
      case .boolean(let value): (.boolean(value), .boolean)
      case .integer(let value): (.integer(value), .integer)
      case .real(let value): (.float(value), .float)
      case .text(let value): (.string(value), .string)
      }
    var result = Compiled(type) { _ in value }
    result.mayFail = false
    result.isConstant = true
    return result
  }

  private func parameter(_ name: String) -> Compiled {
    plan.noteParameter(name)
    var result = Compiled(.any) { run in run.parameters[key: name] ?? .null }
    result.mayFail = false
    result.isConstant = true
    return result
  }

  /// Reads a variable as a value.
  func read(_ variable: BoundVariable) -> Compiled {
    plan.uses.noteWhole(variable.slot)
    return peek(variable)
  }

  /// Compiles an expression of which only matters which element it is, if it is one.
  func identity(_ expression: GQLExpression) throws(GQLError) -> Compiled {
    guard let variable = element(expression) else { return try compile(expression) }
    plan.uses.noteIdentity(variable.slot)
    return peek(variable)
  }

  /// Returns the variable of a node or relationship that an expression is; nil if it is another.
  func element(_ expression: GQLExpression) -> BoundVariable? {
    guard case .variable(let name) = expression.kind, let variable = scope[name],
      variable.type == .node || variable.type == .relationship,
      !known.contains(where: { $0.expression == expression })
    else { return nil }
    return variable
  }

  /// Reads a variable of which the plan knows already what is read.
  func peek(_ variable: BoundVariable) -> Compiled {
    let slot = variable.slot
    var result = Compiled(variable.type) { run in run.slots[slot] }
    result.slots = [slot]
    result.mayFail = false
    return result
  }

  private func variable(_ name: String, _ position: GQLPosition) throws(GQLError) -> Compiled {
    guard let variable = scope[name] else { throw .undefined(name, scope, at: position) }
    return read(variable)
  }

  private func list(_ elements: [GQLExpression]) throws(GQLError) -> Compiled {
    let parts = try elements.map { element throws(GQLError) in try compile(element) }
    return combined(.list, parts) { run in
      try run.made(.list(try parts.map { try $0.evaluate(run) }))
    }
  }

  private func map(_ entries: [GQLExpression.Entry]) throws(GQLError) -> Compiled {
    let parts = try entries.map { entry throws(GQLError) in try compile(entry.value) }
    let keys = entries.map(\.key)
    return combined(.map, parts) { run in
      try run.made(.map(GQLMap(try zip(keys, parts).map { ($0, try $1.evaluate(run)) })))
    }
  }

  // MARK: - Truth

  private func logical(
    _ expression: GQLExpression, _ operands: [GQLExpression], _ takesPattern: Bool
  ) throws(GQLError) -> Compiled {
    if case .all = expression.kind, operands.count == 1 {
      return try compile(operands[0], takesPattern: takesPattern)
    }
    let by =
      switch expression.kind {
      case .any: "OR"
      case .all: "AND"
      default: "XOR"
      }
    let parts = try operands.map { operand throws(GQLError) in
      let part = try compile(operand, takesPattern: takesPattern)
      guard part.type.mayBe(.boolean) else {
        throw GQLError.wrongType(
          "\(by) takes boolean, and not \(part.type.rawValue)", at: operand.position)
      }
      return part
    }
    let position = expression.position
    var result: Compiled
    switch by {
    case "OR", "AND":
      let decisive = by == "OR"
      result = combined(.boolean, parts) { run in
        var isUnknown = false
        for part in parts {
          let truth = try GQLError.located(position) {
            try Operators.truth(try part.evaluate(run), by)
          }
          if truth == decisive { return .boolean(decisive) }
          if truth == nil { isUnknown = true }
        }
        return isUnknown ? .null : .boolean(!decisive)
      }
    default:
      result = combined(.boolean, parts) { run in
        var isTrue = false
        var isUnknown = false
        for part in parts {
          let truth = try GQLError.located(position) {
            try Operators.truth(try part.evaluate(run), by)
          }
          if truth == nil { isUnknown = true }
          if truth == true { isTrue.toggle() }
        }
        return isUnknown ? .null : .boolean(isTrue)
      }
    }
    result.mayFail = parts.contains { $0.mayFail || ![.boolean, .null].contains($0.type) }
    return result
  }

  private func not(_ operand: GQLExpression, _ takesPattern: Bool) throws(GQLError) -> Compiled {
    let part = try compile(operand, takesPattern: takesPattern)
    let position = operand.position
    guard part.type.mayBe(.boolean) else {
      throw GQLError.wrongType(
        "NOT takes boolean, and not \(part.type.rawValue)", at: position)
    }
    var result = combined(.boolean, [part]) { run in
      let truth = try GQLError.located(position) {
        try Operators.truth(try part.evaluate(run), "NOT")
      }
      return Operators.value(truth.map { !$0 })
    }
    result.mayFail = part.mayFail || part.type == .any
    return result
  }

  private func comparison(_ first: GQLExpression, _ others: [GQLExpression.Comparison])
    throws(GQLError) -> Compiled
  {
    let operators = others.map(\.by)
    // Elements are equal if they are the same, whatever they hold.
    let areSame = operators.allSatisfy { $0 == .equal || $0 == .notEqual }
    let parts = try ([first] + others.map(\.value)).map { operand throws(GQLError) in
      try areSame ? identity(operand) : compile(operand)
    }
    if parts.count == 2 {
      let (a, b, by) = (parts[0], parts[1], operators[0])
      return combined(.boolean, parts) { run in
        Operators.value(Operators.compare(by, try a.evaluate(run), try b.evaluate(run)))
      }
    }
    return combined(.boolean, parts) { run in
      let values = try parts.map { try $0.evaluate(run) }
      var isUnknown = false
      for (index, by) in operators.enumerated() {
        switch Operators.compare(by, values[index], values[index + 1]) {
        case false?: return .boolean(false)
        case nil: isUnknown = true
        case true?: break
        }
      }
      return isUnknown ? .null : .boolean(true)
    }
  }
}

extension GQLExpression {
  fileprivate var isNegative: Bool { if case .negative = kind { true } else { false } }
}
