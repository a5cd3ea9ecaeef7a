/// Makes one row of each group of rows.
struct AggregateOperator: PlanOperator {
  let input: Pipeline
  let keys: [Compiled]
  let calls: [AggregateCall]
  /// The slots that the rest of the plan reads of a row of the group.
  let kept: [Int]

  private struct Group {
    var row: [GQLValue]
    var states: [AggregateState]
  }

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    var places: [[UInt8]: Int] = [:]
    var groups: [Group] = []
    var key: [UInt8] = []
    _ = try input.run(run) {
      key.removeAll(keepingCapacity: true)
      for index in keys.indices { try keys[index].evaluate(run).appendKey(to: &key) }
      let place: Int
      if let known = places[key] {
        place = known
      } else {
        place = groups.count
        places[key] = place
        try run.budget.keep(bytes: key.count + 64)
        groups.append(Group(row: try run.save(kept), states: calls.map(AggregateState.init)))
      }
      for index in calls.indices { try groups[place].states[index].add(run) }
      return true
    }
    // Without keys there is one group, even of no rows.
    if keys.isEmpty, groups.isEmpty {
      groups.append(
        Group(row: kept.map { _ in .null }, states: calls.map(AggregateState.init)))
    }
    for group in groups {
      run.restore(group.row, to: kept)
      for (call, state) in zip(calls, group.states) { run.slots[call.slot] = try state.result() }
      guard try next() else { return false }
    }
    return true
  }

  func lines(_ view: PlanView) -> [String] {
    let names = calls.map(\.kind.rawValue).joined(separator: ", ")
    return input.lines(view) + ["Aggregate \(names) in groups of \(keys.count) keys"]
  }
}

/// `DISTINCT`: leaves out rows that were there before.
struct DistinctOperator: PlanOperator {
  let input: Pipeline
  let slots: [Int]

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    var seen: Set<[UInt8]> = []
    return try input.run(run) {
      var key: [UInt8] = []
      for slot in slots { run.slots[slot].appendKey(to: &key) }
      guard seen.insert(key).inserted else { return true }
      try run.budget.keep(bytes: key.count + 32)
      return try next()
    }
  }

  func lines(_ view: PlanView) -> [String] { input.lines(view) + ["Distinct"] }
}

/// `ORDER BY`.
struct SortOperator: PlanOperator {
  let input: Pipeline
  let keys: [(value: Compiled, isDescending: Bool)]
  let slots: [Int]
  /// How many rows are wanted, if that is known: `SKIP` and `LIMIT` together.
  let limit: ((PlanRun) throws -> Int?)?

  private struct Row {
    var keys: [GQLValue]
    var values: [GQLValue]
    var number: Int

    /// What it counts for the budget of memory.
    var bytes: Int { (keys + values).reduce(32) { $0 + $1.bytes } }
  }

  /// The most rows of a limited result that are kept in their order while they come.
  private static let sortedMax = 1_000

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    let wanted = try limit?(run)
    let rows =
      if let wanted, wanted <= Self.sortedMax { try first(wanted, run) } else {
        try all(wanted, run)
      }
    for row in rows {
      run.restore(row.values, to: slots)
      guard try next() else { return false }
    }
    return true
  }

  /// Returns the first rows of the order. Most others are thrown away as they come.
  private func first(_ wanted: Int, _ run: PlanRun) throws -> [Row] {
    var rows: [Row] = []
    var number = 0
    // One row that is filled again and again: most are not kept.
    var row = Row(keys: keys.map { _ in .null }, values: [], number: 0)
    _ = try input.run(run) {
      try run.budget.step()
      for index in keys.indices { row.keys[index] = try keys[index].value.evaluate(run) }
      row.number = number
      number += 1
      if rows.count == wanted {
        guard wanted > 0, precedes(row, rows[wanted - 1]) else { return true }
        run.budget.giveUp(bytes: rows.removeLast().bytes)
      }
      var (low, high) = (0, rows.count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(row, rows[middle]) { high = middle } else { low = middle + 1 }
      }
      rows.insert(row, at: low)
      rows[low].values = slots.map { run.slots[$0] }
      try run.budget.keep(bytes: rows[low].bytes)
      return true
    }
    return rows
  }

  /// Returns all rows in their order, or of a limited result the first ones.
  private func all(_ wanted: Int?, _ run: PlanRun) throws -> [Row] {
    var rows: [Row] = []
    var number = 0
    // Of a limited result, what cannot be part of it is thrown away now and then.
    let most = wanted.map { $0 > 100_000 ? Int.max : 2 * $0 + 1_000 } ?? .max
    _ = try input.run(run) {
      let row = Row(
        keys: try keys.map { try $0.value.evaluate(run) }, values: slots.map { run.slots[$0] },
        number: number)
      try run.budget.keep(bytes: row.bytes)
      rows.append(row)
      number += 1
      if rows.count >= most, let wanted {
        rows.sort(by: precedes)
        for row in rows[wanted...] { run.budget.giveUp(bytes: row.bytes) }
        rows.removeLast(rows.count - wanted)
      }
      return true
    }
    rows.sort(by: precedes)
    return rows
  }

  private func precedes(_ a: Row, _ b: Row) -> Bool {
    for index in keys.indices {
      switch GQLValue.total(a.keys[index], b.keys[index]) {
      case .ascending: return !keys[index].isDescending
      case .descending: return keys[index].isDescending
      default: continue
      }
    }
    return a.number < b.number
  }

  func lines(_ view: PlanView) -> [String] {
    input.lines(view) + ["Sort by \(keys.count) keys"]
  }
}

