/// Statements and their clauses.
extension QueryParser {
  mutating func statement() throws(GQLError) -> GQLStatement {
    if try take("EXPLAIN") {
      if at("AT"), try isFollowed(by: "TIME") {
        throw GQLError(
          .unsupported, "UnsupportedFeature",
          "EXPLAIN of a query of the past is a feature that this version does not have",
          at: position, hint: "Leave AT TIME out: the plan of the present is the same")
      }
      if try isCatalogChange { throw unsupported("EXPLAIN of a statement without a plan") }
      return .explain(try query())
    }
    if at("AT"), try isFollowed(by: "TIME") {
      try advance()
      try advance()
      let time = try expression()
      guard try !isCatalogChange else {
        throw GQLError(
          .readOnly, "ReadOnly", "the statement writes, and the past does not change",
          at: position, hint: "Leave AT TIME out")
      }
      return .past(time, try query())
    }
    for word in ["PROFILE", "SHOW", "SELECT"] where token.isWord(word) { throw unsupported(word) }
    if at("SESSION") { return .session(try sessionChange()) }
    if try isCatalogChange { return .catalog(try catalogChange(creates: at("CREATE"))) }
    if at("CREATE"), try isFollowed(by: "CONSTRAINT", "UNIQUE") {
      throw unsupported("a constraint")
    }
    if at("CREATE"), case .word(let kind, false) = try following().kind {
      var ahead = self
      try ahead.advance()
      if try ahead.isFollowed(by: "INDEX") { throw unsupported("an index of the kind \(kind)") }
    }
    for word in ["START", "BEGIN", "COMMIT", "ROLLBACK"] where token.isWord(word) {
      throw unsupported("a transaction of several statements (\(word))")
    }
    return .query(try query())
  }

  /// Whether a statement about schemas, graphs or indexes begins here.
  private var isCatalogChange: Bool {
    get throws(GQLError) {
      if at("DROP") { return true }
      guard at("CREATE") else { return false }
      return try isFollowed(by: "SCHEMA", "GRAPH", "PROPERTY", "INDEX", "OR")
    }
  }

  func unsupported(_ feature: String) -> GQLError {
    GQLError(
      .unsupported, "UnsupportedFeature", "\(feature) is a feature that this version does not have",
      at: position, hint: "docs/gql.md lists what there is")
  }

  // MARK: - Queries

  /// Reads a query, with all its unions.
  mutating func query() throws(GQLError) -> GQLQuery {
    let place = Place(position)
    var query = GQLQuery(first: try clauses(), place: place)
    while at("UNION") {
      let place = Place(position)
      try advance()
      let keepsAll = try take("ALL")
      if !keepsAll { _ = try take("DISTINCT") }
      query.others.append(.init(keepsAll: keepsAll, clauses: try clauses(), place: place))
    }
    for word in ["EXCEPT", "INTERSECT", "OTHERWISE"] where token.isWord(word) {
      throw unsupported(word)
    }
    return query
  }

  private mutating func clauses() throws(GQLError) -> [GQLClause] {
    var clauses: [GQLClause] = []
    while let clause = try clause() {
      if at("NEXT") {
        guard case .result(let projection) = clause.kind else { throw unexpected("RETURN") }
        try advance()
        // The rows of one statement are the variables of the next.
        clauses.append(
          GQLClause(kind: .with(projection.named, filter: nil), place: clause.place))
      } else {
        clauses.append(clause)
      }
    }
    guard !clauses.isEmpty else { throw unexpected("a clause, such as MATCH,") }
    return clauses
  }

  /// The words that begin a clause whose patterns are created, and not looked for.
  private static let changes: Set<String> = ["CREATE", "INSERT", "SET", "REMOVE"]

  /// Reads a clause; returns nil if none begins here.
  private mutating func clause() throws(GQLError) -> GQLClause? {
    guard case .word(let word, false) = token.kind else { return nil }
    let place = Place(position)
    let keyword = word.utf8.count <= 8 ? word.uppercased() : ""
    isChange = Self.changes.contains(keyword)
    try countClause()
    let kind: GQLClause.Kind
    switch keyword {
    case "MATCH": kind = try match(isOptional: false)
    case "OPTIONAL":
      try advance()
      guard at("MATCH") else {
        if at("CALL") { throw unsupported("OPTIONAL CALL") }
        throw unexpected("MATCH")
      }
      kind = try match(isOptional: true)
    case "UNWIND": kind = try unwind()
    case "WITH":
      try advance()
      let projection = try projection()
      kind = .with(projection, filter: try take("WHERE") ? try expression() : nil)
    case "RETURN":
      try advance()
      kind = .result(try projection())
    case "FINISH":
      try advance()
      kind = .finish
    case "CREATE", "INSERT":
      try advance()
      kind = .create(try pathPatterns())
    case "MERGE": kind = try merge()
    case "SET":
      try advance()
      kind = .set(try list { parser throws(GQLError) in try parser.setItem() })
    case "REMOVE":
      try advance()
      kind = .remove(try list { parser throws(GQLError) in try parser.removeItem() })
    case "DELETE", "DETACH", "NODETACH": kind = try delete()
    case "CALL": kind = try call()
    case "FILTER": kind = try filter()
    case "LET": kind = try assignments()
    case "FOR": kind = try forEachElement()
    case "FOREACH": kind = try forEachChange()
    case "LOAD": throw unsupported("LOAD CSV")
    case "USE": throw unsupported("USE")
    default: return nil
    }
    return GQLClause(kind: kind, place: place)
  }

