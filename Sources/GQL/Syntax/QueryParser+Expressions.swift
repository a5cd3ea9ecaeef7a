/// Expressions, from the operators that bind least to those that bind most.
extension QueryParser {
  /// - Parameter beforeBar: whether a `|` follows the expression. In parentheses within it, a `|`
  ///   is a choice of labels again.
  mutating func expression(beforeBar: Bool = false) throws(GQLError) -> GQLExpression {
    let outer = isBeforeBar
    isBeforeBar = beforeBar
    let expression = try nested { parser throws(GQLError) in try parser.disjunction() }
    isBeforeBar = outer
    return expression
  }

  private mutating func disjunction() throws(GQLError) -> GQLExpression {
    let start = position
    var parts = [try exclusion()]
    while try take("OR") { parts.append(try exclusion()) }
    return parts.count == 1 ? parts[0] : GQLExpression(.any(parts), start)
  }

  private mutating func exclusion() throws(GQLError) -> GQLExpression {
    let start = position
    var parts = [try conjunction()]
    while try take("XOR") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : GQLExpression(.oneOf(parts), start)
  }

  private mutating func conjunction() throws(GQLError) -> GQLExpression {
    let start = position
    var parts = [try negation()]
    while try take("AND") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : GQLExpression(.all(parts), start)
  }

  private mutating func negation() throws(GQLError) -> GQLExpression {
    let start = position
    var count = 0
    while try take("NOT") { count += 1 }
    let value = try comparison()
    // NOT NOT x is no x if x is no boolean, so that two stay two.
    switch count {
    case 0: return value
    case _ where count % 2 == 1: return GQLExpression(.not(value), start)
    default: return GQLExpression(.not(GQLExpression(.not(value), start)), start)
    }
  }

  private mutating func comparison() throws(GQLError) -> GQLExpression {
    let start = position
    let first = try predicate()
    var others: [GQLExpression.Comparison] = []
    while case .sign(let sign) = token.kind,
      let by = GQLExpression.Comparison.Operator(rawValue: sign.rawValue)
    {
      try advance()
      others.append(.init(by: by, value: try predicate()))
    }
    return others.isEmpty ? first : GQLExpression(.comparison(first, others), start)
  }

  private mutating func predicate() throws(GQLError) -> GQLExpression {
    let start = position
    let value = try sum()
    var predicates: [GQLExpression.Predicate] = []
    while true {
      if try take("IN") {
        predicates.append(.within(try sum()))
      } else if try take("STARTS") {
        try expect("WITH")
        predicates.append(.startsWith(try sum()))
      } else if try take("ENDS") {
        try expect("WITH")
        predicates.append(.endsWith(try sum()))
      } else if try take("CONTAINS") {
        predicates.append(.contains(try sum()))
      } else if try take(.matches) {
        predicates.append(.matches(try sum()))
      } else if at("IS"), try isTypeAhead() {
        throw unsupported("IS TYPED")
      } else if at("IS"), try isFollowed(by: "NULL", "NOT") {
        try advance()
        let isNot = try take("NOT")
        guard try take("NULL") else {
          throw isNot ? unsupported("IS NOT with a label or type") : unexpected("NULL")
        }
        predicates.append(isNot ? .isNotNull : .isNull)
      } else {
        break
      }
    }
    return predicates.isEmpty ? value : GQLExpression(.predicates(value, predicates), start)
  }

  /// Returns whether `IS` is the beginning of ISO's `IS [NOT] TYPED` or `IS [NOT] ::`.
  private func isTypeAhead() throws(GQLError) -> Bool {
    var ahead = self
    try ahead.advance()
    _ = try ahead.take("NOT")
    return ahead.at(.colon) || ahead.token.isWord("TYPED")
  }

  private mutating func sum() throws(GQLError) -> GQLExpression {
    try chain([.plus: .add, .minus: .subtract, .concatenation: .concatenate]) {
      parser throws(GQLError) in
      try parser.chain([.star: .multiply, .slash: .divide, .percent: .remainder]) {
        parser throws(GQLError) in
        try parser.chain([.power: .power]) { parser throws(GQLError) in try parser.signed() }
      }
    }
  }

