/// What is known of a value before anything runs.
enum StaticType: String, Sendable {
  case any, null, boolean, integer, float, string, list, map, node, relationship, path, temporal
  /// A list of the relationships of a path of variable length.
  case relationships

  /// Whether a value of this type may be one of the others.
  func mayBe(_ others: StaticType...) -> Bool {
    self == .any || self == .null || others.contains(self)
  }

  var isNumber: Bool { self == .integer || self == .float }
}

/// A variable and where its value is.
struct BoundVariable {
  var slot: Int
  var type: StaticType
}

/// The variables that an expression may use.
struct Scope {
  private(set) var names: [String] = []
  /// By the bytes of their names: Swift takes some names for equal that are not.
  private var variables: [[UInt8]: BoundVariable] = [:]

  subscript(name: String) -> BoundVariable? { variables[Array(name.utf8)] }

  mutating func bind(_ name: String, _ variable: BoundVariable) {
    if variables.updateValue(variable, forKey: Array(name.utf8)) == nil { names.append(name) }
  }

  /// The slots of all variables.
  var slots: [Int] { names.compactMap { self[$0]?.slot } }

  func suggestion(for name: String) -> String? {
    let near = names.filter { $0.lowercased() == name.lowercased() }
    if let one = near.first { return "Did you mean “\(one)”?" }
    return names.isEmpty ? nil : "There are: \(names.sorted().joined(separator: ", "))"
  }
}

/// An expression that is ready to run.
struct Compiled {
  typealias Evaluator = (PlanRun) throws -> GQLValue

  var type: StaticType
  var evaluate: Evaluator
  /// The slots that it reads.
  var slots: Set<Int> = []
  /// Whether it can throw for some values, so that it must not be evaluated for rows that something
  /// else has to leave out first.
  var mayFail = true
  /// Whether it is a literal, or made of literals and parameters only.
  var isConstant = false
  /// How it reads in a plan.
  var text = ""

  init(_ type: StaticType, _ evaluate: @escaping Evaluator) {
    self.type = type
    self.evaluate = evaluate
  }

  /// Returns whether the condition holds; null does not.
  func holds(_ run: PlanRun) throws -> Bool {
    switch try evaluate(run) {
    case .boolean(let value): return value
    case .null: return false
    case let other:
      throw GQLError(
        .type, "InvalidArgumentType", "a condition is \(other.typeName), not BOOLEAN")
    }
  }
}