  private mutating func match(isOptional: Bool) throws(GQLError) -> GQLClause.Kind {
    try expect("MATCH")
    try matchMode()
    let patterns = try pathPatterns()
    if at("USING") { throw unsupported("a hint of a plan (USING)") }
    let filter = try take("WHERE") ? try expression() : nil
    return .match(isOptional: isOptional, patterns, filter: filter)
  }

  /// Reads ISO's `DIFFERENT EDGES`, which every pattern means.
  private mutating func matchMode() throws(GQLError) {
    guard token.isWord("DIFFERENT") || token.isWord("REPEATABLE"),
      case .word(let next, false) = try following().kind
    else { return }
    if token.isWord("REPEATABLE") { throw unsupported("REPEATABLE ELEMENTS") }
    guard ["EDGE", "EDGES", "RELATIONSHIP", "RELATIONSHIPS"].contains(next.uppercased()) else {
      return
    }
    try advance()
    try advance()
    if token.isWord("BINDINGS") { try advance() }
  }

  private mutating func unwind() throws(GQLError) -> GQLClause.Kind {
    try expect("UNWIND")
    let list = try expression()
    try expect("AS")
    return .unwind(list, variable: try variable())
  }

  private mutating func merge() throws(GQLError) -> GQLClause.Kind {
    try expect("MERGE")
    let pattern = try pathPattern()
    var (onCreate, onMatch): ([GQLClause.SetItem], [GQLClause.SetItem]) = ([], [])
    while try take("ON") {
      let creates = at("CREATE")
      guard creates || at("MATCH") else { throw unexpected("CREATE or MATCH") }
      try advance()
      try expect("SET")
      let items = try list { parser throws(GQLError) in try parser.setItem() }
      if creates { onCreate += items } else { onMatch += items }
    }
    return .merge(pattern, onCreate: onCreate, onMatch: onMatch)
  }

  private mutating func delete() throws(GQLError) -> GQLClause.Kind {
    let isDetaching = try take("DETACH")
    if !isDetaching { _ = try take("NODETACH") }
    try expect("DELETE")
    return .delete(
      isDetaching: isDetaching, try list { parser throws(GQLError) in try parser.expression() })
  }

  // MARK: - Changes

  private mutating func setItem() throws(GQLError) -> GQLClause.SetItem {
    let place = Place(position)
    let target = try postfix(takesLabels: false)
    if at(.colon) || at("IS") {
      guard case .variable(let name) = target.kind else { throw unexpected("“=”") }
      return .labels(name, try labelNames(), place)
    }
    if try take(.plusEquals) {
      guard case .variable(let name) = target.kind else { throw unexpected("“=”") }
      return .merge(name, try expression(), place)
    }
    switch target.kind {
    case .variable(let name):
      try expect(.equals)
      return .replace(name, try expression(), place)
    default:
      guard let (owner, property) = target.splitProperty else {
        if case .access(_, let accessors) = target.kind, case .element? = accessors.last {
          throw unsupported("SET of a property whose name is a value")
        }
        throw GQLError(
          .syntax, "UnexpectedSyntax", "SET takes a property, a variable or labels",
          at: place.position)
      }
      try expect(.equals)
      return .property(owner, property, try expression(), place)
    }
  }

  private mutating func removeItem() throws(GQLError) -> GQLClause.RemoveItem {
    let place = Place(position)
    let target = try postfix(takesLabels: false)
    if at(.colon) || at("IS") {
      guard case .variable(let name) = target.kind else { throw unexpected("a property") }
      return .labels(name, try labelNames(), place)
    }
    guard let (owner, property) = target.splitProperty else {
      throw GQLError(
        .syntax, "UnexpectedSyntax", "REMOVE takes a property or labels", at: place.position)
    }
    return .property(owner, property, place)
  }

  /// Reads `:A:B`, `:A&B` or `IS A`.
  private mutating func labelNames() throws(GQLError) -> [String] {
    var names: [String] = []
    while at(.colon) || at(.ampersand) || at("IS") {
      try advance()
      names.append(try filledName("the name of a label"))
    }
    return names
  }

  // MARK: - Projections

