/// The values that expressions are made of.
extension QueryParser {
  mutating func atom() throws(GQLError) -> GQLExpression {
    let start = position
    func made(_ kind: GQLExpression.Kind) -> GQLExpression { GQLExpression(kind, start) }
    switch token.kind {
    case .integer(let digits):
      guard let value = Int64(exactly: digits.magnitude) else {
        throw GQLError(
          .syntax, "IntegerOverflow", "“\(digits.magnitude)” is beyond the integers of 64 bits",
          at: start)
      }
      try advance()
      return made(.literal(.integer(value)))
    case .real(let value):
      try advance()
      return made(.literal(.real(value)))
    case .text(let text):
      try advance()
      return made(.literal(.text(text)))
    case .parameter(let name):
      try advance()
      return made(.parameter(name))
    case .sign(.open): return try parenthesis()
    case .sign(.openBracket): return try bracket()
    case .sign(.openBrace): return try map()
    case .word(let name, let isQuoted): return try word(name, isQuoted: isQuoted)
    default: throw unexpected("a value")
    }
  }

  private mutating func parenthesis() throws(GQLError) -> GQLExpression {
    let start = position
    if try isPatternAhead() {
      let pattern = try nested { parser throws(GQLError) in try parser.path() }
      return GQLExpression(.pattern(pattern), start)
    }
    try advance()
    let value = try expression()
    try expect(.close)
    // What stands in parentheses is one value for what follows: (a = b) = c is no chain.
    switch value.kind {
    case .comparison, .predicates, .arithmetic, .access, .literal:
      return GQLExpression(.all([value]), start)
    default: return value
    }
  }

  // MARK: - Lists

  private mutating func bracket() throws(GQLError) -> GQLExpression {
    let start = position
    try expect(.openBracket)
    if try take(.closeBracket) { return GQLExpression(.list([]), start) }
    if isVariable, try isFollowed(by: "IN"), try !isCommaAhead() {
      return try listComprehension(start)
    } else if isVariable, try following().kind == .sign(.equals), let value = try named(start) {
      return value
    } else if at(.open), try isPatternAhead() {
      let pattern = try nested { parser throws(GQLError) in try parser.path() }
      if at(.bar) || at("WHERE") { return try patternComprehension(pattern, start) }
      let first = GQLExpression(.pattern(pattern), start)
      return try rest(of: [first], start)
    }
    return try rest(of: [try expression()], start)
  }

  private mutating func rest(of first: [GQLExpression], _ start: GQLPosition) throws(GQLError)
    -> GQLExpression
  {
    var elements = first
    while try take(.comma) { elements.append(try expression()) }
    try expect(.closeBracket)
    return GQLExpression(.list(elements), start)
  }

  /// Reads `[x IN list WHERE condition | value]`.
  private mutating func listComprehension(_ start: GQLPosition) throws(GQLError) -> GQLExpression {
    guard let iteration = try iteration(beforeBar: true) else { throw unexpected("IN") }
    let projection = try take(.bar) ? try expression() : nil
    try expect(.closeBracket)
    return GQLExpression(.listComprehension(iteration, projection: projection), start)
  }

  /// Reads `[p = (a)-->(b) | value]`; nil if it is a list with a comparison.
  private mutating func named(_ start: GQLPosition) throws(GQLError) -> GQLExpression? {
    let begin = self
    let name = try variable()
    try advance()
    guard at(.open), try isPatternAhead(), try !isCommaAhead() else {
      self = begin
      return nil
    }
    var pattern = try nested { parser throws(GQLError) in try parser.path() }
    pattern.variable = name
    return try patternComprehension(pattern, start)
  }

  /// Returns whether the list that has begun has a comma of its own, before a `|` or `WHERE`. Only
  /// signs are looked at: reading one way and then the other would double the work at each level.
  private func isCommaAhead() throws(GQLError) -> Bool {
    var ahead = self
    var depth = 0
    while ahead.token.kind != .end {
      switch ahead.token.kind {
      case .sign(.open), .sign(.openBracket), .sign(.openBrace): depth += 1
      case .sign(.close), .sign(.closeBracket), .sign(.closeBrace): depth -= 1
      case .sign(.comma) where depth == 0: return true
      case .sign(.bar) where depth == 0: return false
      default: if depth == 0, ahead.at("WHERE") { return false }
      }
      if depth < 0 || depth > Self.depthMax { return false }
      try ahead.advance()
    }
    return false
  }

  private mutating func patternComprehension(_ pattern: GQLPathPattern, _ start: GQLPosition)
    throws(GQLError) -> GQLExpression
  {
    let filter = try take("WHERE") ? try expression(beforeBar: true) : nil
    try expect(.bar)
    let projection = try expression()
    try expect(.closeBracket)
    return GQLExpression(
      .patternComprehension(pattern, filter: filter, projection: projection), start)
  }

  /// Reads `x IN list WHERE condition`; nil if no list stands there.
  private mutating func iteration(beforeBar: Bool = false) throws(GQLError)
    -> GQLExpression.Iteration?
  {
    guard isVariable, try isFollowed(by: "IN") else { return nil }
    let name = try variable()
    try advance()
    let list = try expression()
    let filter = try take("WHERE") ? try expression(beforeBar: beforeBar) : nil
    return .init(variable: name, list: list, filter: filter)
  }

  // MARK: - Words