  private mutating func chain(
    _ operators: [GQLToken.Sign: GQLExpression.Operation.Operator],
    _ operand: (inout QueryParser) throws(GQLError) -> GQLExpression
  ) throws(GQLError) -> GQLExpression {
    let start = position
    let first = try operand(&self)
    var others: [GQLExpression.Operation] = []
    while case .sign(let sign) = token.kind, let by = operators[sign] {
      let place = Place(position)
      try advance()
      others.append(.init(by: by, value: try operand(&self), place: place))
    }
    return others.isEmpty ? first : GQLExpression(.arithmetic(first, others), start)
  }

  private mutating func signed() throws(GQLError) -> GQLExpression {
    let start = position
    var isNegative = false
    var count = 0
    while at(.minus) || at(.plus) {
      if at(.minus) { isNegative.toggle() }
      count += 1
      try advance()
    }
    if isNegative, case .integer(let digits) = token.kind {
      try advance()
      let value =
        digits.magnitude == UInt64(1) << 63 ? Int64.min : -Int64(clamping: digits.magnitude)
      return try accessors(GQLExpression(.literal(.integer(value)), start), takesLabels: true)
    }
    let value = try postfix(takesLabels: true)
    if count == 0 { return value }
    if isNegative, case .literal(.real(let number)) = value.kind {
      return GQLExpression(.literal(.real(-number)), start)
    }
    return GQLExpression(isNegative ? .negative(value) : .positive(value), start)
  }

  // MARK: - Access

  /// Reads a value, and the properties, elements and labels that are taken of it.
  mutating func postfix(takesLabels: Bool) throws(GQLError) -> GQLExpression {
    try accessors(try atom(), takesLabels: takesLabels)
  }

  private mutating func accessors(_ value: GQLExpression, takesLabels: Bool) throws(GQLError)
    -> GQLExpression
  {
    var accessors: [GQLExpression.Accessor] = []
    while true {
      if at(.dot) {
        try advance()
        let place = Place(position)
        accessors.append(.property(try name("the name of a property"), place))
      } else if try take(.openBracket) {
        accessors.append(try subscripted())
      } else if takesLabels, at(.colon),
        let labels = try labels(takesChoices: !isBeforeBar)
      {
        accessors.append(.labels(labels))
      } else {
        break
      }
    }
    return accessors.isEmpty ? value : GQLExpression(.access(value, accessors), value.position)
  }

  private mutating func subscripted() throws(GQLError) -> GQLExpression.Accessor {
    if try take(.range) {
      let to = at(.closeBracket) ? nil : try expression()
      try expect(.closeBracket)
      return .slice(from: nil, to: to)
    }
    let first = try expression()
    guard try take(.range) else {
      try expect(.closeBracket)
      return .element(first)
    }
    let to = at(.closeBracket) ? nil : try expression()
    try expect(.closeBracket)
    return .slice(from: first, to: to)
  }

  /// Reads a map.
  mutating func map() throws(GQLError) -> GQLExpression {
    let start = position
    do { try expect(.openBrace) } catch {
      guard error.detail == "InvalidNumberLiteral" else { throw error }
      throw GQLError(
        .syntax, "UnexpectedSyntax", "the name of a property begins with no digit",
        at: error.position, hint: "Put the name between backticks")
    }
    var entries: [GQLExpression.Entry] = []
    if !at(.closeBrace) {
      entries = try list { parser throws(GQLError) in
        let key = try parser.name("the name of a property")
        try parser.expect(.colon)
        return .init(key: key, value: try parser.expression())
      }
    }
    try expect(.closeBrace)
    return GQLExpression(.map(entries), start)
  }
}

extension GQLExpression {
  /// The owner and the name, if the expression is a property of something.
  var splitProperty: (owner: GQLExpression, property: String)? {
    guard case .access(let base, var accessors) = kind,
      case .property(let name, _)? = accessors.popLast()
    else { return nil }
    return (accessors.isEmpty ? base : GQLExpression(.access(base, accessors), position), name)
  }
}
