/// Patterns and queries within expressions.
extension ExpressionCompiler {
  /// A pattern as a condition: whether there is such a path. It brings no new variables.
  func patternCondition(_ pattern: GQLPathPattern) throws(GQLError) -> Compiled {
    for (name, position, _) in pattern.variables where scope[name] == nil {
      throw .undefined(name, scope, at: position)
    }
    plan.note([pattern])
    var planner = MatchPlanner(plan, scope)
    try planner.add([pattern], filter: nil)
    let pipeline = planner.pipeline
    return outer(.boolean, planner.scope) { run in
      var isThere = false
      _ = try pipeline.run(run) {
        isThere = true
        return false
      }
      return .boolean(isThere)
    }
  }

  func patternComprehension(
    _ pattern: GQLPathPattern, _ filter: GQLExpression?, _ projection: GQLExpression
  ) throws(GQLError) -> Compiled {
    plan.note([pattern])
    var planner = MatchPlanner(plan, scope)
    try planner.add([pattern], filter: filter)
    let pipeline = planner.pipeline
    var inner = self
    inner.scope = planner.scope
    inner.aggregates = nil
    let value = try inner.compile(projection)
    return outer(.list, planner.scope) { run in
      var values: [GQLValue] = []
      _ = try pipeline.run(run) {
        let made = try value.evaluate(run)
        try run.budget.keep(bytes: made.bytes)
        values.append(made)
        return true
      }
      return .list(values)
    }
  }

  func subquery(_ query: GQLQuery, _ expression: GQLExpression) throws(GQLError) -> Compiled {
    let before = plan.writes
    plan.writes = false
    defer { plan.writes = before }
    let compiler = QueryCompiler(plan, outer: scope, isSubquery: true)
    let compiled = try compiler.compile(query)
    guard !plan.writes else {
      throw GQLError(
        .syntax, "InvalidClauseComposition", "a subquery in an expression writes",
        at: query.position)
    }
    switch expression.kind {
    case .exists:
      return outer(.boolean, scope) { run in
        var isThere = false
        _ = try compiled.run(run) { _ in
          isThere = true
          return false
        }
        return .boolean(isThere)
      }
    case .count:
      return outer(.integer, scope) { run in
        var count: Int64 = 0
        _ = try compiled.run(run) { _ in
          count += 1
          return true
        }
        return .integer(count)
      }
    default:
      guard compiled.columns.count == 1 else {
        throw GQLError(
          .syntax, "UnexpectedSyntax", "COLLECT takes a query with one column",
          at: query.position)
      }
      return outer(.list, scope) { run in
        var values: [GQLValue] = []
        _ = try compiled.run(run) { row in
          try run.budget.keep(row)
          values.append(row[0])
          return true
        }
        return .list(values)
      }
    }
  }

  /// What reads any variable that there is, and may fail.
  private func outer(
    _ type: StaticType, _ inner: Scope, _ evaluate: @escaping Compiled.Evaluator
  ) -> Compiled {
    var result = Compiled(type, evaluate)
    result.slots = Set(scope.slots)
    return result
  }
}
