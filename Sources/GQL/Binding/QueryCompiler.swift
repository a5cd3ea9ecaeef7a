/// A query that is ready to run.
struct CompiledQuery {
  struct Branch {
    var pipeline: Pipeline
    /// The slots of the columns; empty if the branch returns nothing.
    var slots: [Int]
    var columns: [String]
  }

  var branches: [Branch]
  /// For each branch but the first, whether it keeps rows that are there already.
  var keepsAll: [Bool]

  var columns: [String] { branches[0].columns }

  /// Runs all branches, and hands over their rows until `emit` returns false.
  func run(_ run: PlanRun, _ emit: ([GQLValue]) throws -> Bool) throws -> Bool {
    var seen: Set<[UInt8]> = []
    let isDistinct = keepsAll.contains(false)
    for branch in branches {
      let goesOn = try branch.pipeline.run(run) {
        let row = branch.slots.map { run.slots[$0] }
        if isDistinct {
          var key: [UInt8] = []
          for value in row { value.appendKey(to: &key) }
          guard seen.insert(key).inserted else { return true }
          try run.budget.keep(bytes: key.count + 32)
        }
        return try emit(row)
      }
      guard goesOn else { return false }
    }
    return true
  }

  func lines(_ view: PlanView) -> [String] {
    guard branches.count > 1 else { return branches[0].pipeline.lines(view) }
    return branches.flatMap { ["Union"] + $0.pipeline.lines(view).map { "  \($0)" } }
  }
}

/// Makes the steps of a query, clause by clause.
struct QueryCompiler {
  let plan: PlanCompiler
  let outer: Scope?
  let isSubquery: Bool

  init(_ plan: PlanCompiler, outer: Scope? = nil, isSubquery: Bool = false) {
    self.plan = plan
    self.outer = outer
    self.isSubquery = isSubquery
  }

  func compile(_ query: GQLQuery) throws(GQLError) -> CompiledQuery {
    let lists = [query.first] + query.others.map(\.clauses)
    var branches: [CompiledQuery.Branch] = []
    for clauses in lists {
      branches.append(try branch(clauses, isAlone: lists.count == 1))
    }
    let keepsAll = query.others.map(\.keepsAll)
    if let mixed = query.others.first(where: { $0.keepsAll != query.others[0].keepsAll }) {
      throw GQLError(
        .syntax, "InvalidClauseComposition", "UNION and UNION ALL stand in one query",
        at: mixed.place.position)
    }
    for (index, other) in branches.dropFirst().enumerated() {
      guard other.columns == branches[0].columns, !other.columns.isEmpty else {
        throw GQLError(
          .syntax, "DifferentColumnsInUnion",
          "the parts of a union have different columns: \(branches[0].columns) and "
            + "\(other.columns)", at: query.others[index].place.position)
      }
    }
    return CompiledQuery(branches: branches, keepsAll: keepsAll)
  }

  private func branch(_ clauses: [GQLClause], isAlone: Bool) throws(GQLError)
    -> CompiledQuery.Branch
  {
    var state = BranchCompiler(plan, outer ?? Scope())
    for (index, clause) in clauses.enumerated() {
      let isLast = index == clauses.count - 1
      switch clause.kind {
      case .result, .finish:
        guard isLast else {
          throw GQLError(
            .syntax, "InvalidClauseComposition", "nothing follows RETURN",
            at: clauses[index + 1].position, hint: "Put WITH in its place")
        }
      case .call(let call):
        if clauses.count == 1 {
          try state.addAlone(call, clause.position)
          continue
        }
      default: break
      }
      try state.add(clause)
    }
    if let last = clauses.last, !last.mayEnd, !isSubquery {
      throw GQLError(
        .syntax, "InvalidClauseComposition", "the query ends without a result or a change",
        at: last.position, hint: "Add RETURN")
    }
    if !isSubquery { state.endWrites() }
    return CompiledQuery.Branch(
      pipeline: state.pipeline, slots: state.columns.map(\.slot),
      columns: state.columns.map(\.name))
  }
}

extension GQLClause {
  /// Whether a query may end with the clause.
  fileprivate var mayEnd: Bool {
    switch kind {
    case .match, .unwind, .with: false
    default: true
    }
  }
}
