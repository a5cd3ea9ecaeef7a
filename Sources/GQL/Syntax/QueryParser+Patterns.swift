/// Patterns of nodes and relationships.
extension QueryParser {
  /// Reads the patterns of a clause. Each but the first counts like a clause.
  mutating func pathPatterns() throws(GQLError) -> [GQLPathPattern] {
    var patterns = [try pathPattern()]
    while try take(.comma) {
      try countClause()
      patterns.append(try pathPattern())
    }
    return patterns
  }

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
    var pattern = GQLPathPattern(
      nodes: [try nodeBesideGroup()], relationships: [], place: place)
    while true {
      if at(.minus) || at(.less) || at(.tilde) {
        if at(.tilde) { throw unsupported("an undirected relationship (~)") }
        try countClause()
        pattern.relationships.append(try relationship())
        pattern.nodes.append(try node())
      } else if try isGroupAhead() {
        try countClause()
        pattern.relationships.append(
          try nested { parser throws(GQLError) in try parser.group() })
        pattern.nodes.append(at(.open) ? try nodeBesideGroup() : unnamedNode)
      } else {
        return pattern
      }
    }
  }

  private func isGroupAhead() throws(GQLError) -> Bool {
    guard at(.open) else { return false }
    return try following().kind == .sign(.open)
  }

  /// A node without a variable, labels or properties.
  private var unnamedNode: GQLNodePattern { GQLNodePattern(place: Place(position)) }

  /// Reads a node. If a repeated part follows at once, the node is one without a variable.
  private mutating func nodeBesideGroup() throws(GQLError) -> GQLNodePattern {
    if try isGroupAhead() { return unnamedNode }
    return try node()
  }

  /// Reads a part of a path that is repeated: `((a)-[r]->(b) WHERE a.x < b.x){1,3}`.
  private mutating func group() throws(GQLError) -> GQLRelationshipPattern {
    let place = Place(position)
    try expect(.open)
    let path = try path()
    guard !path.relationships.isEmpty else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "what is repeated in a path has a relationship",
        at: place.position)
    }
    if let inner = path.relationships.first(where: { $0.length != nil }) {
      throw GQLError(
        .unsupported, "UnsupportedFeature",
        "a quantifier within a quantified path is a feature that this version does not have",
        at: inner.position)
    }
    let filter = try take("WHERE") ? try expression() : nil
    try expect(.close)
    guard let length = try quantifier() else {
      throw unsupported("a part of a path in parentheses without a quantifier,")
    }
    return GQLRelationshipPattern(
      direction: .outgoing, length: length, filter: filter, group: path, place: place)
  }

  private mutating func node() throws(GQLError) -> GQLNodePattern {
    let place = Place(position)
    try expect(.open)
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
    return pattern.filter != nil && pattern.length != nil ? repeated(pattern) : pattern
  }

  /// A path of variable length each of whose relationships meets a condition is a part that is
  /// repeated.
  private func repeated(_ pattern: GQLRelationshipPattern) -> GQLRelationshipPattern {
    var one = pattern
    (one.length, one.filter) = (nil, nil)
    let nodes = [GQLNodePattern(place: one.place), GQLNodePattern(place: one.place)]
    return GQLRelationshipPattern(
      direction: .outgoing, length: pattern.length, filter: pattern.filter,
      group: GQLPathPattern(nodes: nodes, relationships: [one], place: one.place),
      place: one.place)
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
  /// - Parameter takesChoices: whether `|` is a choice; else it belongs to what stands around.
  mutating func labels(ofRelationship: Bool = false, takesChoices: Bool = true) throws(GQLError)
    -> GQLLabels?
  {
    guard at(.colon) || at("IS") else { return nil }
    try advance()
    return takesChoices ? try alternatives(ofRelationship) : try conjunction(ofRelationship)
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
    return .name(try filledName("the name of a label"))
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
