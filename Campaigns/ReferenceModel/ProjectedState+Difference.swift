extension ProjectedState {
  /// Returns the first difference, in words; nil if there is none.
  ///
  /// The digest comes last, since it only says that something differs.
  package static func firstDifference(expected: ProjectedState, actual: ProjectedState) -> String? {
    tableDifference(expected, actual)
      ?? difference("misfit", expected.misfits, actual.misfits)
      ?? difference("edit that does not fit", expected.unfit, actual.unfit)
      ?? difference("parked entity", expected.parked, actual.parked)
      ?? difference("cycle", expected.cycles, actual.cycles)
      ?? difference("conflict", expected.conflicts, actual.conflicts)
      ?? difference("completeness", expected.isComplete, actual.isComplete)
      ?? difference("local completeness", expected.isLocalComplete, actual.isLocalComplete)
      ?? difference("digest", expected.digest, actual.digest)
  }

  private static func tableDifference(_ expected: Self, _ actual: Self) -> String? {
    for name in Set(expected.tables.keys).union(actual.tables.keys).sorted() {
      guard let wanted = expected.tables[name] else { return "table \(name) is not declared" }
      guard let shown = actual.tables[name] else { return "table \(name) is missing" }
      if wanted.columns != shown.columns {
        return "table \(name) has columns \(shown.columns), expected \(wanted.columns)"
      }
      if let difference = rowDifference(name, wanted, shown) { return difference }
    }
    return nil
  }

  private static func rowDifference(
    _ table: String, _ wanted: ReferenceTable, _ shown: ReferenceTable
  ) -> String? {
    let wantedIDs = wanted.rows.map { "\($0[0])" }
    let shownIDs = shown.rows.map { "\($0[0])" }
    if wantedIDs != shownIDs {
      let missing = wantedIDs.filter { !shownIDs.contains($0) }
      let extra = shownIDs.filter { !wantedIDs.contains($0) }
      return "table \(table) has rows \(shownIDs): missing \(missing), too many \(extra)"
    }
    for (wantedRow, shownRow) in zip(wanted.rows, shown.rows) where wantedRow != shownRow {
      for (column, (a, b)) in zip(wanted.columns, zip(wantedRow, shownRow)) where a != b {
        return "\(table)/\(wantedRow[0]).\(column) is \(b), expected \(a)"
      }
      return "\(table)/\(wantedRow[0]) has \(shownRow.count) cells, expected \(wantedRow.count)"
    }
    return nil
  }

  private static func difference<T: Equatable>(
    _ what: String, _ expected: [T], _ actual: [T]
  ) -> String? {
    if let missing = expected.first(where: { !actual.contains($0) }) {
      return "\(what) missing: \(missing)"
    }
    if let extra = actual.first(where: { !expected.contains($0) }) {
      return "\(what) too many: \(extra)"
    }
    return expected == actual ? nil : "\(what)s are repeated or out of order: \(actual)"
  }

  private static func difference<T: Equatable>(
    _ what: String, _ expected: T, _ actual: T
  ) -> String? {
    expected == actual ? nil : "\(what) is \(actual), expected \(expected)"
  }
}