  private mutating func word(_ name: String, isQuoted: Bool) throws(GQLError) -> GQLExpression {
    let start = position
    if isQuoted { return try variableOrCall() }
    switch name.utf8.count <= 8 ? name.uppercased() : "" {
    case "NULL":
      try advance()
      return GQLExpression(.literal(.null), start)
    case "TRUE", "FALSE":
      let value = at("TRUE")
      try advance()
      return GQLExpression(.literal(.boolean(value)), start)
    case "CASE": return try choice()
    case "EXISTS", "COUNT", "COLLECT":
      if try following().kind == .sign(.openBrace) { return try subquery() }
    case "ALL", "ANY", "NONE", "SINGLE":
      if let value = try quantifier(name) { return value }
    case "REDUCE":
      if try following().kind == .sign(.open) { return try reduce() }
    default: break
    }
    return try variableOrCall()
  }

  private mutating func variableOrCall() throws(GQLError) -> GQLExpression {
    let start = position
    try refuseISOForms()
    if ["shortestpath", "allshortestpaths"].contains(where: { token.isWord($0.uppercased()) }),
      try following().kind == .sign(.open)
    {
      throw unsupported("shortestPath outside of MATCH")
    }
    if let function = try functionName() {
      try expect(.open)
      if function.lowercased() == "count", try take(.star) {
        try expect(.close)
        return GQLExpression(.countRows, start)
      }
      let isDistinct = try take("DISTINCT")
      let arguments =
        at(.close) ? [] : try list { parser throws(GQLError) in try parser.expression() }
      try expect(.close)
      return GQLExpression(
        .call(.init(name: function, isDistinct: isDistinct, arguments: arguments)), start)
    }
    guard isVariable else { throw unexpected("a value") }
    let variable = GQLExpression(.variable(try variable()), start)
    if at(.openBrace) { throw unsupported("a map projection (n {.name})") }
    return variable
  }

  /// Refuses forms of ISO GQL by their names, which would be read as a variable or a call.
  private func refuseISOForms() throws(GQLError) {
    guard case .word(let word, false) = token.kind else { return }
    let next = try following().kind
    switch (word.uppercased(), next) {
    case ("CAST", .sign(.open)): throw unsupported("CAST")
    case ("VALUE", .sign(.openBrace)): throw unsupported("VALUE with a subquery")
    case ("DATE", .text), ("TIME", .text), ("DATETIME", .text), ("TIMESTAMP", .text),
      ("DURATION", .text):
      throw unsupported("a literal \(word) '…' instead of the function")
    default: break
    }
  }

  /// Reads the name of a function if one is called here.
  private mutating func functionName() throws(GQLError) -> String? {
    var ahead = self
    var name = try ahead.name("a value")
    while ahead.at(.dot) {
      try ahead.advance()
      guard case .word = ahead.token.kind else { return nil }
      name += "." + (try ahead.name("the name of a function"))
    }
    guard ahead.at(.open) else { return nil }
    self = ahead
    return name
  }

  private mutating func choice() throws(GQLError) -> GQLExpression {
    let start = position
    try expect("CASE")
    let subject = at("WHEN") ? nil : try expression()
    var alternatives: [GQLExpression.Alternative] = []
    while try take("WHEN") {
      let condition = try expression()
      try expect("THEN")
      alternatives.append(.init(condition: condition, value: try expression()))
    }
    guard !alternatives.isEmpty else { throw unexpected("WHEN") }
    let otherwise = try take("ELSE") ? try expression() : nil
    try expect("END")
    return GQLExpression(.choice(subject: subject, alternatives, otherwise: otherwise), start)
  }

  private mutating func quantifier(_ name: String) throws(GQLError) -> GQLExpression? {
    guard let kind = GQLExpression.Quantifier(rawValue: name.lowercased()),
      try following().kind == .sign(.open)
    else { return nil }
    let start = position
    let begin = self
    try advance()
    try advance()
    guard let iteration = try iteration() else {
      self = begin
      return nil
    }
    try expect(.close)
    return GQLExpression(.quantifier(kind, iteration), start)
  }

  private mutating func reduce() throws(GQLError) -> GQLExpression {
    let start = position
    try advance()
    try expect(.open)
    let accumulator = try variable()
    try expect(.equals)
    let first = try expression()
    try expect(.comma)
    guard let iteration = try iteration(), iteration.filter == nil else {
      throw unexpected("a variable, IN and a list")
    }
    try expect(.bar)
    let step = try expression()
    try expect(.close)
    return GQLExpression(
      .reduce(accumulator: accumulator, start: first, iteration, step: step), start)
  }

  /// Reads `EXISTS { … }`, `COUNT { … }` or `COLLECT { … }`.
  private mutating func subquery() throws(GQLError) -> GQLExpression {
    let start = position
    let (isExists, isCount) = (at("EXISTS"), at("COUNT"))
    try advance()
    try expect(.openBrace)
    let query = try nested { parser throws(GQLError) in try parser.subqueryBody() }
    try expect(.closeBrace)
    return GQLExpression(
      isExists ? .exists(query) : isCount ? .count(query) : .collect(query), start)
  }

  /// Reads a query, or a pattern with a condition, which stands for a `MATCH`.
  private mutating func subqueryBody() throws(GQLError) -> GQLQuery {
    let place = Place(position)
    let isNamed = try following().kind == .sign(.equals)
    guard at(.open) || isVariable && isNamed else { return try query() }
    let patterns = try pathPatterns()
    let filter = try take("WHERE") ? try expression() : nil
    let match = GQLClause(
      kind: .match(isOptional: false, patterns, filter: filter), place: place)
    return GQLQuery(first: [match], place: place)
  }
}