/// `SKIP` and `LIMIT`.
struct LimitOperator: PlanOperator {
  let input: Pipeline
  let skip: ((PlanRun) throws -> Int?)?
  let limit: ((PlanRun) throws -> Int?)?

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    var skipped = try skip?(run) ?? 0
    var left = try limit?(run) ?? .max
    var goesOn = true
    _ = try input.run(run) {
      // What stands before may write, so that it is run even if no row is wanted.
      if left == 0 { return false }
      guard skipped == 0 else {
        skipped -= 1
        return true
      }
      left -= 1
      goesOn = try next()
      return goesOn && left > 0
    }
    return goesOn
  }

  func lines(_ view: PlanView) -> [String] {
    input.lines(view) + ["\(skip == nil ? "" : "Skip ")\(limit == nil ? "" : "Limit")"]
  }
}

/// Runs steps one after the other, each for all rows, before it goes on: a change must not be seen
/// by what reads before it, and what follows sees all of it.
struct EagerOperator: PlanOperator {
  struct Stage {
    var steps: Pipeline
    /// The slots whose values the rows keep.
    var slots: [Int]
    /// Whether nothing reads the rows behind it.
    var isEnd = false

    /// The changes that follow when all rows are there: those that what is created did not take.
    func changes(_ run: PlanRun) -> [GraphChange] {
      guard let create = steps.operators.last as? CreateOperator, !create.takesChanges(run) else {
        return []
      }
      return create.changes.map(\.change)
    }
  }

  /// At least one. A list, and not steps within steps: a statement may have thousands of changes.
  let stages: [Stage]

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    var rows: [[GQLValue]] = [[]]
    var slots: [Int] = []
    var held = 0
    for stage in stages {
      var made: [[GQLValue]] = []
      let before = run.budget.bytesLeft
      let changes = stage.changes(run)
      let kept = stage.isEnd && changes.isEmpty ? [] : stage.slots
      for row in rows {
        run.restore(row, to: slots)
        _ = try stage.steps.run(run) {
          made.append(try run.save(kept))
          return true
        }
      }
      if !changes.isEmpty {
        for row in made {
          run.restore(row, to: kept)
          for change in changes { try change.apply(run) }
        }
      }
      (rows, slots) = (made, kept)
      run.budget.giveUp(bytes: held)
      held = before - run.budget.bytesLeft + held
    }
    for row in rows {
      run.restore(row, to: slots)
      guard try next() else { return false }
    }
    return true
  }

  func lines(_ view: PlanView) -> [String] {
    stages.flatMap { $0.steps.lines(view) + ["Eager"] }
  }
}

/// Hands over the rows of a procedure.
struct CallOperator: PlanOperator {
  let procedure: GQLProcedure
  let arguments: [Compiled]
  /// The places of the wanted fields among the procedure's, and their slots.
  let fields: [(index: Int, slot: Int)]
  /// Whether the rows before it go on as they are.
  let isVoid: Bool

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    let values = try arguments.map { try $0.evaluate(run) }
    let rows = try procedure.rows(values, in: run)
    if isVoid { return try next() }
    for row in rows {
      try run.budget.step()
      for field in fields { run.slots[field.slot] = row[field.index] }
      guard try next() else { return false }
    }
    return true
  }

  func lines(_ view: PlanView) -> [String] { ["Call \(procedure.name)"] }
}

/// `FOREACH`: runs changes for each element of a list, and hands its own row on.
struct ForEachOperator: PlanOperator {
  let list: Compiled
  let slot: Int
  let name: String
  let inner: Pipeline

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    switch try list.evaluate(run) {
    case .null: break
    case .list(let elements):
      for element in elements {
        try run.budget.step()
        run.slots[slot] = element
        _ = try inner.run(run) { true }
      }
    case let other:
      throw GQLError(.type, "InvalidArgumentType", "FOREACH does not take \(other.typeName)")
    }
    return try next()
  }

  func lines(_ view: PlanView) -> [String] {
    ["For each \(name)"] + inner.lines(view).map { "  \($0)" }
  }
}
