import DaybookProjections

/// Makes a statement of the text of a query, by recursive descent.
///
/// The functions are named after what they read. Each begins at the current token and ends at the
/// first one that is not part of it.
struct QueryParser {
  /// How deep parentheses, lists, maps, calls and subqueries may stand in each other. Threads of
  /// apps have stacks of half a megabyte.
  static let depthMax = 128
  /// How many clauses that read, and how many relationships of their patterns, a statement may
  /// have. Each is a step of the plan, and steps call each other.
  static let clauseCountMax = 1_000
  /// The same of clauses that change the graph, whose steps run one after the other.
  static let changeCountMax = 20_000

  var lexer: GQLLexer
  var token: GQLToken
  /// The offset behind the last token that was read.
  var lastEnd = 0
  private var depth = 0
  private var clauseCount = 0
  private var changeCount = 0
  /// Whether a `|` ends the expression that is being read, and is no choice of labels in it.
  var isBeforeBar = false
  /// Whether the clause that is being read changes the graph.
  var isChange = false

  /// Begins to read a text.
  init(_ text: String) throws(GQLError) {
    lexer = GQLLexer(text)
    token = try lexer.next()
  }

  /// Reads one statement, which may end with a semicolon.
  static func statement(_ text: String) throws(GQLError) -> GQLStatement {
    var parser = try QueryParser(text)
    let statement = try parser.statement()
    _ = try parser.take(.semicolon)
    guard parser.token.kind == .end else { throw parser.unexpected("the end of the query") }
    return statement
  }

  // MARK: - Tokens

  var position: GQLPosition { token.position }

  mutating func advance() throws(GQLError) {
    lastEnd = token.end
    token = try lexer.next()
  }

  func at(_ sign: GQLToken.Sign) -> Bool { token.kind == .sign(sign) }

  func at(_ word: StaticString) -> Bool { token.isKeyword(word) }

  /// Returns whether the next token, behind the current one, is this keyword.
  func isFollowed(by words: StaticString...) throws(GQLError) -> Bool {
    let next = try following()
    return words.contains { next.isKeyword($0) }
  }

  /// The token behind the current one.
  func following() throws(GQLError) -> GQLToken {
    var copy = lexer
    return try copy.next()
  }

  mutating func take(_ sign: GQLToken.Sign) throws(GQLError) -> Bool {
    guard at(sign) else { return false }
    try advance()
    return true
  }

  mutating func take(_ word: StaticString) throws(GQLError) -> Bool {
    guard at(word) else { return false }
    try advance()
    return true
  }

  mutating func expect(_ sign: GQLToken.Sign) throws(GQLError) {
    guard try take(sign) else { throw unexpected("“\(sign.rawValue)”") }
  }

  mutating func expect(_ word: StaticString) throws(GQLError) {
    guard try take(word) else { throw unexpected("\(word)") }
  }

  func unexpected(_ wanted: String) -> GQLError {
    GQLError(
      .syntax, "UnexpectedSyntax", "\(token.shown) stands where \(wanted) is expected",
      at: position, hint: misspelling)
  }

  /// A question about the word of a clause that the current one may be.
  private var misspelling: String? {
    guard case .word(let name, isQuoted: false) = token.kind,
      let word = NameSuggestion.nearest(to: name, among: Self.clauseWords),
      !name.lowercased().hasPrefix(word.lowercased())
    else { return nil }
    return "Did you mean \(word)?"
  }

  private static let clauseWords = [
    "MATCH", "OPTIONAL", "WHERE", "RETURN", "WITH", "UNWIND", "CREATE", "INSERT", "MERGE", "SET",
    "REMOVE", "DELETE", "DETACH", "ORDER", "LIMIT", "UNION", "CALL", "YIELD", "FOREACH", "FILTER",
    "EXPLAIN", "SESSION",
  ]

  /// Reads something that may hold itself.
  mutating func nested<T>(_ body: (inout QueryParser) throws(GQLError) -> T) throws(GQLError) -> T {
    guard depth < Self.depthMax else { throw tooDeep }
    depth += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  var tooDeep: GQLError {
    GQLError(
      .syntax, "NestingTooDeep", "the query is nested more than \(Self.depthMax) deep",
      at: position, hint: "Name parts of it by WITH, or give values as parameters")
  }

  /// Counts a clause or relationship.
  mutating func countClause() throws(GQLError) {
    if isChange { changeCount += 1 } else { clauseCount += 1 }
    let most = isChange ? Self.changeCountMax : Self.clauseCountMax
    guard (isChange ? changeCount : clauseCount) <= most else {
      throw GQLError(
        .syntax, "TooManyClauses", "the query has more than \(most) clauses and relationships",
        at: position, hint: "Give lists as parameters, and UNWIND them")
    }
  }

  // MARK: - Names

  /// Reads the name of a label, type, property, function or procedure, which may be a keyword.
  mutating func name(_ what: String) throws(GQLError) -> String {
    guard case .word(let name, _) = token.kind else { throw unexpected(what) }
    try advance()
    return name
  }

  /// Reads a name that is not empty. A key of a map may be.
  mutating func filledName(_ what: String) throws(GQLError) -> String {
    guard case .word("", _) = token.kind else { return try name(what) }
    throw GQLError(.syntax, "UnexpectedSyntax", "\(what) is empty", at: position)
  }

  /// Reads the name of a variable.
  mutating func variable() throws(GQLError) -> String {
    guard isVariable else { throw unexpected("the name of a variable") }
    return try filledName("the name of a variable")
  }

  /// Whether the current token can name a variable.
  var isVariable: Bool {
    guard case .word(let name, let isQuoted) = token.kind else { return false }
    return isQuoted || !Self.isReserved(name)
  }

  static func isReserved(_ name: String) -> Bool {
    name.utf8.count <= 8 && reserved.contains(name.uppercased())
  }

  /// The keywords that no variable can have as its name without backticks.
  private static let reserved: Set<String> = [
    "AND", "OR", "XOR", "NOT", "IN", "IS", "STARTS", "ENDS", "CONTAINS", "AS", "ASC", "DESC",
    "MATCH", "OPTIONAL", "WHERE", "RETURN", "WITH", "UNWIND", "CREATE", "INSERT", "MERGE", "SET",
    "REMOVE", "DELETE", "DETACH", "ORDER", "BY", "SKIP", "LIMIT", "UNION", "CASE", "WHEN", "THEN",
    "ELSE", "END", "NULL", "TRUE", "FALSE", "DISTINCT", "CALL", "YIELD", "ON",
  ]

  /// Reads a list of things between commas.
  mutating func list<T>(_ element: (inout QueryParser) throws(GQLError) -> T) throws(GQLError)
    -> [T]
  {
    var elements = [try element(&self)]
    while try take(.comma) { elements.append(try element(&self)) }
    return elements
  }
}
