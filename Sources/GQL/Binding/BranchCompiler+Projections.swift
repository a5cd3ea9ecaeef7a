import DaybookEventCore

/// `WITH` and `RETURN`.
extension BranchCompiler {
  /// Checks that everything that `WITH` makes has a name.
  func requireNames(_ projection: GQLProjection) throws(GQLError) {
    for item in projection.items where item.alias == nil {
      if case .variable = item.value.kind { continue }
      throw GQLError(
        .syntax, "NoExpressionAlias", "“\(item.text)” has no name after WITH",
        at: item.value.position, hint: "Add AS and a name")
    }
  }

  /// The columns: what `*` takes along, and the items.
  private func items(
    _ projection: GQLProjection, isResult: Bool, _ position: GQLPosition
  ) throws(GQLError) -> [(name: String, value: GQLExpression)] {
    var items: [(name: String, value: GQLExpression)] = []
    if projection.takesAll {
      guard !isResult || !scope.names.isEmpty || !projection.items.isEmpty else {
        throw GQLError(
          .syntax, "NoVariablesInScope", "“*” stands for no variables", at: position)
      }
      items = scope.names.sorted().map { ($0, GQLExpression(.variable($0), position)) }
    }
    for item in projection.items {
      let name: String
      if let alias = item.alias {
        name = alias
      } else if case .variable(let variable) = item.value.kind {
        name = variable
      } else {
        name = item.text
      }
      items.append((name, item.value))
    }
    var names: Set<[UInt8]> = []
    for item in items {
      guard !names.insert(Array(item.name.utf8)).inserted else { continue }
      throw GQLError(
        .syntax, "ColumnNameConflict", "two columns have the name “\(item.name)”",
        at: item.value.position, hint: "Give one another name by AS")
    }
    return items
  }

  mutating func add(
    _ projection: GQLProjection, filter: GQLExpression? = nil, isResult: Bool = false,
    _ position: GQLPosition
  ) throws(GQLError) {
    let items = try items(projection, isResult: isResult, position)
    let isGrouped = items.contains { $0.value.hasAggregate }
    let before = scope
    var next = Scope()
    var sortKeys: [(value: Compiled, isDescending: Bool)] = []
    var filtering = ExpressionCompiler(plan, next)
    if isGrouped {
      let compiler = try addGroups(items, &next)
      sortKeys = try groupedKeys(projection, compiler)
    } else {
      var made: [(value: Compiled, slot: Int)] = []
      for item in items {
        let value = try expressions.compile(item.value)
        let slot = plan.slot()
        next.bind(item.name, BoundVariable(slot: slot, type: value.type))
        made.append((value, slot))
      }
      pipeline.operators.append(
        ProjectOperator(items: made, text: items.map(\.name).joined(separator: ", ")))
      if projection.isDistinct {
        pipeline = Pipeline(operators: [DistinctOperator(input: pipeline, slots: next.slots)])
      }
      var sees = projection.isDistinct ? Scope() : before
      for name in next.names { if let variable = next[name] { sees.bind(name, variable) } }
      var compiler = ExpressionCompiler(plan, sees)
      compiler.place = "in ORDER BY"
      compiler.known = items.compactMap { item in
        if case .literal = item.value.kind { return nil }
        if !projection.isDistinct, case .variable = item.value.kind { return nil }
        return next[item.name].map { (item.value, $0) }
      }
      sortKeys = try keys(projection, compiler)
      // WHERE sees what ORDER BY does, and by its new name what has one.
      filtering = compiler
      filtering.place = "in WHERE"
      filtering.known.removeAll { $0.expression.names.contains { next[$0] != nil } }
    }
    if isGrouped {
      filtering.scope = next
      if projection.isDistinct {
        pipeline = Pipeline(operators: [DistinctOperator(input: pipeline, slots: next.slots)])
      }
    }
    let condition = try filter.map { filter throws(GQLError) in
      try filtering.condition(filter)
    }
    let kept = Set(next.slots).union(condition?.slots ?? [])
    try addOrder(projection, sortKeys, kept.sorted())
    scope = next
    if let condition {
      pipeline.operators.append(FilterOperator(condition: condition, text: "WHERE"))
    }
  }

  /// The keys of ORDER BY behind groups.
  private func groupedKeys(_ projection: GQLProjection, _ compiler: ExpressionCompiler)
    throws(GQLError) -> [(value: Compiled, isDescending: Bool)]
  {
    // What a column is made of is not unknown, but no column by itself.
    let plain = projection.items.filter { !$0.value.hasAggregate }
    let returned = Set(plain.flatMap(\.value.names)).union(compiler.scope.names)
    do { return try keys(projection, compiler) } catch {
      guard error.detail == "UndefinedVariable", let place = error.position,
        projection.order.contains(where: { order in
          let names = order.value.namesBesideAggregates
          return order.value.hasAggregate && !names.isEmpty
            && names.allSatisfy { returned.contains($0) }
        })
      else { throw error }
      throw Self.ambiguous(at: place)
    }
  }

  private static func ambiguous(at place: GQLPosition) -> GQLError {
    GQLError(
      .syntax, "AmbiguousAggregationExpression",
      "beside an aggregate, a value has to be a column by itself", at: place,
      hint: "Return it as a column, or take it along by WITH")
  }

  private func keys(_ projection: GQLProjection, _ compiler: ExpressionCompiler)
    throws(GQLError) -> [(value: Compiled, isDescending: Bool)]
  {
    try projection.order.map { order throws(GQLError) in
      (try compiler.compile(order.value), order.isDescending)
    }
  }