  /// Reads what follows `WITH` or `RETURN`.
  private mutating func projection() throws(GQLError) -> GQLProjection {
    var projection = GQLProjection()
    projection.isDistinct = try take("DISTINCT")
    // The quantifier `all(…)` begins in the same way.
    if !projection.isDistinct, at("ALL"), try following().kind != .sign(.open) { try advance() }
    if try take(.star) {
      projection.takesAll = true
      if try take(.comma) {
        projection.items = try list { parser throws(GQLError) in try parser.item() }
      }
    } else {
      projection.items = try list { parser throws(GQLError) in try parser.item() }
    }
    if at("GROUP") { throw unsupported("GROUP BY") }
    if try take("ORDER") {
      try expect("BY")
      projection.order = try list { parser throws(GQLError) in try parser.order() }
    }
    if at("SKIP") || at("OFFSET") {
      try advance()
      projection.skip = try expression()
    }
    if try take("LIMIT") { projection.limit = try expression() }
    return projection
  }

  private mutating func item() throws(GQLError) -> GQLProjection.Item {
    let start = position.offset
    let value = try expression()
    let text = String(decoding: lexer.bytes[start..<lastEnd], as: UTF8.self)
    let alias = try take("AS") ? try variable() : nil
    return GQLProjection.Item(value: value, alias: alias, text: text)
  }

  private mutating func order() throws(GQLError) -> GQLProjection.Order {
    let value = try expression()
    let isDescending = at("DESC") || at("DESCENDING")
    if isDescending || at("ASC") || at("ASCENDING") { try advance() }
    if at("NULLS") { throw unsupported("NULLS FIRST and NULLS LAST") }
    return GQLProjection.Order(value: value, isDescending: isDescending)
  }

  // MARK: - ISO's clauses

  /// `FILTER WHERE condition`: a `WITH *` that filters.
  private mutating func filter() throws(GQLError) -> GQLClause.Kind {
    try advance()
    _ = try take("WHERE")
    var all = GQLProjection()
    all.takesAll = true
    return .with(all, filter: try expression())
  }

  /// `LET x = value, …`: a `WITH *, value AS x`.
  private mutating func assignments() throws(GQLError) -> GQLClause.Kind {
    try advance()
    var all = GQLProjection()
    all.takesAll = true
    all.items = try list { parser throws(GQLError) in
      let name = try parser.variable()
      try parser.expect(.equals)
      return GQLProjection.Item(value: try parser.expression(), alias: name, text: name)
    }
    return .with(all, filter: nil)
  }

  /// `FOR x IN list`: an `UNWIND`.
  private mutating func forEachElement() throws(GQLError) -> GQLClause.Kind {
    try advance()
    let name = try variable()
    try expect("IN")
    let list = try expression()
    if at("WITH"), try isFollowed(by: "ORDINALITY", "OFFSET") {
      throw unsupported("FOR … WITH ORDINALITY")
    }
    return .unwind(list, variable: name)
  }

  private mutating func forEachChange() throws(GQLError) -> GQLClause.Kind {
    try expect("FOREACH")
    try expect(.open)
    let name = try variable()
    try expect("IN")
    let list = try expression()
    try expect(.bar)
    let changes = try nested { parser throws(GQLError) in try parser.clauses() }
    if let other = changes.first(where: { !$0.isChange }) {
      throw GQLError(
        .syntax, "InvalidClauseComposition",
        "FOREACH has only CREATE, MERGE, SET, REMOVE, DELETE and FOREACH in it",
        at: other.position, hint: "UNWIND the list instead")
    }
    try expect(.close)
    return .forEach(variable: name, list, changes)
  }

  // MARK: - Procedures

  private mutating func call() throws(GQLError) -> GQLClause.Kind {
    try expect("CALL")
    if at(.openBrace) || at(.open) { throw unsupported("CALL with a subquery") }
    var call = GQLProcedureCall(name: try name("the name of a procedure"))
    while try take(.dot) { call.name += "." + (try name("the name of a procedure")) }
    if try take(.open) {
      call.arguments =
        at(.close) ? [] : try list { parser throws(GQLError) in try parser.expression() }
      try expect(.close)
    }
    guard try take("YIELD") else { return .call(call) }
    if try take(.star) {
      call.takesAll = true
    } else {
      call.yields = try list { parser throws(GQLError) in
        let place = Place(parser.position)
        let field = try parser.name("the name of a result")
        let variable = try parser.take("AS") ? try parser.variable() : field
        return GQLProcedureCall.Yield(field: field, variable: variable, place: place)
      }
    }
    if try take("WHERE") { call.filter = try expression() }
    return .call(call)
  }
}

extension GQLProjection {
  /// The projection with an alias for each item, as the next statement sees it.
  var named: GQLProjection {
    var copy = self
    for index in copy.items.indices where copy.items[index].alias == nil {
      copy.items[index].alias = copy.items[index].text
    }
    return copy
  }
}

extension GQLToken {
  /// Whether the token is this keyword, which has to be in upper case here.
  func isWord(_ word: String) -> Bool {
    guard case .word(let name, false) = kind, name.utf8.count == word.utf8.count else {
      return false
    }
    return name.uppercased() == word
  }
}
