/// A query with its plan, for any graph and any parameters.
///
/// A plan does not change after it was made: all that a run changes is in its ``PlanRun``. So
/// threads may run one plan at a time.
struct PreparedQuery: @unchecked Sendable {
  private let compiled: CompiledQuery
  private let plan: PlanCompiler
  /// What is read of the element in each slot.
  private let needs: [ElementNeeds]

  /// Makes the plan of a query.
  /// - Parameters:
  ///   - procedures: the procedures beside the store's own.
  ///   - rules: the rules by which matches are found.
  /// - Throws: ``GQLError`` for everything that is wrong before anything runs.
  init(_ query: GQLQuery, procedures: [GQLProcedure] = [], rules: PlanRules = .all)
    throws(GQLError)
  {
    plan = PlanCompiler(procedures: procedures, rules: rules)
    compiled = try QueryCompiler(plan).compile(query)
    needs = plan.needs
  }

  /// Whether the query writes.
  var writes: Bool { plan.writes }

  /// Whether the query searches full texts.
  var searches: Bool { plan.searches }

  var columns: [String] { compiled.columns }

  /// Runs the query, and hands over its rows until `emit` returns false.
  /// - Returns: what it has changed.
  func run(
    _ graph: any GraphAccess, parameters: GQLMap, budget: GQLBudget, clock: StatementClock,
    _ emit: ([GQLValue]) throws -> Bool
  ) throws -> GQLCounts {
    try plan.requireParameters(parameters)
    var count = 0
    guard GQLValue.map(parameters).add(to: &count, atMost: .max, depth: -1) else {
      throw BudgetUse.tooDeep
    }
    let run = PlanRun(
      graph, parameters: parameters, needs: needs, budget: budget, clock: clock)
    if plan.writes {
      // The rows are those of the end: an element may change after its row was made.
      var rows: [[GQLValue]] = []
      _ = try compiled.run(run) { row in
        guard !columns.isEmpty else { return true }
        try run.budget.add(row)
        rows.append(row)
        return true
      }
      try run.requireEnds()
      for row in rows { guard try emit(row.map(run.fresh)) else { break } }
      return run.counts
    }
    _ = try compiled.run(run) { row in
      guard !columns.isEmpty else { return true }
      try run.budget.step()
      return try emit(row)
    }
    return run.counts
  }

  /// Returns what may be a mistake in the query: names that a graph does not have.
  ///
  /// Of a query that writes, it is asked afterwards: what the query has made is there by then.
  func notes(_ graph: any GraphAccess) -> [GQLNote] { plan.reads.compactMap { $0.note(graph) } }

  /// The lines of the plan.
  func lines(_ graph: any GraphAccess) -> [String] {
    compiled.lines(PlanView(graph: graph, needs: needs, writes: writes))
  }
}
