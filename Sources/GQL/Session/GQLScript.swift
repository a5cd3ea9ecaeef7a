/// A text of several statements, between semicolons.
package enum GQLScript {
  /// A statement, and where it begins in the text.
  package struct Statement {
    package var text: String
    package var start: GQLPosition
  }

  /// Returns the statements of a text, without what is empty.
  /// - Throws: ``GQLError`` for what is no word, number or sign.
  package static func statements(_ text: String) throws(GQLError) -> [Statement] {
    let parts = try parts(text)
    return parts.statements + (parts.rest.text.isEmpty ? [] : [parts.rest])
  }

  /// Returns the statements of a text that a semicolon ends, and what follows the last semicolon;
  /// empty if only spaces and comments do.
  /// - Throws: ``GQLError`` for what is no word, number or sign.
  package static func parts(_ text: String) throws(GQLError) -> (
    statements: [Statement], rest: Statement
  ) {
    var lexer = GQLLexer(text)
    var statements: [Statement] = []
    var start = GQLPosition(line: 1, column: 1, offset: 0)
    var hasTokens = false
    while true {
      let token = try lexer.next()
      guard token.kind == .sign(.semicolon) || token.kind == .end else {
        hasTokens = true
        continue
      }
      let isEnd = token.kind == .end
      let end = isEnd ? lexer.bytes.count : token.position.offset
      let part = Statement(
        text: hasTokens ? String(decoding: lexer.bytes[start.offset..<end], as: UTF8.self) : "",
        start: start)
      if isEnd { return (statements, part) }
      if hasTokens { statements.append(part) }
      start = GQLPosition(
        line: token.position.line, column: token.position.column + 1, offset: token.end)
      hasTokens = false
    }
  }
}

extension GQLSession {
  /// The words of the language, the functions and the procedures: what a person may type in a
  /// statement besides names of the graph.
  package static var words: [String] {
    GQLLexer.keywords + GQLFunction.all.map(\.name) + Aggregate.allCases.map(\.rawValue)
      + GQLProcedure.all.map(\.name)
  }
}

extension GQLLexer {
  fileprivate static let keywords = [
    "ALL", "AND", "AS", "ASC", "AT TIME", "BY", "CALL", "CASE", "CONTAINS", "CREATE", "DELETE",
    "DESC", "DETACH", "DISTINCT", "DROP", "ELSE", "END", "ENDS WITH", "EXISTS", "EXPLAIN", "FALSE",
    "FILTER", "FOR", "FOREACH", "GRAPH", "IN", "INDEX", "INSERT", "IS", "LET", "LIMIT", "MATCH",
    "MERGE", "NEXT", "NOT", "NULL", "ON", "OPTIONAL", "OR", "ORDER", "REMOVE", "RETURN", "SCHEMA",
    "SESSION", "SET", "SKIP", "STARTS WITH", "THEN", "TRUE", "UNION", "UNWIND", "WHEN", "WHERE",
    "WITH", "XOR", "YIELD",
  ]
}
