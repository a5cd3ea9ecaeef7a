import DaybookRDF
import Testing

/// TriG, N-Triples and N-Quads, where they are not like Turtle.
@Suite struct FormatTests {
  @Test("TriG names graphs by IRIs and blank nodes, with and without the word GRAPH")
  func graphs() throws {
    let text = """
      @prefix : <http://x/> .
      { :a :p 'default' } :g { :a :p 1 . :b :p 2 . }
      GRAPH _:h { :a :p ( ) } graph[]{} [] {[:p :b]} :c :p :d .
      { }
      """
    #expect(
      try Reading.statements(text, .trig).map { "\($0.subject) in \($0.graph?.description ?? "")" }
        == [
          "<http://x/a> in ", "<http://x/a> in <http://x/g>", "<http://x/b> in <http://x/g>",
          "<http://x/a> in _:h", "_:anon3 in _:anon2", "<http://x/c> in ",
        ])
  }

  @Test(
    "graphs where TriG has none are errors",
    arguments: [
      ":g { :a :p :b ", ":g { :g2 { :a :p :b } }", ":g { @prefix x: <http://x/> . }",
      ":g { PREFIX x: <http://x/> }", ":g { :a :p :b } .", "GRAPH { :a :p :b }", "( ) { :a :p :b }",
      "[ :p :b ] { :a :p :b }", "GRAPH [ :p :b ] { }", "GRAPH :g :a :p :b .", "\"g\" { }", "}",
      ":g { :a :p :b . . }", ":g { GRAPH :h { } }", "{ :a :p [ :q :b } }", ":g { :a :p ( 1 } )",
    ])
  func badGraphs(_ text: String) {
    #expect(Reading.error("@prefix : <http://x/> . " + text, .trig)?.code != nil)
  }

  @Test("Turtle has no graphs")
  func noGraphs() {
    #expect(Reading.error("{ <http://a> <http://b> <http://c> }")?.code == .syntax)
    #expect(Reading.error("<http://g> { <http://a> <http://b> 1 }")?.code != nil)
    #expect(Reading.error("GRAPH <http://g> { <http://a> <http://b> 1 }")?.code == .syntax)
  }

  @Test("lines are triples, with white space, comments and empty lines where the grammar has them")
  func lines() throws {
    let text =
      "# x\n\n<a:b><a:c>\"d\".\r\n \t _:1 \t<a:c> _:a.b . # y\r<a:b> <a:c> \"\\u00e9\"@EN .#z\n"
      + "<a:b> <a:c> \"1\"^^<a:d> ."
    #expect(
      try Reading.lines(text, .ntriples) == [
        "<a:b> <a:c> \"d\"", "_:1 <a:c> _:a.b", "<a:b> <a:c> \"é\"@en",
        "<a:b> <a:c> \"1\"^^<a:d>",
      ])
    #expect(
      try Reading.lines(
        "<a:b> <a:c> _:d <a:g>.\n<a:b> <a:c> \"d\" _:g .\n<a:b><a:c><a:d> .", .nquads)
        == ["<a:b> <a:c> _:d <a:g>", "<a:b> <a:c> \"d\" _:g", "<a:b> <a:c> <a:d>"])
  }

  @Test(
    "what is Turtle only is an error in lines",
    arguments: [RDFFormat.ntriples, .nquads],
    [
      "<a:b> <a:c> 1 .", "@prefix a: <a:> .", "<b> <a:c> <a:d> .", "<a:b> <a:c> <a:d> , <a:e> .",
      "<a:b> <a:c> <a:d> ; <a:e> <a:f> .", "<a:b> a <a:c> .", "<a:b> <a:c> [] .",
      "<a:b> <a:c> () .",
      "<a:b> <a:c> 'd' .", "<a:b> <a:c> \"\"\"d\"\"\" .", "<a:b>\n<a:c> <a:d> .", "a:b a:c a:d .",
      "<a:b> <a:c> <a:d> . <a:b> <a:c> <a:e> .", "<a:b> <a:c> true .", "<a:b> <a:c> \"d\"^^a:e .",
      "\"a\" <a:c> <a:d> .", "<a:b> _:c <a:d> .", "<a:b> <a:c> <a:d>", "<a:b> <a:c> _:d:e .",
      "<a:b> <a:c> <a:d> \"g\" .", "<a:b> <a:c> <a:d> <g> .", "<a:b> <a:c> <a:d> <a:g> <a:h> .",
      "<a:b> <a:c> \"d\n\" .", "{ <a:b> <a:c> <a:d> }", "<a:b> <a:c> <a:d> .. ",
    ])
  func turtleOnly(_ format: RDFFormat, _ text: String) {
    #expect(Reading.error(text, format)?.code != nil)
  }

  @Test("N-Triples has no graph in a line")
  func quad() {
    #expect(Reading.error("<a:b> <a:c> <a:d> <a:g> .", .ntriples)?.code == .syntax)
  }

  @Test("a literal without a language has not the datatype of those with one")
  func langString() throws {
    let name = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
    #expect(Reading.error("<a:b> <a:c> \"d\"^^<\(name)> .", .ntriples)?.code == .badLiteral)
    #expect { try RDFLiteral("d", datatype: .rdfLangString) } throws: {
      ($0 as? RDFError)?.code == .badLiteral
    }
    #expect(try RDFLiteral("d", language: "EN").datatype == .rdfLangString)
    #expect(try RDFLiteral("d", datatype: .xsdString) == RDFLiteral("d"))
  }
}
