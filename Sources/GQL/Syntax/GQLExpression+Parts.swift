/// What an expression holds.
extension GQLExpression {
  /// The expressions that it is made of directly; not those of patterns and subqueries.
  var children: [GQLExpression] {
    switch kind {
    case .literal, .parameter, .variable, .countRows, .pattern, .exists, .count, .collect: []
    case .list(let parts), .any(let parts), .oneOf(let parts), .all(let parts): parts
    case .map(let entries): entries.map(\.value)
    case .not(let part), .negative(let part), .positive(let part): [part]
    case .comparison(let first, let others): [first] + others.map(\.value)
    case .arithmetic(let first, let others): [first] + others.map(\.value)
    case .predicates(let value, let predicates): [value] + predicates.compactMap(\.operand)
    case .access(let value, let accessors): [value] + accessors.flatMap(\.operands)
    case .call(let call): call.arguments
    case .choice(let subject, let alternatives, let otherwise):
      [subject, otherwise].compactMap(\.self) + alternatives.flatMap { [$0.condition, $0.value] }
    case .listComprehension(let iteration, let projection):
      iteration.children + [projection].compactMap(\.self)
    case .quantifier(_, let iteration): iteration.children
    case .reduce(_, let start, let iteration, let step): [start] + iteration.children + [step]
    case .patternComprehension(_, let filter, let projection):
      [filter].compactMap(\.self) + [projection]
    }
  }

  /// Whether an aggregating function is called in it.
  var hasAggregate: Bool {
    switch kind {
    case .countRows: true
    case .call(let call) where Aggregate(named: call.name) != nil: true
    default: children.contains(where: \.hasAggregate)
    }
  }

  /// Whether it has a pattern or a query in it.
  var looksAtGraph: Bool {
    switch kind {
    case .pattern, .patternComprehension, .exists, .count, .collect: true
    default: children.contains(where: \.looksAtGraph)
    }
  }

  /// The names of the variables in it.
  var names: [String] {
    if case .variable(let name) = kind { return [name] }
    return children.flatMap(\.names)
  }

  /// The names of the variables in it that no aggregating function goes over.
  var namesBesideAggregates: [String] {
    switch kind {
    case .variable(let name): [name]
    case .call(let call) where Aggregate(named: call.name) != nil: []
    default: children.flatMap(\.namesBesideAggregates)
    }
  }

  /// Whether it is a variable or a property of one.
  var isSimple: Bool {
    switch kind {
    case .variable: true
    case .access(let value, let accessors):
      value.isSimple
        && accessors.allSatisfy { if case .property = $0 { true } else { false } }
    default: false
    }
  }

  /// The number that it is, with its sign.
  var signedNumber: Literal? {
    switch kind {
    case .literal(.integer), .literal(.real):
      if case .literal(let literal) = kind { return literal }
      return nil
    default: return nil
    }
  }
}

extension GQLExpression.Predicate {
  fileprivate var operand: GQLExpression? {
    switch self {
    case .isNull, .isNotNull: nil
    case .within(let value), .startsWith(let value), .endsWith(let value), .contains(let value),
      .matches(let value):
      value
    }
  }
}

extension GQLExpression.Accessor {
  fileprivate var operands: [GQLExpression] {
    switch self {
    case .property, .labels: []
    case .element(let index): [index]
    case .slice(let from, let to): [from, to].compactMap(\.self)
    }
  }
}

extension GQLExpression.Iteration {
  fileprivate var children: [GQLExpression] { [list, filter].compactMap(\.self) }
}
