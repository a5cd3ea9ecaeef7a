/// A step of a plan: for each row before it, it sets slots and calls the next step.
protocol PlanOperator {
  /// Runs for the row that the slots hold.
  /// - Parameter next: runs the rest of the plan; returns false if no more rows are wanted.
  /// - Returns: false if `next` has returned false.
  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool

  /// The lines that `EXPLAIN` shows: what it does, and indented what it does that with.
  func lines(_ view: PlanView) -> [String]
}

/// What `EXPLAIN` shows a plan for.
struct PlanView {
  let graph: any GraphAccess
  /// What the plan reads of the element in each slot.
  let needs: [ElementNeeds]
  /// Whether the plan changes the graph, so that it must not read on while it writes.
  let writes: Bool

  /// Returns a line of a plan, and below it the SQL that it runs.
  func lines(_ line: String, _ statements: [String]) -> [String] {
    [line] + statements.map { "  \($0)" }
  }
}

/// The steps of a part of a plan, one after the other.
struct Pipeline {
  var operators: [any PlanOperator] = []

  func run(_ run: PlanRun, _ emit: () throws -> Bool) throws -> Bool {
    try self.run(run, from: 0, emit)
  }

  private func run(_ run: PlanRun, from index: Int, _ emit: () throws -> Bool) throws -> Bool {
    guard index < operators.count else { return try emit() }
    return try operators[index].run(run) { try self.run(run, from: index + 1, emit) }
  }

  func lines(_ view: PlanView) -> [String] { operators.flatMap { $0.lines(view) } }
}

/// Leaves out rows for which a condition does not hold.
struct FilterOperator: PlanOperator {
  let condition: Compiled
  let text: String

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    try run.budget.step()
    return try condition.holds(run) ? try next() : true
  }

  func lines(_ view: PlanView) -> [String] { ["Filter \(text)"] }
}

/// `OPTIONAL MATCH`: if the inner steps find nothing, their variables are null.
struct OptionalOperator: PlanOperator {
  let inner: Pipeline
  let slots: [Int]

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    var isFound = false
    let goesOn = try inner.run(run) {
      isFound = true
      return try next()
    }
    guard goesOn, !isFound else { return goesOn }
    for slot in slots { run.slots[slot] = .null }
    return try next()
  }

  func lines(_ view: PlanView) -> [String] {
    ["Optional"] + inner.lines(view).map { "  \($0)" }
  }
}

/// `UNWIND`: a row for each element of a list.
struct UnwindOperator: PlanOperator {
  let list: Compiled
  let slot: Int
  let name: String

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    let before = run.budget.bytesLeft
    let value = try list.evaluate(run)
    // What the list has taken is free again behind the loop.
    let taken = before - run.budget.bytesLeft
    defer { run.budget.giveUp(bytes: taken) }
    switch value {
    case .null: return true
    case .list(let elements):
      for element in elements {
        try run.budget.step()
        run.slots[slot] = element
        guard try next() else { return false }
      }
      return true
    case let single:
      run.slots[slot] = single
      return try next()
    }
  }

  func lines(_ view: PlanView) -> [String] { ["Unwind \(name)"] }
}

/// Evaluates expressions into slots.
struct ProjectOperator: PlanOperator {
  let items: [(value: Compiled, slot: Int)]
  let text: String

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    try run.budget.step()
    // No item reads the slot of another one: each has a new one, also in `WITH b AS a, a AS b`.
    for index in items.indices {
      run.slots[items[index].slot] = try items[index].value.evaluate(run)
    }
    return try next()
  }

  func lines(_ view: PlanView) -> [String] { ["Project \(text)"] }
}
