@testable import DaybookGQL

/// Matches patterns as their definition says: every way to give a node or relationship to each
/// variable is tried, and those that fit are kept. It shares no code with the plans.
struct NaiveEvaluator {
  let graph: ListedGraph

  /// A node of a pattern: its variable's number, a label and a property that it must have.
  struct Node {
    var variable: Int
    var label: String?
    var property: (name: String, value: Int64)?
  }

  /// A relationship of a pattern between the nodes beside it.
  struct Step {
    var type: String?
    /// 1 from left to right, −1 from right to left, 0 either way.
    var direction: Int
    /// Nil for one relationship, else the fewest and the most.
    var length: (least: Int, most: Int)?
  }

  struct Pattern {
    var nodes: [Node]
    var steps: [Step]
  }

  /// A condition on the nodes of a match, with the three truth values.
  indirect enum Condition {
    case less(variable: Int, property: String, than: Int64)
    case equal(Int, String, Int, String)
    case isNull(Int, String)
    case hasLabel(Int, String)
    case connected(Int, Int, type: String)
    case not(Condition)
    case and(Condition, Condition)
    case or(Condition, Condition)
  }

  /// Returns the nodes of each match, by variable.
  func matches(_ patterns: [Pattern], _ condition: Condition?, variables: Int) -> [[GQLNode]] {
    var found: [[GQLNode]] = []
    extend(patterns, 0, 0, Array(repeating: nil, count: variables), []) { nodes in
      let whole = nodes.compactMap(\.self)
      guard whole.count == variables else { return }
      if let condition, truth(condition, whole) != true { return }
      found.append(whole)
    }
    return found
  }

  private func fits(_ node: GQLNode, _ pattern: Node) -> Bool {
    if let label = pattern.label, !node.labels.contains(label) { return false }
    guard let property = pattern.property else { return true }
    guard case .integer(let value)? = node.properties[key: property.name] else { return false }
    return value == property.value
  }

  private func extend(
    _ patterns: [Pattern], _ part: Int, _ index: Int, _ nodes: [GQLNode?], _ used: [GQLElementID],
    _ emit: ([GQLNode?]) -> Void
  ) {
    guard part < patterns.count else { return emit(nodes) }
    let pattern = patterns[part]
    let wanted = pattern.nodes[index]
    for node in graph.nodes where fits(node, wanted) {
      if let known = nodes[wanted.variable], known.id != node.id { continue }
      var next = nodes
      next[wanted.variable] = node
      guard index > 0 else {
        go(patterns, part, index, next, used, emit)
        continue
      }
      guard let from = nodes[pattern.nodes[index - 1].variable] else { continue }
      walk(pattern.steps[index - 1], from.id, node.id, [], used) { walked in
        go(patterns, part, index, next, used + walked, emit)
      }
    }
  }

  private func go(
    _ patterns: [Pattern], _ part: Int, _ index: Int, _ nodes: [GQLNode?], _ used: [GQLElementID],
    _ emit: ([GQLNode?]) -> Void
  ) {
    if index + 1 < patterns[part].nodes.count {
      extend(patterns, part, index + 1, nodes, used, emit)
    } else {
      extend(patterns, part + 1, 0, nodes, used, emit)
    }
  }

  /// Tries every row of relationships from one node to another.
  private func walk(
    _ step: Step, _ from: GQLElementID, _ to: GQLElementID, _ walked: [GQLElementID],
    _ used: [GQLElementID], _ emit: ([GQLElementID]) -> Void
  ) {
    let (least, most) = step.length ?? (1, 1)
    if walked.count >= least, from == to { emit(walked) }
    guard walked.count < most else { return }
    for one in graph.relationships
    where (step.type ?? one.type) == one.type && !used.contains(one.id) && !walked.contains(one.id)
    {
      if step.direction >= 0, one.source == from {
        walk(step, one.target, to, walked + [one.id], used, emit)
      }
      if step.direction <= 0, one.target == from, step.direction < 0 || one.source != one.target {
        walk(step, one.source, to, walked + [one.id], used, emit)
      }
    }
  }

  private func truth(_ condition: Condition, _ nodes: [GQLNode]) -> Bool? {
    func number(_ variable: Int, _ property: String) -> Int64? {
      guard case .integer(let value)? = nodes[variable].properties[key: property] else {
        return nil
      }
      return value
    }
    switch condition {
    case .less(let variable, let property, let limit):
      return number(variable, property).map { $0 < limit }
    case .equal(let a, let first, let b, let second):
      guard let a = number(a, first), let b = number(b, second) else { return nil }
      return a == b
    case .isNull(let variable, let property): return number(variable, property) == nil
    case .hasLabel(let variable, let label): return nodes[variable].labels.contains(label)
    case .connected(let a, let b, let type):
      return graph.relationships.contains {
        $0.type == type && $0.source == nodes[a].id && $0.target == nodes[b].id
      }
    case .not(let inner): return truth(inner, nodes).map { !$0 }
    case .and(let a, let b):
      let (a, b) = (truth(a, nodes), truth(b, nodes))
      return a == false || b == false ? false : a == nil || b == nil ? nil : true
    case .or(let a, let b):
      let (a, b) = (truth(a, nodes), truth(b, nodes))
      return a == true || b == true ? true : a == nil || b == nil ? nil : false
    }
  }
}
