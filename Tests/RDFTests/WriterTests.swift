import DaybookRDF
import Testing

/// What is written is read again as the same statements.
@Suite struct WriterTests {
  private let x = "http://x/"

  @Test("Turtle says once what statements in a row have in common")
  func turtle() throws {
    let text = """
      @prefix : <http://x/> .
      :a a :C ; :p 1 , "b"@en , 1.5 , true , 1e0 , "c"^^:d . :b :p :a.b , <http://y/z> , _:n .
      """
    let statements = try Reading.statements(text)
    #expect(
      try RDFWriter.text(statements, .turtle, prefixes: ["": IRI(x)]) == """
        @prefix : <http://x/> .

        :a a :C ;
          :p 1 ,
            "b"@en ,
            1.5 ,
            true ,
            1e0 ,
            "c"^^:d .
        :b :p <http://x/a.b> ,
            <http://y/z> ,
            _:n .

        """)
  }

  @Test("TriG puts statements in a row into one graph")
  func trig() throws {
    let statements = try Reading.statements(
      "<a:1> <a:p> 1 . <a:g> { <a:1> <a:p> 1 . <a:2> <a:p> 2 } _:h { <a:2> <a:p> 2 } "
        + "<a:3> <a:p> 3 .",
      .trig)
    #expect(
      try RDFWriter.text(statements, .trig) == """
        <a:1> <a:p> 1 .
        <a:g> {
        <a:1> <a:p> 1 .
        <a:2> <a:p> 2 .
        }
        _:h {
        <a:2> <a:p> 2 .
        }
        <a:3> <a:p> 3 .

        """)
  }

  @Test("lines are canonical: only what must be is escaped")
  func lines() throws {
    let literal = RDFLiteral("a\"\\\n\r\t\u{0}é")
    let statement = RDFStatement(.iri(try IRI("a:b")), try IRI("a:c"), .literal(literal))
    #expect(
      try RDFWriter.text([statement], .ntriples)
        == "<a:b> <a:c> \"a\\\"\\\\\\n\\r\t\u{0}é\" .\n")
  }

  @Test("a graph in a format that has none is an error, and nothing of it is written")
  func noGraphs() throws {
    let name = RDFSubject.iri(try IRI("a:b"))
    let statement = RDFStatement(name, try IRI("a:c"), RDFTerm(name), in: name)
    for format in [RDFFormat.turtle, .ntriples] {
      #expect { try RDFWriter.text([statement], format) } throws: {
        ($0 as? RDFError)?.code == .noGraphs
      }
    }
  }

  @Test("a prefix that is none is an error", arguments: ["a b", "1", "a.", "-", "_", "a:"])
  func prefixes(_ prefix: String) {
    #expect { try RDFWriter(.turtle, prefixes: [prefix: IRI("a:b")]) { _ in } } throws: {
      ($0 as? RDFError)?.code == .syntax
    }
  }

  @Test("random statements are read again as they were, in each format")
  func random() throws {
    var random = SeededPieces(seed: 43)
    for _ in 0..<300 {
      let statements = try (0..<random.number(below: 30)).map { _ in try random.statement() }
      for format in RDFFormat.allCases {
        let own = statements.map { statement in
          var statement = statement
          if !format.hasGraphs { statement.graph = nil }
          return statement
        }
        let prefixes = ["": try IRI("http://x/"), "é": try IRI("http://x/#")]
        let text = try RDFWriter.text(own, format, prefixes: prefixes)
        #expect(try Reading.statements(text, format) == own)
      }
    }
  }
}

/// Statements of pieces that are hard to write, chosen by a seed.
private struct SeededPieces {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func number(below count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  private mutating func one<T>(_ choices: [T]) -> T { choices[number(below: choices.count)] }

  private mutating func iri() throws -> IRI {
    let names = [
      "", "a", "a.b", "-a", "1", "_", "é", "a/b", "#a", "#", "%41", "a:b", "~", "a-", "$",
    ]
    return try IRI("http://x/" + one(names))
  }

  private mutating func text() -> String {
    let parts = [
      "", "a", "\"", "\\", "\n", "\r", "\t", "\u{0}", "é", "😀", "'", "^^", "@", "e\u{301}",
    ]
    return (0..<number(below: 6)).map { _ in one(parts) }.joined()
  }

  private mutating func subject() throws -> RDFSubject {
    number(below: 3) > 0
      ? .iri(try iri()) : .blank(try BlankNode(one(["a", "1", "a.b", "anon", "é", "_"])))
  }

  private mutating func object() throws -> RDFTerm {
    switch number(below: 4) {
    case 0: return RDFTerm(try subject())
    case 1: return .literal(RDFLiteral(text()))
    case 2: return .literal(try RDFLiteral(text(), language: one(["en", "de-ch", "x-a"])))
    default:
      let numbers = [
        "1", "01", "-1", "+1.0", "1.", ".5", "1e3", "1.e3", "e", "", "x", "true", "1 ",
      ]
      let types: [IRI] = [.xsdInteger, .xsdDecimal, .xsdDouble, .xsdBoolean, try iri()]
      return .literal(try RDFLiteral(one(numbers), datatype: one(types)))
    }
  }

  mutating func statement() throws -> RDFStatement {
    let graph = number(below: 3) == 0 ? try subject() : nil
    return RDFStatement(
      try subject(), number(below: 4) == 0 ? .rdfType : try iri(), try object(), in: graph)
  }
}
