/// Statements about the session, schemas, graphs and indexes.
extension QueryParser {
  mutating func sessionChange() throws(GQLError) -> GQLStatement.SessionChange {
    try expect("SESSION")
    if try take("RESET") {
      _ = try take("ALL")
      if token.isWord("CHARACTERISTICS") { try advance() }
      if token.kind != .end, !at(.semicolon) { throw unsupported("SESSION RESET of one setting") }
      return .reset
    }
    if try take("CLOSE") { return .close }
    guard try take("SET") else { throw unexpected("SET, RESET or CLOSE") }
    if try take("SCHEMA") { return .schema(try catalogName()) }
    _ = try take("PROPERTY")
    if try take("GRAPH") { return .graph(try catalogName()) }
    throw unsupported("SESSION SET \(token.shown)")
  }

  mutating func catalogChange(creates: Bool) throws(GQLError) -> GQLStatement.CatalogChange {
    try advance()
    if at("OR") { throw unsupported("CREATE OR REPLACE") }
    if try take("SCHEMA") {
      let flag = try existence(creates)
      let name = try catalogName()
      let late = flag ? flag : try existence(creates)
      return creates
        ? .createSchema(name, ifNotExists: late) : .dropSchema(name, ifExists: late)
    }
    _ = try take("PROPERTY")
    if try take("GRAPH") {
      if token.isWord("TYPE"), case .word = try following().kind {
        throw unsupported("a graph type")
      }
      let flag = try existence(creates)
      let name = try catalogName()
      let late = flag ? flag : try existence(creates)
      guard creates else { return .dropGraph(name, ifExists: late) }
      try openType()
      return .createGraph(name, ifNotExists: late)
    }
    if try take("INDEX") {
      let flag = try existence(creates)
      let target = try indexTarget()
      return creates
        ? .createIndex(target, ifNotExists: flag) : .dropIndex(target, ifExists: flag)
    }
    throw unexpected("SCHEMA, GRAPH or INDEX")
  }

  /// Reads `IF NOT EXISTS` or `IF EXISTS`.
  private mutating func existence(_ creates: Bool) throws(GQLError) -> Bool {
    guard try take("IF") else { return false }
    if creates { try expect("NOT") }
    try expect("EXISTS")
    return true
  }

  /// Reads `ANY` or `TYPED ANY`, which say that the graph is open.
  private mutating func openType() throws(GQLError) {
    let isTyped = try take("TYPED")
    if try take("ANY") {
      _ = try take("PROPERTY")
      _ = try take("GRAPH")
    } else if isTyped || at(.colon) || at("LIKE") || at("AS") {
      throw unsupported("a graph of a type")
    }
  }

  /// Reads `/schema/graph`, `/schema` or `graph`.
  mutating func catalogName() throws(GQLError) -> GQLName {
    let place = Place(position)
    let isAbsolute = try take(.slash)
    var parts = [try name("a name")]
    while at(.slash) || at(.dot) {
      try advance()
      parts.append(try name("a name"))
    }
    guard parts.count <= 2 else {
      throw GQLError(
        .unsupported, "UnsupportedFeature",
        "a schema within a schema is a feature that this "
          + "version does not have", at: place.position)
    }
    return GQLName(isAbsolute: isAbsolute, parts: parts, place: place)
  }

  /// Reads `[name] FOR (n:Label) ON (n.property)`, with a relationship as an alternative.
  private mutating func indexTarget() throws(GQLError) -> GQLStatement.IndexTarget {
    let place = Place(position)
    if !at("FOR") { throw unsupported("a name of an index") }
    try expect("FOR")
    let pattern = try pathPattern()
    let isOfRelationships = !pattern.relationships.isEmpty
    let labels = isOfRelationships ? pattern.relationships[0].types : pattern.nodes[0].labels
    guard case .name(let label)? = labels, pattern.relationships.count <= 1 else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "an index is about one label or one type", at: place.position)
    }
    try expect("ON")
    try expect(.open)
    let value = try expression()
    guard let (_, property) = value.splitProperty else { throw unexpected("one property") }
    if at(.comma) { throw unsupported("an index of several properties") }
    try expect(.close)
    return GQLStatement.IndexTarget(
      isOfRelationships: isOfRelationships, label: label, property: property, place: place)
  }
}
