@testable import DaybookGQL

/// Queries of several clauses: each makes a list of rows from the list before it.
extension NaiveEvaluator {
  /// The most rows that a clause is given: trying everything for more has no end.
  private static let rowsMax = 60

  /// Returns the rows of a query: in their order if it has a page, else sorted by what they show.
  /// - Returns: nil if there is too much to try.
  func rows(_ query: RandomClauses) -> [String]? {
    var rows: [Row] = [[:]]
    for clause in query.clauses {
      guard rows.count <= Self.rowsMax else { return nil }
      rows = rows.isEmpty && !Self.alwaysHasRow(clause) ? [] : apply(clause, rows)
    }
    var shown = project(rows, query.columns)
    if query.isDistinct { shown = Self.distinct(shown) }
    guard let page = query.page else { return shown.map(Self.text).sorted() }
    shown.sort { Self.precedes($0, $1, page.isDescending) }
    return shown.dropFirst(page.skip).prefix(page.limit).map(Self.text)
  }

  /// Whether a clause has a row if there is none before it: a count of nothing by itself.
  private static func alwaysHasRow(_ clause: RandomClauses.Clause) -> Bool {
    if case .with(let kept, _, _?, _) = clause { kept.isEmpty } else { false }
  }

  private func apply(_ clause: RandomClauses.Clause, _ rows: [Row]) -> [Row] {
    switch clause {
    case .match(let patterns, let condition, let isOptional):
      return rows.flatMap { row in
        let found = matches(patterns, condition, from: row)
        guard isOptional, found.isEmpty else { return found }
        let new = patterns.flatMap { $0.nodes.map(\.variable) + $0.steps.compactMap(\.variable) }
        return [row.merging(new.map { ($0, .null) }) { known, _ in known }]
      }
    case .unwind(let numbers, let variable):
      return rows.flatMap { row in
        numbers.map { number in row.merging([variable: .integer(number)]) { $1 } }
      }
    case .with(let kept, let isDistinct, let count, let condition):
      var result = grouped(rows, kept, count)
      if isDistinct {
        let all = kept + (count.map { [$0.into] } ?? [])
        var known: Set<[String]> = []
        result = result.filter { known.insert(Self.identity($0, all)).inserted }
      }
      return result.filter { row in condition.map { truth($0, row) == true } ?? true }
    }
  }

  private func grouped(_ rows: [Row], _ kept: [Int], _ count: RandomClauses.Count?) -> [Row] {
    let narrow = rows.map { row in row.filter { kept.contains($0.key) } }
    guard let count else { return narrow }
    var groups: [(key: [String], row: Row, count: Int64)] = []
    if kept.isEmpty { groups.append(([], [:], 0)) }
    for (whole, row) in zip(rows, narrow) {
      let key = Self.identity(row, kept)
      let isCounted = count.of.map { whole[$0]?.isNull == false } ?? true
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].count += isCounted ? 1 : 0
      } else {
        groups.append((key, row, isCounted ? 1 : 0))
      }
    }
    return groups.map { group in
      group.row.merging([count.into: .integer(group.count)]) { $1 }
    }
  }

  /// What tells rows apart in some of their variables.
  private static func identity(_ row: Row, _ variables: [Int]) -> [String] {
    variables.map { variable in
      switch row[variable] {
      case .node(let node): "node \(node.id)"
      case .relationship(let one): "relationship \(one.id)"
      case let other: "\(other ?? .null)"
      }
    }
  }

  // MARK: - What is returned

  private func project(_ rows: [Row], _ columns: [RandomClauses.Column]) -> [[Int64?]] {
    guard columns.contains(where: \.isAggregate) else {
      return rows.map { row in columns.map { Self.plain($0, row) } }
    }
    var groups: [(key: [Int64?], rows: [Row])] = []
    if columns.allSatisfy(\.isAggregate) { groups.append(([], [])) }
    for row in rows {
      let key = columns.filter { !$0.isAggregate }.map { Self.plain($0, row) }
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].rows.append(row)
      } else {
        groups.append((key, [row]))
      }
    }
    return groups.map { group in
      var key = group.key[...]
      return columns.map { column in
        guard column.isAggregate else { return key.removeFirst() }
        return Self.aggregate(column, group.rows)
      }
    }
  }

  private static func plain(_ column: RandomClauses.Column, _ row: Row) -> Int64? {
    switch column {
    case .number(let variable):
      if case .integer(let value)? = row[variable] { value } else { nil }
    case .property(let variable, let name): number(row, variable, name)
    default: nil
    }
  }

  private static func aggregate(_ column: RandomClauses.Column, _ rows: [Row]) -> Int64? {
    func values(_ variable: Int, _ name: String) -> [Int64] {
      rows.compactMap { number($0, variable, name) }
    }
    switch column {
    case .number, .property: return nil
    case .countRows: return Int64(rows.count)
    case .countDistinct(let variable, let name): return Int64(Set(values(variable, name)).count)
    case .sum(let variable, let name): return values(variable, name).reduce(0, +)
    case .least(let variable, let name): return values(variable, name).min()
    case .most(let variable, let name): return values(variable, name).max()
    }
  }

  private static func distinct(_ rows: [[Int64?]]) -> [[Int64?]] {
    var known: Set<[Int64?]> = []
    return rows.filter { known.insert($0).inserted }
  }

  /// Whether a row is before another one: null is the greatest value.
  private static func precedes(_ a: [Int64?], _ b: [Int64?], _ isDescending: [Bool]) -> Bool {
    for (index, (a, b)) in zip(a, b).enumerated() where a != b {
      let isLess = a.map { a in b.map { a < $0 } ?? true } ?? false
      return isLess != isDescending[index]
    }
    return false
  }

  private static func text(_ row: [Int64?]) -> String {
    row.map { $0.map { "\($0)" } ?? "null" }.joined(separator: ",")
  }
}
