/// A text of several statements, between semicolons.
package enum GQLScript {
  /// Returns the statements of a text, without what is empty.
  /// - Throws: ``GQLError`` for what is no word, number or sign.
  package static func statements(_ text: String) throws -> [String] {
    var lexer = GQLLexer(text)
    var statements: [String] = []
    var start = 0
    var hasTokens = false
    while true {
      let token = try lexer.next()
      if token.kind == .sign(.semicolon) || token.kind == .end {
        let end = token.kind == .end ? lexer.bytes.count : token.position.offset
        if hasTokens {
          statements.append(String(decoding: lexer.bytes[start..<end], as: UTF8.self))
        }
        if token.kind == .end { return statements }
        start = token.end
        hasTokens = false
      } else {
        hasTokens = true
      }
    }
  }
}
