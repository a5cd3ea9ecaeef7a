/// The rules by which a planner does less than what is written, each in a file of its own.
///
/// Each leaves the rows of a match, and what a statement writes, as they are, with any of the
/// others on or off, and tests hold that.
///
/// Of `MATCH (a)-[r:R]->(b:B {x: 1}) WHERE a.y > 0`, the plan of no rule is:
/// ```
/// Nodes a: all                  begin with the first node, among all nodes
/// Expand outgoing of type R to b
/// Filter {x}                    all conditions behind the last step
/// Filter WHERE
/// ```
struct PlanRules: OptionSet, Sendable {
  let rawValue: Int

  static let all: PlanRules = [
    .start, .label, .values, .conditions, .ends, .columns, .chains, .whole, .stream, .recall,
  ]
}
