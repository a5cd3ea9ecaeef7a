/// Calls of functions, and what goes over lists and patterns.
extension ExpressionCompiler {
  func call(_ call: GQLExpression.Call, _ expression: GQLExpression) throws(GQLError) -> Compiled {
    if let kind = Aggregate(named: call.name) {
      return try aggregate(
        kind, call.arguments.first, isDistinct: call.isDistinct,
        Array(call.arguments.dropFirst()), expression)
    }
    guard let function = GQLFunction.named(call.name) else {
      throw unknown(call.name, expression.position)
    }
    guard function.arguments.contains(call.arguments.count), !call.isDistinct else {
      throw GQLError(
        .syntax, "InvalidNumberOfArguments",
        "\(function.name) takes \(Self.shown(function.arguments)), and not "
          + "\(call.isDistinct ? "DISTINCT" : "\(call.arguments.count)")", at: expression.position)
    }
    if function.name == "exists", case .pattern(let pattern)? = call.arguments.first?.kind {
      return try patternCondition(pattern)
    }
    if function.name == "exists", call.arguments.first?.splitProperty == nil {
      throw GQLError(
        .syntax, "InvalidArgumentExpression", "exists takes a property or a pattern",
        at: expression.position, hint: "IS NOT NULL asks whether a value is there")
    }
    let parts = try call.arguments.map { argument throws(GQLError) in
      try function.readsIdentity ? identity(argument) : compile(argument)
    }
    if let takes = function.takes, let type = parts.first?.type, type != .any, type != .null,
      !takes.contains(type)
    {
      throw GQLError.wrongType(
        "\(function.name) does not take \(type.rawValue)", at: call.arguments[0].position)
    }
    let position = expression.position
    var result = combined(function.result, parts) { run in
      let values = try parts.map { try $0.evaluate(run) }
      return try GQLError.located(position) { try function.call(values, run) }
    }
    result.mayFail = result.mayFail || !function.isTotal
    if ["rand", "timestamp"].contains(function.name) { result.mayFail = true }
    return result
  }

  private static func shown(_ range: ClosedRange<Int>) -> String {
    range.count == 1
      ? "\(range.lowerBound) arguments" : "\(range.lowerBound) to \(range.upperBound) arguments"
  }

  private func unknown(_ name: String, _ position: GQLPosition) -> GQLError {
    if ["point", "point.distance", "distance"].contains(name.lowercased()) {
      return GQLError(
        .unsupported, "UnsupportedFeature",
        "points (\(name)) are a feature that this version does not have", at: position)
    }
    let near = GQLFunction.all.map(\.name).filter {
      $0.lowercased().hasPrefix(name.lowercased().prefix(3))
    }
    return GQLError(
      .syntax, "UnknownFunction", "there is no function “\(name)”", at: position,
      hint: near.isEmpty ? "docs/gql.md lists them" : "There are: \(near.joined(separator: ", "))")
  }

  // MARK: - Aggregates

  func aggregate(
    _ kind: Aggregate, _ argument: GQLExpression?, isDistinct: Bool, _ others: [GQLExpression],
    _ expression: GQLExpression
  ) throws(GQLError) -> Compiled {
    guard let aggregates else {
      throw GQLError(
        .syntax, "InvalidAggregation", "an aggregating function has no rows to go over \(place)",
        at: expression.position, hint: "Aggregate in WITH or RETURN, and use the result")
    }
    if hasAllAggregates, let name = argument?.names.first {
      throw .undefined(name, scope, at: expression.position)
    }
    guard kind.argumentCount == others.count + 1 || argument == nil && others.isEmpty else {
      throw GQLError(
        .syntax, "InvalidNumberOfArguments",
        "\(kind.rawValue) takes \(kind.argumentCount) arguments", at: expression.position)
    }
    if argument == nil, kind != .count || !expression.isCountRows {
      throw GQLError(
        .syntax, "InvalidNumberOfArguments", "\(kind.rawValue) takes an argument",
        at: expression.position)
    }
    var inner = self
    inner.scope = aggregates.scope
    inner.known = []
    inner.aggregates = nil
    inner.place = "within another one"
    var parts: [Compiled] = []
    for part in [argument].compactMap(\.self) + others {
      do { parts.append(try kind == .count ? inner.identity(part) : inner.compile(part)) } catch {
        guard error.detail == "InvalidAggregation" else { throw error }
        var nested = error
        nested.detail = "NestedAggregation"
        throw nested
      }
    }
    if case .call(let call)? = argument?.kind, call.name.lowercased() == "rand" {
      throw GQLError(
        .syntax, "NonConstantExpression", "an aggregating function over rand() has no meaning",
        at: expression.position)
    }
    let slot = plan.slot()
    aggregates.add(
      AggregateCall(
        kind: kind, isDistinct: isDistinct, value: parts.first, parameter: parts.dropFirst().first,
        slot: slot, position: expression.position))
    return read(BoundVariable(slot: slot, type: kind.type))
  }

  // MARK: - Lists

