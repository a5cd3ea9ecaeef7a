import DaybookSimulation

@testable import DaybookGQL

/// A random query of several clauses: as text, and as rows that are found by trying everything.
struct RandomClauses {
  enum Clause {
    case match([NaiveEvaluator.Pattern], NaiveEvaluator.Condition?, isOptional: Bool)
    case unwind([Int64], into: Int)
    /// Keeps variables, and counts the rows that have the same.
    case with([Int], isDistinct: Bool, count: Count?, NaiveEvaluator.Condition?)
  }

  /// A number of rows.
  struct Count {
    /// The variable that must not be null; nil for all rows.
    var of: Int?
    var into: Int
  }

  /// A column that is returned.
  enum Column {
    case number(Int)
    case property(Int, String)
    case countRows
    case countDistinct(Int, String)
    case sum(Int, String)
    case least(Int, String)
    case most(Int, String)

    var isAggregate: Bool {
      switch self {
      case .number, .property: false
      default: true
      }
    }
  }

  /// The rows to keep, in the order of all columns.
  struct Page {
    var isDescending: [Bool]
    var skip: Int
    var limit: Int
  }

  private(set) var clauses: [Clause] = []
  private(set) var columns: [Column] = []
  let isDistinct: Bool
  private(set) var page: Page?

  init(_ random: inout SplitMix64) {
    isDistinct = Int.random(in: 0...3, using: &random) == 0
    var scope = RandomScope(namesRelationships: true)
    let count = Int.random(in: 1...3, using: &random)
    for index in 0..<count {
      switch Int.random(in: 0...9, using: &random) {
      case 0: clauses.append(Self.unwind(&scope, &random))
      case 1...3 where index > 0: clauses.append(Self.with(&scope, &random))
      case let kind:
        clauses.append(Self.match(&scope, isOptional: kind > 6, parts: 4 - count, &random))
      }
    }
    columns = Self.columns(scope, &random)
    if Int.random(in: 0...2, using: &random) == 0 {
      page = Page(
        isDescending: columns.map { _ in Bool.random(using: &random) },
        skip: Int.random(in: 0...2, using: &random), limit: Int.random(in: 0...5, using: &random))
    }
  }

  private static func match(
    _ scope: inout RandomScope, isOptional: Bool, parts: Int, _ random: inout SplitMix64
  ) -> Clause {
    var known = scope.relationships
    var patterns: [NaiveEvaluator.Pattern] = []
    for _ in 0..<Int.random(in: 1...min(parts, 2), using: &random) {
      patterns.append(scope.pattern(&known, &random))
    }
    let condition = Bool.random(using: &random) ? scope.condition(2, &random) : nil
    return .match(patterns, condition, isOptional: isOptional)
  }

  private static func unwind(_ scope: inout RandomScope, _ random: inout SplitMix64) -> Clause {
    let numbers = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      Int64.random(in: 0...2, using: &random)
    }
    let variable = scope.newVariable()
    scope.numbers.append(variable)
    return .unwind(numbers, into: variable)
  }

  private static func with(_ scope: inout RandomScope, _ random: inout SplitMix64) -> Clause {
    func some(_ variables: [Int]) -> [Int] {
      variables.filter { _ in Int.random(in: 0...2, using: &random) > 0 }
    }
    let all = scope.nodes + scope.relationships
    scope.nodes = some(scope.nodes)
    scope.relationships = some(scope.relationships)
    scope.numbers = some(scope.numbers)
    let kept = scope.nodes + scope.relationships + scope.numbers
    var count: Count?
    if kept.isEmpty || Int.random(in: 0...2, using: &random) == 0 {
      let of = Bool.random(using: &random) ? all.randomElement(using: &random) : nil
      count = Count(of: of, into: scope.newVariable())
      scope.numbers += [count?.into ?? 0]
    }
    return .with(
      kept, isDistinct: Int.random(in: 0...2, using: &random) == 0, count: count,
      Bool.random(using: &random) ? scope.condition(1, &random) : nil)
  }

  private static func columns(_ scope: RandomScope, _ random: inout SplitMix64) -> [Column] {
    var columns: [Column] =
      scope.nodes.map { .property($0, Bool.random(using: &random) ? "n" : "x") }
      + scope.relationships.map { .property($0, Bool.random(using: &random) ? "n" : "w") }
      + scope.numbers.map { .number($0) }
    let isGrouped = columns.isEmpty || Int.random(in: 0...2, using: &random) == 0
    guard isGrouped else { return columns }
    columns = columns.filter { _ in Int.random(in: 0...3, using: &random) == 0 }
    columns.insert(.countRows, at: Int.random(in: 0...columns.count, using: &random))
    if let node = scope.nodes.randomElement(using: &random) {
      let kinds: [Column] = [
        .countDistinct(node, "x"), .sum(node, "y"), .least(node, "n"), .most(node, "x"),
      ]
      columns += kinds.filter { _ in Bool.random(using: &random) }
    }
    return columns
  }
}
