/// Patterns of nodes and relationships.
extension QueryParser {
  /// Reads a path, with its variable and search.
  mutating func pathPattern() throws(GQLError) -> GQLPathPattern {
    let start = position
    var variable: String?
    if isVariable, try following().kind == .sign(.equals) {
      variable = try self.variable()
      try advance()
    }
    var pattern = try searchedPath()
    pattern.variable = variable
    pattern.place = Place(start)
    return pattern
  }

  /// Reads `shortestPath(…)`, `ALL SHORTEST …` or a plain path.
  private mutating func searchedPath() throws(GQLError) -> GQLPathPattern {
    if case .word(let word, false) = token.kind, try following().kind == .sign(.open) {
      let search: GQLPathPattern.Search? =
        switch word.lowercased() {
        case "shortestpath": .shortest
        case "allshortestpaths": .allShortest
        default: nil
        }
      if let search {
        try advance()
        try expect(.open)
        var pattern = try path()
        try expect(.close)
        pattern.search = search
        return pattern
      }
    }
    if at("ANY") || at("ALL") || at("SHORTEST") { return try selectedPath() }
    for mode in ["WALK", "ACYCLIC", "SIMPLE"] where token.isWord(mode) {
      throw unsupported("the path mode \(mode)")
    }
    if at("TRAIL"), try following().kind == .sign(.open) { try advance() }
    return try path()
  }

  /// ISO's `ANY SHORTEST`, `ALL SHORTEST`.
  private mutating func selectedPath() throws(GQLError) -> GQLPathPattern {
    let isAll = at("ALL")
    if at("SHORTEST") { throw unsupported("SHORTEST with a number of paths") }
    try advance()
    guard try take("SHORTEST") else {
      if isAll, at(.open) { return try path() }
      throw unsupported("ANY without SHORTEST")
    }
    var pattern = try path()
    pattern.search = isAll ? .allShortest : .shortest
    return pattern
  }

  /// Reads nodes and relationships in turn.
  mutating func path() throws(GQLError) -> GQLPathPattern {
    let place = Place(position)
    var pattern = GQLPathPattern(nodes: [try node()], relationships: [], place: place)
    while at(.minus) || at(.less) || at(.tilde) {
      if at(.tilde) { throw unsupported("an undirected relationship (~)") }
      try countClause()
      pattern.relationships.append(try relationship())
      pattern.nodes.append(try node())
    }
    return pattern
  }

  private mutating func node() throws(GQLError) -> GQLNodePattern {
    let place = Place(position)
    try expect(.open)
    if at(.open) {
      throw unsupported("a quantified path of several relationships, ((…)-[…]->(…)){…},")
    }
    var node = GQLNodePattern(place: place)
    if isVariable, !at(.colon) { node.variable = try variable() }
    node.labels = try labels()
    node.properties = try properties()
    node.filter = try take("WHERE") ? try expression() : nil
    try expect(.close)
    return node
  }

  /// Reads a map or a parameter, if there is one.
  private mutating func properties() throws(GQLError) -> GQLExpression? {
    if at(.openBrace) { return try map() }
    guard case .parameter(let name) = token.kind else { return nil }
    let place = position
    try advance()
    return GQLExpression(.parameter(name), place)
  }

  private mutating func relationship() throws(GQLError) -> GQLRelationshipPattern {
    let place = Place(position)
    let isIncoming = try take(.less)
    try expect(.minus)
    var pattern = GQLRelationshipPattern(direction: .either, place: place)
    if try take(.openBracket) {
      if isVariable { pattern.variable = try variable() }
      pattern.types = try labels(ofRelationship: true)
      pattern.length = try starLength()
      pattern.properties = try properties()
      pattern.filter = try take("WHERE") ? try expression() : nil
      try expect(.closeBracket)
    }
    try expect(.minus)
    let isOutgoing = try take(.greater)
    pattern.direction = isIncoming == isOutgoing ? .either : isOutgoing ? .outgoing : .incoming
    if let length = try quantifier() {
      guard pattern.length == nil else { throw unexpected("a node") }
      pattern.length = length
    }
    return pattern
  }

