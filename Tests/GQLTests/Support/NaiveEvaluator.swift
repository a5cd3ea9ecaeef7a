@testable import DaybookGQL

/// Matches patterns as their definition says: every way to give a node or relationship to each
/// variable is tried, and those that fit are kept. It shares no code with the plans.
struct NaiveEvaluator {
  let graph: ListedGraph

  /// The values of the variables that have one, by number.
  typealias Row = [Int: GQLValue]

  /// A number in a pattern: as it is written, or the value of a variable.
  enum Number {
    case literal(Int64)
    case variable(Int)
  }

  /// A node of a pattern: its variable's number, a label and a property that it must have.
  struct Node {
    var variable: Int
    var label: String?
    var property: (name: String, value: Number)?
  }

  /// A relationship of a pattern between the nodes beside it.
  struct Step {
    var type: String?
    /// 1 from left to right, −1 from right to left, 0 either way.
    var direction: Int
    /// Nil for one relationship, else the fewest and the most.
    var length: (least: Int, most: Int)?
    /// The variable of one relationship.
    var variable: Int?
    /// What each relationship must have.
    var property: (name: String, value: Int64)?
  }

  struct Pattern {
    var nodes: [Node]
    var steps: [Step]
  }

  /// A condition on a row, with the three truth values.
  indirect enum Condition {
    case less(variable: Int, property: String, than: Int64)
    case equal(Int, String, Int, String)
    case isNull(Int, String)
    case isMissing(Int)
    case hasLabel(Int, String)
    case connected(Int, Int, type: String)
    /// A variable that is a number.
    case lessNumber(Int, than: Int64)
    case exists(Pattern, Condition?)
    case not(Condition)
    case and(Condition, Condition)
    case or(Condition, Condition)
  }

  /// Returns a row for each match, with the values of `row` and those of the patterns' variables.
  func matches(_ patterns: [Pattern], _ condition: Condition?, from row: Row = [:]) -> [Row] {
    var found: [Row] = []
    extend(patterns, 0, 0, row, []) { row in
      if let condition, truth(condition, row) != true { return }
      found.append(row)
    }
    return found
  }

  private func fits(_ node: GQLNode, _ pattern: Node, _ row: Row) -> Bool {
    if let known = row[pattern.variable] {
      guard case .node(let known) = known, known.id == node.id else { return false }
    }
    if let label = pattern.label, !node.labels.contains(label) { return false }
    guard let (name, wanted) = pattern.property else { return true }
    guard case .integer(let value)? = node.properties[key: name] else { return false }
    switch wanted {
    case .literal(let wanted): return value == wanted
    case .variable(let variable):
      guard case .integer(let wanted)? = row[variable] else { return false }
      return value == wanted
    }
  }

  private func extend(
    _ patterns: [Pattern], _ part: Int, _ index: Int, _ row: Row, _ used: [GQLElementID],
    _ emit: (Row) -> Void
  ) {
    guard part < patterns.count else { return emit(row) }
    let pattern = patterns[part]
    let wanted = pattern.nodes[index]
    for node in graph.nodes where fits(node, wanted, row) {
      var next = row
      next[wanted.variable] = .node(node)
      guard index > 0 else {
        go(patterns, part, index, next, used, emit)
        continue
      }
      let step = pattern.steps[index - 1]
      guard case .node(let from)? = row[pattern.nodes[index - 1].variable] else { continue }
      walk(step, from.id, node.id, [], used) { walked in
        guard let variable = step.variable else {
          return go(patterns, part, index, next, used + walked.map(\.id), emit)
        }
        if let known = row[variable] {
          guard case .relationship(let known) = known, known.id == walked[0].id else { return }
        }
        var next = next
        next[variable] = .relationship(walked[0])
        go(patterns, part, index, next, used + walked.map(\.id), emit)
      }
    }
  }

  private func go(
    _ patterns: [Pattern], _ part: Int, _ index: Int, _ row: Row, _ used: [GQLElementID],
    _ emit: (Row) -> Void
  ) {
    if index + 1 < patterns[part].nodes.count {
      extend(patterns, part, index + 1, row, used, emit)
    } else {
      extend(patterns, part + 1, 0, row, used, emit)
    }
  }

  /// Tries every row of relationships from one node to another.
  private func walk(
    _ step: Step, _ from: GQLElementID, _ to: GQLElementID, _ walked: [GQLRelationship],
    _ used: [GQLElementID], _ emit: ([GQLRelationship]) -> Void
  ) {
    let (least, most) = step.length ?? (1, 1)
    if walked.count >= least, from == to { emit(walked) }
    guard walked.count < most else { return }
    for one in graph.relationships
    where (step.type ?? one.type) == one.type && !used.contains(one.id)
      && !walked.contains(where: { $0.id == one.id })
    {
      if let (name, wanted) = step.property {
        guard case .integer(let value)? = one.properties[key: name], value == wanted else {
          continue
        }
      }
      if step.direction >= 0, one.source == from {
        walk(step, one.target, to, walked + [one], used, emit)
      }
      if step.direction <= 0, one.target == from, step.direction < 0 || one.source != one.target {
        walk(step, one.source, to, walked + [one], used, emit)
      }
    }
  }

  // MARK: - Conditions

  /// The number that a property of a node or relationship holds.
  static func number(_ row: Row, _ variable: Int, _ property: String) -> Int64? {
    let properties: GQLMap
    switch row[variable] {
    case .node(let node): properties = node.properties
    case .relationship(let one): properties = one.properties
    default: return nil
    }
    guard case .integer(let value)? = properties[key: property] else { return nil }
    return value
  }

  func truth(_ condition: Condition, _ row: Row) -> Bool? {
    switch condition {
    case .less(let variable, let property, let limit):
      return Self.number(row, variable, property).map { $0 < limit }
    case .equal(let a, let first, let b, let second):
      guard let a = Self.number(row, a, first), let b = Self.number(row, b, second) else {
        return nil
      }
      return a == b
    case .isNull(let variable, let property): return Self.number(row, variable, property) == nil
    case .isMissing(let variable): return row[variable]?.isNull ?? true
    case .hasLabel(let variable, let label):
      guard case .node(let node)? = row[variable] else { return nil }
      return node.labels.contains(label)
    case .connected(let a, let b, let type):
      guard case .node(let a)? = row[a], case .node(let b)? = row[b] else { return false }
      return graph.relationships.contains {
        $0.type == type && $0.source == a.id && $0.target == b.id
      }
    case .lessNumber(let variable, let limit):
      guard case .integer(let value)? = row[variable] else { return nil }
      return value < limit
    case .exists(let pattern, let inner): return !matches([pattern], inner, from: row).isEmpty
    case .not(let inner): return truth(inner, row).map { !$0 }
    case .and(let a, let b):
      let (a, b) = (truth(a, row), truth(b, row))
      return a == false || b == false ? false : a == nil || b == nil ? nil : true
    case .or(let a, let b):
      let (a, b) = (truth(a, row), truth(b, row))
      return a == true || b == true ? true : a == nil || b == nil ? nil : false
    }
  }
}
