/// An expression as it is written.
///
/// What can go on without end, such as `a + b + c …`, is one list. So the depth of the tree is the
/// depth of the query's parentheses, which the parser limits.
struct GQLExpression: Equatable, Sendable {
  var kind: Kind
  var place: Place

  init(_ kind: Kind, _ position: GQLPosition) {
    self.kind = kind
    place = Place(position)
  }

  var position: GQLPosition { place.position }

  indirect enum Kind: Equatable, Sendable {
    case literal(Literal)
    case parameter(String)
    case variable(String)
    case list([GQLExpression])
    case map([Entry])
    case any([GQLExpression])
    case oneOf([GQLExpression])
    case all([GQLExpression])
    case not(GQLExpression)
    case comparison(GQLExpression, [Comparison])
    case arithmetic(GQLExpression, [Operation])
    case negative(GQLExpression)
    case positive(GQLExpression)
    case predicates(GQLExpression, [Predicate])
    case access(GQLExpression, [Accessor])
    case call(Call)
    case countRows
    case choice(subject: GQLExpression?, [Alternative], otherwise: GQLExpression?)
    case listComprehension(Iteration, projection: GQLExpression?)
    case quantifier(Quantifier, Iteration)
    case reduce(accumulator: String, start: GQLExpression, Iteration, step: GQLExpression)
    case patternComprehension(GQLPathPattern, filter: GQLExpression?, projection: GQLExpression)
    case pattern(GQLPathPattern)
    case exists(GQLQuery)
    case count(GQLQuery)
    case collect(GQLQuery)
  }

  enum Literal: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
  }

  struct Entry: Equatable, Sendable {
    var key: String
    var value: GQLExpression
  }

  struct Comparison: Equatable, Sendable {
    enum Operator: String, Sendable {
      case equal = "="
      case notEqual = "<>"
      case less = "<"
      case lessOrEqual = "<="
      case greater = ">"
      case greaterOrEqual = ">="
    }

    var by: Operator
    var value: GQLExpression
  }

  struct Operation: Equatable, Sendable {
    enum Operator: String, Sendable {
      case add = "+"
      case subtract = "-"
      case multiply = "*"
      case divide = "/"
      case remainder = "%"
      case power = "^"
      case concatenate = "||"
    }

    var by: Operator
    var value: GQLExpression
    var place: Place
  }

  enum Predicate: Equatable, Sendable {
    case isNull
    case isNotNull
    case within(GQLExpression)
    case startsWith(GQLExpression)
    case endsWith(GQLExpression)
    case contains(GQLExpression)
    case matches(GQLExpression)
  }

  enum Accessor: Equatable, Sendable {
    case property(String, Place)
    case element(GQLExpression)
    case slice(from: GQLExpression?, to: GQLExpression?)
    case labels(GQLLabels)
  }

  struct Call: Equatable, Sendable {
    /// The name with its name spaces, such as `duration.between`.
    var name: String
    var isDistinct: Bool
    var arguments: [GQLExpression]
  }

  struct Alternative: Equatable, Sendable {
    var condition: GQLExpression
    var value: GQLExpression
  }

  /// `x IN list WHERE condition`.
  struct Iteration: Equatable, Sendable {
    var variable: String
    var list: GQLExpression
    var filter: GQLExpression?
  }

  enum Quantifier: String, Sendable {
    case all, any, none, single
  }
}

/// What the labels of a node, or the type of a relationship, must be.
indirect enum GQLLabels: Equatable, Sendable {
  case name(String)
  /// `%`: any label at all.
  case wildcard
  case not(GQLLabels)
  case all([GQLLabels])
  case any([GQLLabels])

  /// The names of labels that all have to be there; nil if the condition says something else.
  var names: [String]? {
    switch self {
    case .name(let name): [name]
    case .all(let parts):
      parts.reduce([String]?([])) { names, part in
        guard let names, let more = part.names else { return nil }
        return names + more
      }
    default: nil
    }
  }

  /// The names of which one has to be there; nil if the condition says something else.
  var alternatives: [String]? {
    switch self {
    case .name(let name): [name]
    case .any(let parts):
      parts.reduce([String]?([])) { names, part in
        guard let names, let more = part.alternatives else { return nil }
        return names + more
      }
    default: nil
    }
  }

  /// Returns whether a set of labels satisfies the condition.
  func allows(_ labels: [String]) -> Bool {
    switch self {
    case .name(let name): labels.contains { $0.utf8.elementsEqual(name.utf8) }
    case .wildcard: !labels.isEmpty
    case .not(let part): !part.allows(labels)
    case .all(let parts): parts.allSatisfy { $0.allows(labels) }
    case .any(let parts): parts.contains { $0.allows(labels) }
    }
  }
}