  private mutating func addOrder(
    _ projection: GQLProjection, _ keys: [(value: Compiled, isDescending: Bool)], _ slots: [Int]
  ) throws(GQLError) {
    let skip = try count(projection.skip, "SKIP")
    let limit = try count(projection.limit, "LIMIT")
    if !keys.isEmpty {
      let wanted: ((PlanRun) throws -> Int?)? = limit.map { limit in
        { run in
          guard let most = try limit(run) else { return nil }
          let (sum, overflow) = most.addingReportingOverflow(try skip?(run) ?? 0)
          return overflow ? nil : sum
        }
      }
      pipeline = Pipeline(
        operators: [SortOperator(input: pipeline, keys: keys, slots: slots, limit: wanted)])
    }
    guard skip != nil || limit != nil else { return }
    pipeline = Pipeline(operators: [LimitOperator(input: pipeline, skip: skip, limit: limit)])
  }

  /// Compiles the number of `SKIP` or `LIMIT`, which depends on no row.
  private func count(_ expression: GQLExpression?, _ word: String) throws(GQLError)
    -> ((PlanRun) throws -> Int?)?
  {
    guard let expression else { return nil }
    let position = expression.position
    func wrong(_ code: GQLError.Code, _ detail: String, _ words: String) -> GQLError {
      GQLError(code, detail, "\(word) takes an integer from 0, and not \(words)", at: position)
    }
    if let literal = expression.signedNumber {
      guard case .integer(let number) = literal else {
        throw wrong(.syntax, "InvalidArgumentType", "a number with a fraction")
      }
      guard number >= 0 else { throw wrong(.syntax, "NegativeIntegerArgument", "\(number)") }
    }
    let value: Compiled
    do { value = try ExpressionCompiler(plan, Scope()).compile(expression) } catch {
      guard error.detail == "UndefinedVariable" else { throw error }
      throw GQLError(
        .syntax, "NonConstantExpression", "\(word) depends on no row", at: position)
    }
    return { run in
      switch try value.evaluate(run) {
      case .integer(let number) where number >= 0: return Int(clamping: number)
      case .integer(let number):
        throw wrong(.argument, "NegativeIntegerArgument", "\(number)")
      case let other: throw wrong(.type, "InvalidArgumentType", other.typeName)
      }
    }
  }

  // MARK: - Groups

  private mutating func addGroups(
    _ items: [(name: String, value: GQLExpression)], _ next: inout Scope
  ) throws(GQLError) -> ExpressionCompiler {
    let collector = AggregateCollector(scope)
    let plain = expressions
    var keys: [Compiled] = []
    var keyItems: [(value: Compiled, slot: Int)] = []
    var grouping: [(expression: GQLExpression, variable: BoundVariable)] = []
    for item in items where !item.value.hasAggregate {
      let value = try plain.compile(item.value)
      let variable = BoundVariable(slot: plan.slot(), type: value.type)
      keys.append(value)
      keyItems.append((value, variable.slot))
      grouping.append((item.value, variable))
      next.bind(item.name, variable)
    }
    // Around an aggregate, only what the rows of a group have in common has a meaning.
    var common = Scope()
    for (expression, variable) in grouping {
      if case .variable(let name) = expression.kind { common.bind(name, variable) }
    }
    var compiler = ExpressionCompiler(plan, common)
    compiler.aggregates = collector
    compiler.known = grouping.filter { $0.expression.isSimple }
    var results: [(value: Compiled, slot: Int)] = []
    var order: [String: BoundVariable] = [:]
    for item in items where item.value.hasAggregate {
      let value: Compiled
      do { value = try compiler.compile(item.value) } catch {
        guard error.detail == "UndefinedVariable", let place = error.position else { throw error }
        guard item.value.names.allSatisfy({ scope[$0] != nil }) else { throw error }
        throw Self.ambiguous(at: place)
      }
      let variable = BoundVariable(slot: plan.slot(), type: value.type)
      results.append((value, variable.slot))
      order[item.name] = variable
    }
    var all = Scope()
    for item in items {
      if let variable = next[item.name] ?? order[item.name] { all.bind(item.name, variable) }
    }
    next = all
    let input = Pipeline(
      operators: pipeline.operators + [ProjectOperator(items: keyItems, text: "groups")])
    let inner = ExpressionCompiler(plan, next)
    var sorting = inner
    sorting.aggregates = collector
    sorting.hasAllAggregates = true
    sorting.known = items.compactMap { item in next[item.name].map { (item.value, $0) } }
    sorting.place = "in ORDER BY"
    deferredGroups(input, keys, collector, keyItems, results)
    return sorting
  }

  /// Adds the steps of groups. The calls of ORDER BY are added to the collector later.
  private mutating func deferredGroups(
    _ input: Pipeline, _ keys: [Compiled], _ collector: AggregateCollector,
    _ keyItems: [(value: Compiled, slot: Int)], _ results: [(value: Compiled, slot: Int)]
  ) {
    pipeline = Pipeline(operators: [
      GroupOperator(
        input: input, keys: keyItems.map(\.slot), collector: collector,
        count: keys.count),
      ProjectOperator(items: results, text: "results"),
    ])
  }
}

/// Groups rows by the slots of their keys, with all calls that the collector has in the end.
private struct GroupOperator: PlanOperator {
  let input: Pipeline
  let keys: [Int]
  let collector: AggregateCollector
  let count: Int

  private var inner: AggregateOperator {
    let values = keys.map { slot in Compiled(.any) { run in run.slots[slot] } }
    return AggregateOperator(input: input, keys: values, calls: collector.calls, kept: keys)
  }

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool { try inner.run(run, next) }

  func lines(_ view: PlanView) -> [String] { inner.lines(view) }
}
