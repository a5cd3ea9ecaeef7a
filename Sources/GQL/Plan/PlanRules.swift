/// The rules by which a planner does less than what is written. Each leaves the rows of a match,
/// and what a statement writes, as they are, with any of the others on or off, and tests hold that.
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

  /// Begins a path where the fewest nodes are.
  ///
  /// Before, `Nodes a: all` and `Expand outgoing … to b`. After, `Nodes b: by label` and
  /// `Expand incoming … to a`: one node that is known, or has a label or a value, leads to the
  /// others. Of several paths, one that hangs on what is known is next.
  static let start = PlanRules(rawValue: 1)

  /// Reads only the nodes that have the label of the pattern.
  ///
  /// Before, `Nodes b: all`. After, `Nodes b: those with the label B`.
  static let label = PlanRules(rawValue: 2)

  /// Looks nodes up by the values of properties that are known by then.
  ///
  /// Before, `Nodes b: those with the label B` and `Filter {x}`. After, `Nodes b: by label, x`, for
  /// which an index can be used. The filter stays: a look-up may find more than is equal.
  static let values = PlanRules(rawValue: 4)

  /// Looks at a condition as soon as its variables have values, unless it may fail: then it is not
  /// evaluated for what is no match.
  ///
  /// Before, `Expand … to a`, `Filter {x}`. After, `Filter {x}`, `Expand … to a`.
  static let conditions = PlanRules(rawValue: 8)

  /// Begins at the ends of a relationship that is known before the pattern.
  ///
  /// Before, of `MATCH (a)-[r]->(b)` with a known `r`: `Nodes a: all`, `Expand … to b`. After,
  /// `Ends of a relationship`, `Expand … to b`.
  static let ends = PlanRules(rawValue: 16)

  /// Reads only the columns of an element that the statement reads.
  ///
  /// Before, of `RETURN b.x`: the whole row of `b`. After, its id, labels and `x`; and of what
  /// nothing reads, whether it is there.
  static let columns = PlanRules(rawValue: 32)

  /// Follows several relationships in a row by one statement.
  ///
  /// Before, `Expand outgoing of type R to b`, `Expand outgoing of type R to c`: a statement for
  /// each `b`. After, `Chain` of both. A step with two directions or several types stays by itself,
  /// one to a node that is known is the last one, and one behind a condition begins a chain.
  static let chains = PlanRules(rawValue: 64)

  /// Makes an element with the properties that the next clause sets.
  ///
  /// Before, of `CREATE (n:B) SET n = row`: all nodes are made, and then all are changed. After,
  /// each is made as it is to be, by one operation of the event. Elements of typed collections are
  /// made and changed as it is written. So is all of a `SET` that changes something else, too, or
  /// has values that look at the graph or at what is made.
  static let whole = PlanRules(rawValue: 128)

  /// Creates for each row as it comes, if nothing before it can see what is created.
  ///
  /// Before, of `MATCH (a:A), (b:B) CREATE (a)-[:R]->(b)`: all rows of the match are kept, and then
  /// relationships are made for them. After, no row is kept. What follows still sees all that is
  /// created.
  static let stream = PlanRules(rawValue: 256)

  /// Looks nodes up once for values that come again.
  ///
  /// Before, of `UNWIND $rows AS row MATCH (a:A {x: row.x})`: a look-up for each row. After, one
  /// for each value, until the statement changes a node. Each scan keeps at most 1 MiB.
  static let recall = PlanRules(rawValue: 512)

  static let all: PlanRules = [
    .start, .label, .values, .conditions, .ends, .columns, .chains, .whole, .stream, .recall,
  ]
}
