/// Makes the steps of one part of a query, which no `UNION` divides.
struct BranchCompiler {
  let plan: PlanCompiler
  var scope: Scope
  var pipeline = Pipeline()
  /// The columns of the result; empty as long as there is none.
  var columns: [(name: String, slot: Int)] = []

  init(_ plan: PlanCompiler, _ scope: Scope) {
    self.plan = plan
    self.scope = scope
  }

  var expressions: ExpressionCompiler { ExpressionCompiler(plan, scope) }

  mutating func add(_ clause: GQLClause) throws(GQLError) {
    switch clause.kind {
    case .match(let isOptional, let patterns, let filter):
      try addMatch(isOptional, patterns, filter)
    case .unwind(let list, let name): try addUnwind(list, name, clause.position)
    case .with(let projection, let filter):
      try add(projection, filter: filter, clause.position)
      try requireNames(projection)
    case .result(let projection):
      try add(projection, isResult: true, clause.position)
      columns = scope.names.compactMap { name in scope[name].map { (name, $0.slot) } }
    case .finish:
      pipeline.operators = [
        LimitOperator(input: eager(pipeline), skip: nil, limit: { _ in 0 })
      ]
    case .create(let patterns): try addCreate(patterns)
    case .merge(let pattern, let onCreate, let onMatch):
      try addMerge(pattern, onCreate, onMatch)
    case .set(let items): try addSet(items)
    case .remove(let items): try addChange(try removeChanges(items))
    case .delete(let isDetaching, let targets): try addDelete(isDetaching, targets)
    case .call(let call):
      guard !call.takesAll else {
        throw GQLError(
          .syntax, "UnexpectedSyntax", "YIELD * stands in a query, and names no variables",
          at: clause.position, hint: "Name the results that the query uses")
      }
      try add(call, clause.position)
    case .forEach(let name, let list, let changes):
      try addForEach(name, list, changes, clause.position)
    }
  }

  private mutating func addMatch(
    _ isOptional: Bool, _ patterns: [GQLPathPattern], _ filter: GQLExpression?
  ) throws(GQLError) {
    plan.note(patterns)
    var planner = MatchPlanner(plan, scope)
    try planner.add(patterns, filter: filter)
    scope = planner.scope
    if isOptional {
      pipeline.operators.append(
        OptionalOperator(inner: planner.pipeline, slots: planner.newSlots))
    } else {
      pipeline.operators += planner.pipeline.operators
    }
  }

  private mutating func addUnwind(_ list: GQLExpression, _ name: String, _ position: GQLPosition)
    throws(GQLError)
  {
    let value = try expressions.compile(list)
    guard scope[name] == nil else {
      throw GQLError(
        .syntax, "VariableAlreadyBound", "“\(name)” has a value already", at: position)
    }
    let slot = plan.slot()
    scope.bind(
      name,
      BoundVariable(slot: slot, type: value.type == .relationships ? .relationship : .any))
    pipeline.operators.append(UnwindOperator(list: value, slot: slot, name: name))
  }

  /// The steps so far, run to their end before what follows.
  func eager(_ input: Pipeline) -> Pipeline {
    guard !input.operators.isEmpty else { return input }
    return Pipeline(operators: [EagerOperator(stages: [.init(steps: input, slots: liveSlots)])])
  }

  /// The slots that later steps may read.
  var liveSlots: [Int] { scope.slots }

  // MARK: - Procedures

  /// Adds a call that is the whole query, and whose results are its columns.
  mutating func addAlone(_ call: GQLProcedureCall, _ position: GQLPosition) throws(GQLError) {
    var call = call
    let procedure = try procedure(call.name, position)
    if call.arguments == nil {
      call.arguments = procedure.arguments.map {
        GQLExpression(.parameter($0.name), position)
      }
    }
    if call.yields == nil { call.takesAll = true }
    try add(call, position)
    columns = scope.names.compactMap { name in scope[name].map { (name, $0.slot) } }
  }

  private func procedure(_ name: String, _ position: GQLPosition) throws(GQLError) -> GQLProcedure {
    let wanted = name.lowercased()
    guard let procedure = plan.procedures.first(where: { $0.name.lowercased() == wanted }) else {
      throw GQLError(
        .syntax, "ProcedureNotFound", "there is no procedure “\(name)”", at: position,
        hint: "There are: \(plan.procedures.map(\.name).joined(separator: ", "))")
    }
    return procedure
  }

  private mutating func add(_ call: GQLProcedureCall, _ position: GQLPosition) throws(GQLError) {
    let procedure = try procedure(call.name, position)
    guard let arguments = call.arguments else {
      throw GQLError(
        .syntax, "InvalidArgumentPassingMode",
        "a call within a query names its arguments in parentheses", at: position)
    }
    guard arguments.count == procedure.arguments.count else {
      throw GQLError(
        .syntax, "InvalidNumberOfArguments",
        "\(procedure.name) takes (\(procedure.arguments.map(\.name).joined(separator: ", "))), and "
          + "the number of values is \(arguments.count)", at: position)
    }
    plan.noteLook(forRelationships: true)
    let before = liveSlots
    let values = try zip(arguments, procedure.arguments).map { given, argument throws(GQLError) in
      let value = try expressions.compile(given)
      guard argument.type.takes(value.type) else {
        throw .wrongType(
          "\(procedure.name) takes \(argument.name) as \(argument.type.rawValue.uppercased())",
          at: given.position)
      }
      return value
    }
    let yields =
      call.takesAll
      ? procedure.fields.map {
        GQLProcedureCall.Yield(field: $0, variable: $0, place: Place(position))
      } : call.yields ?? []
    var fields: [(index: Int, slot: Int)] = []
    for yield in yields {
      guard let index = procedure.fields.firstIndex(of: yield.field) else {
        throw GQLError(
          .syntax, "UndefinedVariable", "\(procedure.name) has no result “\(yield.field)”",
          at: yield.place.position,
          hint: "It has: \(procedure.fields.joined(separator: ", "))")
      }
      guard scope[yield.variable] == nil else {
        throw GQLError(
          .syntax, "VariableAlreadyBound", "“\(yield.variable)” has a value already",
          at: yield.place.position)
      }
      let slot = plan.slot()
      scope.bind(yield.variable, BoundVariable(slot: slot, type: .any))
      fields.append((index, slot))
    }
    if procedure.name == "store.search" { plan.searches = true }
    if procedure.name == "store.promote", case .literal(.text(let label)) = arguments[0].kind {
      plan.note(ReadName(kind: .labels, name: label, position: arguments[0].position))
    }
    let step = CallOperator(
      procedure: procedure, arguments: values, fields: fields,
      isVoid: procedure.fields.isEmpty || yields.isEmpty)
    if procedure.writes {
      addWrite(step, before: before)
    } else {
      pipeline.operators.append(step)
    }
    if let filter = call.filter {
      pipeline.operators.append(
        FilterOperator(condition: try expressions.condition(filter), text: "WHERE"))
    }
  }
}
