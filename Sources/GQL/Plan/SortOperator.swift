/// `ORDER BY`.
struct SortOperator: PlanOperator {
  let input: Pipeline
  let keys: [(value: Compiled, isDescending: Bool)]
  /// What is computed of the rows that are kept, before their slots are (see ``PlanRules/late``).
  let late: [(value: Compiled, slot: Int)]
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
    let mayFail = keys.contains { $0.value.mayFail }
    _ = try input.run(run) {
      try run.budget.step()
      row.number = number
      number += 1
      let last = rows.count == wanted ? rows.last : nil
      guard wanted > 0 || mayFail else { return true }
      // A key that cannot fail is evaluated only if those before it are equal.
      var isDecided = false
      for index in keys.indices {
        row.keys[index] = try keys[index].value.evaluate(run)
        guard let last, !mayFail, !isDecided else { continue }
        switch order(row, last, by: index) {
        case .same: continue
        case .after: return true
        case .before: isDecided = true
        }
      }
      if rows.count == wanted {
        guard let last = rows.last, precedes(row, last) else { return true }
        run.budget.giveUp(bytes: rows.removeLast().bytes)
      }
      var (low, high) = (0, rows.count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(row, rows[middle]) { high = middle } else { low = middle + 1 }
      }
      rows.insert(row, at: low)
      try addLate(run)
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
      try addLate(run)
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

  private func addLate(_ run: PlanRun) throws {
    for index in late.indices {
      run.slots[late[index].slot] = try late[index].value.evaluate(run)
    }
  }

  /// Where a row stands beside another one.
  private enum Order { case before, same, after }

  private func order(_ a: Row, _ b: Row, by index: Int) -> Order {
    switch GQLValue.total(a.keys[index], b.keys[index]) {
    case .ascending: keys[index].isDescending ? .after : .before
    case .descending: keys[index].isDescending ? .before : .after
    default: .same
    }
  }

  private func precedes(_ a: Row, _ b: Row) -> Bool {
    for index in keys.indices {
      switch order(a, b, by: index) {
      case .before: return true
      case .after: return false
      case .same: continue
      }
    }
    return a.number < b.number
  }

  func lines(_ view: PlanView) -> [String] {
    let more = late.isEmpty ? "" : ", and \(late.count) values of the rows that are kept"
    return input.lines(view) + ["Sort by \(keys.count) keys\(more)"]
  }
}