  /// Binds the variable of an iteration, and returns its list, filter and slot.
  private func begin(_ iteration: GQLExpression.Iteration) throws(GQLError) -> (
    inner: ExpressionCompiler, list: Compiled, filter: Compiled?, slot: Int
  ) {
    let list = try compile(iteration.list)
    guard list.type.mayBe(.list, .relationships) else {
      throw GQLError.wrongType(
        "IN takes a list, and not \(list.type.rawValue)", at: iteration.list.position)
    }
    let slot = plan.slot()
    var inner = self
    inner.aggregates = nil
    inner.place = "in what is done for each element"
    inner.scope.bind(
      iteration.variable,
      BoundVariable(slot: slot, type: try elementType(of: iteration.list, list.type)))
    var filter: Compiled?
    if let condition = iteration.filter { filter = try inner.condition(condition) }
    return (inner, list, filter, slot)
  }

  /// Returns the type that all elements of a list have, as far as its text says.
  private func elementType(of list: GQLExpression, _ type: StaticType) throws(GQLError)
    -> StaticType
  {
    if type == .relationships { return .relationship }
    guard case .list(let elements) = list.kind, let first = elements.first else { return .any }
    let type = try compile(first).type
    for element in elements.dropFirst() {
      guard try compile(element).type == type else { return .any }
    }
    return type
  }

  private static func elements(
    _ list: Compiled, _ run: PlanRun, _ position: GQLPosition
  ) throws -> [GQLValue]? {
    switch try list.evaluate(run) {
    case .list(let elements): return elements
    case .null: return nil
    case let other:
      throw GQLError(
        .type, "InvalidArgumentType", "\(other.typeName) is no list to go over", at: position)
    }
  }

  func listComprehension(_ iteration: GQLExpression.Iteration, _ projection: GQLExpression?)
    throws(GQLError) -> Compiled
  {
    let (inner, list, filter, slot) = try begin(iteration)
    var value: Compiled?
    if let projection { value = try inner.compile(projection) }
    let (made, position) = (value, iteration.list.position)
    var result = combined(.list, [list] + [filter, made].compactMap(\.self)) { run in
      guard let elements = try Self.elements(list, run, position) else { return .null }
      let before = run.slots[slot]
      defer { run.slots[slot] = before }
      var results: [GQLValue] = []
      for element in elements {
        try run.budget.step()
        run.slots[slot] = element
        if let filter, try !filter.holds(run) { continue }
        results.append(try made?.evaluate(run) ?? element)
      }
      return results.contains(where: \.isNested) ? try run.made(.list(results)) : .list(results)
    }
    result.slots.remove(slot)
    result.mayFail = true
    return result
  }

  func quantifier(_ kind: GQLExpression.Quantifier, _ iteration: GQLExpression.Iteration)
    throws(GQLError) -> Compiled
  {
    let (_, list, filter, slot) = try begin(iteration)
    let position = iteration.list.position
    guard let filter else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "\(kind.rawValue) has no WHERE", at: position)
    }
    var result = combined(.boolean, [list, filter]) { run in
      guard let elements = try Self.elements(list, run, position) else { return .null }
      let before = run.slots[slot]
      defer { run.slots[slot] = before }
      var (isTrue, isUnknown) = (0, 0)
      for element in elements {
        try run.budget.step()
        run.slots[slot] = element
        let truth = try GQLError.located(position) {
          try Operators.truth(try filter.evaluate(run), kind.rawValue)
        }
        if truth == true { isTrue += 1 }
        if truth == nil { isUnknown += 1 }
      }
      return Operators.value(Self.truth(kind, isTrue, isUnknown, of: elements.count))
    }
    result.slots.remove(slot)
    result.mayFail = true
    return result
  }

  private static func truth(
    _ kind: GQLExpression.Quantifier, _ isTrue: Int, _ isUnknown: Int, of count: Int
  ) -> Bool? {
    switch kind {
    case .any: isTrue > 0 ? true : isUnknown > 0 ? nil : false
    case .none: isTrue > 0 ? false : isUnknown > 0 ? nil : true
    case .all: isTrue + isUnknown < count ? false : isUnknown > 0 ? nil : true
    case .single: isTrue > 1 ? false : isUnknown > 0 ? nil : isTrue == 1
    }
  }

  func reduce(
    _ name: String, _ start: GQLExpression, _ iteration: GQLExpression.Iteration,
    _ step: GQLExpression
  ) throws(GQLError) -> Compiled {
    let first = try compile(start)
    var (inner, list, _, slot) = try begin(iteration)
    let accumulator = plan.slot()
    inner.scope.bind(name, BoundVariable(slot: accumulator, type: .any))
    let (next, position) = (try inner.compile(step), iteration.list.position)
    var result = combined(.any, [first, list, next]) { run in
      guard let elements = try Self.elements(list, run, position) else { return .null }
      var value = try first.evaluate(run)
      for element in elements {
        try run.budget.step()
        run.slots[accumulator] = value
        run.slots[slot] = element
        value = try next.evaluate(run)
      }
      return value
    }
    result.slots.subtract([slot, accumulator])
    result.mayFail = true
    return result
  }
}

extension GQLExpression {
  fileprivate var isCountRows: Bool { if case .countRows = kind { true } else { false } }
}
