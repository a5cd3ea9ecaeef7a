import DaybookRDF
import Testing

/// What Turtle says, form by form.
@Suite struct TurtleTests {
  private static let p = "@prefix : <http://x/> . "

  @Test("predicates, objects, lists and brackets become triples in the order of the text")
  func structure() throws {
    let text =
      Self.p + """
        :a :p :b , "c" ; a :C ;; :q [ :r 1 ] .
        [] :p () .
        ( 1 ( 2 ) ) :p [ ] .
        [ :p :b ] .
        """
    #expect(
      try Reading.lines(text) == [
        "<http://x/a> <http://x/p> <http://x/b>", "<http://x/a> <http://x/p> \"c\"",
        "<http://x/a> <\(rdf)type> <http://x/C>", "<http://x/a> <http://x/q> _:anon1",
        "_:anon1 <http://x/r> \"1\"^^<\(xsd)integer>", "_:anon2 <http://x/p> <\(rdf)nil>",
        "_:anon3 <\(rdf)first> \"1\"^^<\(xsd)integer>", "_:anon3 <\(rdf)rest> _:anon5",
        "_:anon5 <\(rdf)first> _:anon4", "_:anon4 <\(rdf)first> \"2\"^^<\(xsd)integer>",
        "_:anon4 <\(rdf)rest> <\(rdf)nil>", "_:anon5 <\(rdf)rest> <\(rdf)nil>",
        "_:anon3 <http://x/p> _:anon6", "_:anon7 <http://x/p> <http://x/b>",
      ])
  }

  private let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  private let xsd = "http://www.w3.org/2001/XMLSchema#"

  @Test(
    "numbers and booleans keep their spelling and get their datatype",
    arguments: [
      ("1", "1", "integer"), ("-007", "-007", "integer"), ("+1", "+1", "integer"),
      ("1.50", "1.50", "decimal"), (".5", ".5", "decimal"), ("-1.0", "-1.0", "decimal"),
      ("1e3", "1e3", "double"), ("1.E-3", "1.E-3", "double"), (".1e+0", ".1e+0", "double"),
      ("true", "true", "boolean"), ("false", "false", "boolean"),
    ])
  func numbers(_ text: String, _ spelling: String, _ type: String) throws {
    let statements = try Reading.statements(Self.p + ":a :p \(text).")
    let datatype = try IRI(xsd + type)
    #expect(try statements.map(\.object) == [.literal(RDFLiteral(spelling, datatype: datatype))])
  }

  @Test(
    "texts in one or three quotes mean what they spell",
    arguments: [
      (#""a""#, "a"), ("'a\"b'", "a\"b"), (#""""a "b" ""c""""#, "a \"b\" \"\"c"),
      ("'''a\nb''c'''", "a\nb''c"), (#""\t\b\n\r\f\"\'\\""#, "\t\u{8}\n\r\u{C}\"'\\"),
      (#""é\u00E9\U0001F600""#, "éé😀"), ("\"\u{0}\"", "\u{0}"), (#""""#, ""), ("''''''", ""),
    ])
  func texts(_ text: String, _ expected: String) throws {
    let statements = try Reading.statements(Self.p + ":a :p \(text) .")
    #expect(statements.map(\.object) == [.literal(RDFLiteral(expected))])
  }

  @Test(
    "names have dots within, colons, escapes and bytes in hexadecimal",
    arguments: [
      (":a.b", "http://x/a.b"), (":a:b", "http://x/a:b"), (#":a\~b\,"#, "http://x/a~b,"),
      (":%20", "http://x/%20"), (":0", "http://x/0"), (":", "http://x/"), (":é-1", "http://x/é-1"),
      (":_", "http://x/_"), ("x.y:z", "http://y/z"),
    ])
  func names(_ name: String, _ expected: String) throws {
    let text = Self.p + "@prefix x.y: <http://y/> . :a :p \(name)."
    #expect(try Reading.statements(text).map(\.object) == [.iri(IRI(expected))])
  }

  @Test("a base and a prefix count from where they are declared, and can be declared again")
  func directives() throws {
    let text = """
      BASE <http://a/b/> PREFIX p: <c#> p:d <e> <> .
      @base <../f/> . @prefix p: <#> . p:d <e> <g> .
      """
    #expect(
      try Reading.lines(text) == [
        "<http://a/b/c#d> <http://a/b/e> <http://a/b/>",
        "<http://a/f/#d> <http://a/f/e> <http://a/f/g>",
      ])
  }

  @Test("a file's own labels and those of brackets never meet")
  func labels() throws {
    let statements = try Reading.statements(
      Self.p + "_:anon1 :p [] . [] :p _:anon_1 . _:anon__1 :p _:a.b .")
    let nodes = statements.flatMap { [RDFTerm($0.subject), $0.object] }
    #expect(Set(nodes).count == 6)
  }

  @Test("white space and comments are free, and a mark of the byte order is no character")
  func space() throws {
    let text =
      "\u{FEFF}#x\r\n@prefix:<http://x/>.<http://x/a><http://x/p>:b. "
      + ":a<http://x/p>\"c\"@en,'d'^^:e.#end"
    #expect(
      try Reading.lines(text) == [
        "<http://x/a> <http://x/p> <http://x/b>", "<http://x/a> <http://x/p> \"c\"@en",
        "<http://x/a> <http://x/p> \"d\"^^<http://x/e>",
      ])
  }

  @Test(
    "what the grammar does not have is an error",
    arguments: [
      ":a :p", ":a :p .", ":a .", ":a :p :b", ":a :p :b :c .", ":a :p :b ,.", "; .", ".",
      "\"a\" :p :b .", "1 :p :b .", "true :p :b .", ":a _:b :c .", ":a \"p\" :b .", ":a [] :b .",
      "a :p :b .", ":a A :b .", ":a :p a .", ":a :p TRUE .", ":a :p (1 .", ":a :p [1] .",
      ":a :p [:q 1 .", ":a :p :b ] .", ":a :p :b } .", "{ :a :p :b } .", ":a :p ) .",
      "@prefix x <http://x/> .", "@prefix x: <http://x/>", "PREFIX x: <http://x/> .",
      "@PREFIX x: <http://x/> .", "@base x: .", "prefix <http://x/>", ":a :p 'x\ny' .",
      ":a :p \"x\"@ .", ":a :p \"x\"^^\"y\" .", ":a :p \"x\"^ :y .", ":a :p +.e1 .",
      ":a :p 1.2.3 .", ":a :p \"x\"@en^^:y .", ":a => :b .", ":a = :b .", ":a :p :b . . ",
      "@keywords a .", ":a is :p of :b .", ":a :p :b^:c .", "_: :p :b .", "_:-a :p :b .",
      "_:a:b :p :c .", ":a :p _:a. _:b :p", ":-a :p :b .", "-x:a :p :b .", ":a%2 :p :b .",
      ":a\\z :p :b .", "( 1 2 ) .", "[] .", "@forAll :x .", ":a :p <b .", "<a\nb> :p :c .",
    ])
  func negative(_ text: String) {
    let code = Reading.error(Self.p + text)?.code
    #expect(code != nil && code != .inputOutput)
  }

  @Test(
    "an escape that stands for no character, or not for one that may be there, is an error",
    arguments: [
      (#""\uD800""#, RDFError.Code.badEscape), (#""\uD83D\uDE00""#, .badEscape),
      (#""\U00110000""#, .badEscape), (#""\u12""#, .badEscape), (#""\U1234567""#, .badEscape),
      (#""\x""#, .badEscape), (#""\ ""#, .badEscape), (#"<http://x/\uDFFF>"#, .badEscape),
      (#"<http://x/\n>"#, .badEscape), (#"<http://x/\u0020>"#, .badIRI),
      (#"<http://x/\u003E>"#, .badIRI), (#"<http://x/\U0000007B>"#, .badIRI),
      (#"<http://x/\u0000>"#, .badIRI), (#"<\u0041:b>"#, .syntax),
    ])
  func escapes(_ object: String, _ code: RDFError.Code) {
    let error = Reading.error(Self.p + ":a :p \(object) .")
    #expect(code == .syntax ? error == nil : error?.code == code)
  }

  @Test(
    "a language tag is well-formed by RFC 5646, and in lower case",
    arguments: [
      ("en", "en"), ("de-CH", "de-ch"), ("zh-Hant-TW", "zh-hant-tw"), ("sl-rozaj-biske", nil),
      ("zh-min-nan", "zh-min-nan"), ("x-klingon", "x-klingon"), ("de-1996", "de-1996"),
      ("en-a-bbb-x-ccc", "en-a-bbb-x-ccc"), ("i-default", "i-default"), ("es-419", "es-419"),
    ])
  func languages(_ tag: String, _ expected: String?) throws {
    let statements = try Reading.statements(Self.p + ":a :p \"x\"@\(tag) .")
    let expected = expected ?? tag
    #expect(statements.map(\.object) == [.literal(try RDFLiteral("x", language: expected))])
    guard case .literal(let literal) = statements[0].object else { return }
    #expect(literal.language == expected)
  }

  @Test(
    "a tag that is not well-formed is an error",
    arguments: [
      "abcdefghi", "en-", "en--us", "a", "en-us-us", "en-x", "en-abcdefghi", "en-a", "1a",
    ])
  func badLanguages(_ tag: String) {
    #expect(Reading.error(Self.p + ":a :p \"x\"@\(tag) .")?.code == .badLanguageTag)
  }
}