  /// Reads `*`, `*2`, `*2..`, `*..3` or `*2..3`.
  private mutating func starLength() throws(GQLError) -> GQLRelationshipPattern.Length? {
    guard try take(.star) else {
      guard at(.range) else { return nil }
      throw GQLError(
        .syntax, "InvalidRelationshipPattern", "a path of variable length begins with “*”",
        at: position, hint: "Write -[*..3]->")
    }
    let least = try count()
    guard try take(.range) else {
      return .init(least: least ?? 1, most: least)
    }
    return .init(least: least ?? 1, most: try count())
  }

  /// Reads ISO's `{2,3}`, `{2}`, `+` or `*` behind a relationship.
  private mutating func quantifier() throws(GQLError) -> GQLRelationshipPattern.Length? {
    if try take(.plus) { return .init(least: 1, most: nil) }
    if try take(.star) { return .init(least: 0, most: nil) }
    if at(.question) { throw unsupported("an optional part of a path (?)") }
    guard try take(.openBrace) else { return nil }
    let least = try count()
    var most = least
    if try take(.comma) { most = try count() }
    try expect(.closeBrace)
    return .init(least: least ?? 0, most: most)
  }

  private mutating func count() throws(GQLError) -> Int? {
    guard case .integer(let digits) = token.kind else {
      if at(.minus) {
        throw GQLError(
          .syntax, "InvalidRelationshipPattern", "a path has no negative length", at: position)
      }
      return nil
    }
    try advance()
    return Int(clamping: digits.magnitude)
  }

  // MARK: - Labels

  /// Reads a condition on labels behind `:` or `IS`, if there is one.
  mutating func labels(ofRelationship: Bool = false) throws(GQLError) -> GQLLabels? {
    guard at(.colon) || at("IS") else { return nil }
    try advance()
    return try alternatives(ofRelationship)
  }

  private mutating func alternatives(_ ofRelationship: Bool) throws(GQLError) -> GQLLabels {
    var parts = [try conjunction(ofRelationship)]
    while try take(.bar) {
      _ = try take(.colon)
      parts.append(try conjunction(ofRelationship))
    }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction(_ ofRelationship: Bool) throws(GQLError) -> GQLLabels {
    var parts = [try label()]
    while at(.ampersand) || !ofRelationship && at(.colon) {
      try advance()
      parts.append(try label())
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func label() throws(GQLError) -> GQLLabels {
    if try take(.exclamation) {
      return .not(try nested { parser throws(GQLError) in try parser.label() })
    }
    if try take(.percent) { return .wildcard }
    if try take(.open) {
      let inner = try nested { parser throws(GQLError) in try parser.alternatives(false) }
      try expect(.close)
      return inner
    }
    return .name(try name("the name of a label"))
  }

  // MARK: - Looking ahead

  /// Returns whether a pattern with a relationship begins at the current parenthesis. Only the
  /// signs are looked at, so that nothing is read twice in depth.
  func isPatternAhead() throws(GQLError) -> Bool {
    var ahead = self
    try ahead.advance()
    guard ahead.at(.close) || ahead.at(.colon) || ahead.at(.openBrace) || ahead.isVariable else {
      return false
    }
    if ahead.isVariable {
      try ahead.advance()
      guard
        ahead.at(.close) || ahead.at(.colon) || ahead.at(.openBrace) || ahead.at("IS")
          || ahead.at("WHERE")
      else {
        if case .parameter = ahead.token.kind { return true }
        return false
      }
    }
    guard try ahead.skip(to: .close, .open) else { return false }
    _ = try ahead.take(.less)
    guard try ahead.take(.minus) else { return false }
    if ahead.at(.minus) { return true }
    guard ahead.at(.openBracket) else { return false }
    try ahead.advance()
    guard try ahead.skip(to: .closeBracket, .openBracket) else { return false }
    return ahead.at(.minus)
  }

  /// Passes over everything up to the sign that closes what is open, and over it.
  private mutating func skip(to close: GQLToken.Sign, _ open: GQLToken.Sign) throws(GQLError)
    -> Bool
  {
    var depth = 1
    while token.kind != .end {
      if at(open) { depth += 1 }
      if at(close) { depth -= 1 }
      try advance()
      if depth == 0 { return true }
      if depth > Self.depthMax { throw tooDeep }
    }
    return false
  }
}
